/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters for `perf script --dlfilter`: a shared object that decides, sample by sample, what is
 * shown.
 *
 * This is the binary interface that perf 5.14 began; see FILTERS in perf-script(1). A filter
 * defines any of the functions at the end of this file. If it wants to ask perf about a sample, it
 * also defines the variable perf_dlfilter_fns, which perf fills when it loads the filter. Build:
 *	gcc -shared -fPIC -o filter.so filter.c
 *
 * Structures only grow at their ends, and each begins with its size as perf knows it: test that a
 * member is inside of it before you read one that came later.
 */
#ifndef PERF_DLFILTER_H
#define PERF_DLFILTER_H

#include <linux/types.h>
#ifdef BASE_PERF_ABI_H /* perf itself has other names for these types */
struct perf_branch_entry;
#else
#include <linux/perf_event.h>
#endif

/* perf_dlfilter_sample has machine_pid and vcpu. */
#define PERF_DLFILTER_HAS_MACHINE_PID

/* Bits of perf_dlfilter_sample.flags: what kind of branch a sample of a hardware trace is. */
enum {
	PERF_DLFILTER_FLAG_BRANCH = 1 << 0,
	PERF_DLFILTER_FLAG_CALL = 1 << 1,
	PERF_DLFILTER_FLAG_RETURN = 1 << 2,
	PERF_DLFILTER_FLAG_CONDITIONAL = 1 << 3,
	PERF_DLFILTER_FLAG_SYSCALLRET = 1 << 4,
	PERF_DLFILTER_FLAG_ASYNC = 1 << 5,
	PERF_DLFILTER_FLAG_INTERRUPT = 1 << 6,
	PERF_DLFILTER_FLAG_TX_ABORT = 1 << 7,
	PERF_DLFILTER_FLAG_TRACE_BEGIN = 1 << 8,
	PERF_DLFILTER_FLAG_TRACE_END = 1 << 9,
	PERF_DLFILTER_FLAG_IN_TX = 1 << 10,
	PERF_DLFILTER_FLAG_VMENTRY = 1 << 11,
	PERF_DLFILTER_FLAG_VMEXIT = 1 << 12,
};

/*
 * One sample. A value that was not recorded is 0 or NULL; -1 for pid, tid, cpu, id, stream_id and
 * vcpu; PERF_MEM_NA in each part of data_src.
 */
struct perf_dlfilter_sample {
	__u32 size; /* the size of this structure, bytes */
	__u16 ins_lat;
	__u16 p_stage_cyc;
	__u64 ip;
	__s32 pid;
	__s32 tid;
	__u64 time; /* ns */
	__u64 addr;
	__u64 id;
	__u64 stream_id;
	__u64 period;
	__u64 weight;
	__u64 transaction;
	__u64 insn_cnt; /* instructions and cycles, from hardware traces */
	__u64 cyc_cnt;
	__s32 cpu;
	__u32 flags; /* PERF_DLFILTER_FLAG_* */
	__u64 data_src;
	__u64 phys_addr;
	__u64 data_page_size;
	__u64 code_page_size;
	__u64 cgroup;
	__u8 cpumode;             /* PERF_RECORD_MISC_CPUMODE_MASK and its values */
	__u8 addr_correlates_sym; /* resolve_addr() can be asked */
	__u16 misc;
	__u32 raw_size;
	const void *raw_data;
	__u64 brstack_nr;
	const struct perf_branch_entry *brstack;
	__u64 raw_callchain_nr;
	const __u64 *raw_callchain; /* leaf first, with PERF_CONTEXT_* between */
	const char *event;
	__s32 machine_pid; /* the process of the hypervisor, for samples of a guest; else 0 */
	__s32 vcpu;
};

/* The known facts about an address. */
struct perf_dlfilter_al {
	__u32 size;      /* the size of this structure, bytes */
	__u32 symoff;    /* from the start of the function */
	const char *sym; /* NULL: not known */
	__u64 addr;      /* in the object */
	__u64 sym_start;
	__u64 sym_end;
	const char *dso;  /* NULL: not mapped */
	__u8 sym_binding; /* STB_* of <elf.h> */
	__u8 is_64_bit;
	__u8 is_kernel_ip;
	__u32 buildid_size;
	__u8 *buildid;
	/* by resolve_ip() alone */
	__u8 filtered; /* not shown even if the filter keeps it: --comms, --dsos, --symbols */
	const char *comm;
	void *priv; /* perf's own; see al_cleanup() */
};

struct perf_dlfilter_fns {
	/* The sample's ip, and its addr where addr_correlates_sym; NULL: not known. */
	const struct perf_dlfilter_al *(*resolve_ip)(void *ctx);
	const struct perf_dlfilter_al *(*resolve_addr)(void *ctx);
	/* The values of --dlarg; also from start() and stop(). */
	char **(*args)(void *ctx, int *dlargc);
	/* Any address of the sample's process; set al->size before.  0, or -1. */
	__s32 (*resolve_address)(void *ctx, __u64 address, struct perf_dlfilter_al *al);
	/* The bytes of the instruction at ip; NULL: not known. */
	const __u8 *(*insn)(void *ctx, __u32 *length);
	/* The file and line of ip; NULL: not known. */
	const char *(*srcline)(void *ctx, __u32 *line_number);
	struct perf_event_attr *(*attr)(void *ctx);
	/* Up to len bytes of code at an address of the process: how many they were, or -1. */
	__s32 (*object_code)(void *ctx, __u64 ip, void *buf, __u32 len);
	/*
	 * For what resolve_address() gave.  Perfs before 6.6 do not have it: NULL there.  Here
	 * nothing has to be given back.
	 */
	void (*al_cleanup)(void *ctx, struct perf_dlfilter_al *al);
	void *(*reserved[119])(void *);
};

/*
 * A filter may define the functions below. ctx is for the functions above, most of which answer
 * only inside of the two filter functions.
 *
 * start() is called once, before all samples; the other functions receive what it puts into *data.
 * Returns 0, or a negative number to stop perf.
 */
int start(void **data, void *ctx);
/* Called after all samples; returns 0, or a negative number on failure. */
int stop(void *data, void *ctx);
/*
 * Called after perf's own filters. Returns 0 to keep the sample, 1 to drop it, or a negative number
 * to stop perf.
 */
int filter_event(void *data, const struct perf_dlfilter_sample *sample, void *ctx);
/* Called before perf's own filters, with the same results. */
int filter_event_early(void *data, const struct perf_dlfilter_sample *sample, void *ctx);
/* Returns one line about the filter. Where long_description is not NULL, it receives more lines. */
const char *filter_description(const char **long_description);

#endif
