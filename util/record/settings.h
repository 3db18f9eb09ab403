/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What to record: the settings that options fill, and the text forms of options.
 *
 * The fields are grouped by subject. They are one flat struct, so each row of an option table, of
 * perf record and of perf top, points to its field. They do not change after record_open(). The
 * caller that filled them calls record_settings_release().
 */
#ifndef RECORD_SETTINGS_H
#define RECORD_SETTINGS_H

#include "base/reason.h"
#include "base/strbuf.h"
#include "base/vec.h"

struct sys;

enum call_graph {
	CALL_GRAPH_NONE,
	CALL_GRAPH_FP,    /* frame pointers, by the kernel */
	CALL_GRAPH_DWARF, /* registers and a copy of the stack in each sample */
	CALL_GRAPH_LBR,   /* the CPU's branch records */
};

/* The records about the running system at a file's beginning (--synth). */
enum {
	SYNTH_TASKS = 1, /* processes and threads, by name */
	SYNTH_MAPS = 2,  /* their mappings */
	SYNTH_CGROUPS = 4,
	SYNTH_ALL = 7,
};

/* When to continue in a new file: at most one of on_signal, size, time; on_event may be added. */
struct record_rotation {
	bool on_signal; /* SIGUSR2 */
	bool on_event;  /* by record_trigger_start() */
	u64 size;       /* bytes, 0: no */
	u64 time;       /* ns, 0: no */
	u64 max_files;  /* keep the last ones only; 0: all */
};

/* in which ns since the start events count; to == 0: until the end */
struct record_range {
	u64 from, to;
};
/*
 * Samples of the recorder itself.  As usual: left out of what CPUs or a user's processes do, unless
 * one of the events is a tracepoint that reports on other processes, too (any except system calls).
 */
enum record_own_samples { OWN_AS_USUAL, OWN_KEEP, OWN_LEAVE_OUT };
/* Where a reader runs: anywhere, or on or near the CPU whose ring it empties. */
enum record_affinity { AFFINITY_NONE, AFFINITY_NODE, AFFINITY_CPU };
/* A thread of --threads: the CPUs whose rings it empties, and those on which it runs. */
struct record_thread {
	u32 *cpus, *affinity; /* ascending */
	size_t cpu_count, affinity_count;
};
/*
 * Copied with a sample when no size is given. Pieces that are unwound live are not kept, so they
 * can contain the whole stack of nearly all programs.
 */
enum { RECORD_STACK_BYTES = 8192, RECORD_LIVE_STACK_BYTES = 32768 };
#define RECORD_DELAY_FOREVER UINT64_MAX /* until they are enabled from outside */

struct record_settings {
	/* how often */
	u64 freq;   /* Hz; 0: by period */
	u64 period; /* events for each sample */
	bool freq_given, period_given;
	bool no_samples;

	/* contents of a sample */
	enum call_graph call_graph;
	u32 stack_bytes;      /* for CALL_GRAPH_DWARF, a multiple of 8 */
	bool live_stacks;     /* for CALL_GRAPH_DWARF: unwound while recording, see below */
	u64 stack_memory;     /* bytes of samples that may wait for that in memory; 0: 64 MB */
	u16 max_stack;        /* frames; 0: the kernel's default */
	bool defer_callchain; /* user part at the return to user space, in a separate record */
	bool user_callchains, kernel_callchains; /* only this side */
	bool off_cpu_by_switches; /* by a tracepoint and records of switches, not by BPF */
	bool off_cpu;             /* also waits off the CPU: record/offcpu.h */
	u64 off_cpu_threshold;    /* ns; longer ones have separate samples */
	bool data_maps;           /* also side-band records of mappings without code */
	bool addresses, data_source, phys_addresses, data_page_size, code_page_size, weight,
		transaction;
	bool stat, running_time, time, raw, cpu, identifier;
	bool time_given; /* the option was given: `time` decides, not the target */
	bool period_field_given, period_field;
	u64 branch_filter;        /* PERF_SAMPLE_BRANCH_*; 0: none */
	u64 user_regs, intr_regs; /* masks of register numbers */

	/* side-band */
	bool namespaces, cgroups, switch_events, build_id_mmap, no_bpf_event;
	bool no_inherit, all_user, all_kernel, no_buffering;
	bool use_clockid;
	s32 clockid;

	/* the file and the end */
	const char *output;
	u64 ring_pages; /* 0: default */
	u64 delay;      /* ns before events count, or RECORD_DELAY_FOREVER */
	/* the ranges of -D, ascending; empty: all the time, or never */
	VEC(struct record_range) ranges;
	bool steered;       /* --control may enable and disable events */
	u64 max_size;       /* bytes, 0: no limit */
	u64 timeout;        /* ns after which recording ends; 0: none */
	int compress_level; /* the level of zstd; 0: no compression */
	u64 flush_bytes;    /* a ring with fewer bytes is not read while recording */
	struct record_rotation switch_output;
	bool timestamp_filename; /* the time in the file's name */
	bool overwrite;          /* rings keep the newest; written at a switch and at the end */
	unsigned synth;          /* SYNTH_* */
	bool tail_synth;         /* at a file's end, not at its beginning */
	bool kcore;   /* the output is a directory; beside the data a copy of the kernel's code */
	unsigned aio; /* writes that may wait for each ring; 0: none, each is done directly */
	enum record_affinity affinity;
	unsigned synth_threads; /* 0, 1: none but the caller's */
	u64 map_timeout;        /* ns for the maps of one process; 0: the usual */
	/*
	 * AUX areas: pages of each (0: default); bytes to keep at SIGUSR2 (0: everything is
	 * recorded)
	 */
	u64 aux_pages, aux_snapshot_bytes;
	bool aux_snapshot, aux_snapshot_at_exit;
	enum record_own_samples own;
	u32 aux_sample; /* bytes in each sample, 0: none */
	/* the output is a directory with a file for each ring; empty: one file, one thread */
	VEC(struct record_thread) threads;
};

/*
 * The functions below parse the text forms of options. A reason names what is wrong and what is
 * possible.
 * "fp", "fp,32", "fp,defer", "dwarf", "dwarf,4096", "lbr"
 */
int record_parse_call_graph(struct record_settings *s, const char *text, struct reason *r);
/* Parses "node", "cpu". */
int record_parse_affinity(const char *text, enum record_affinity *a, struct reason *r);
/* Parses "any,u" and the like into PERF_SAMPLE_BRANCH_*. */
int record_parse_branch_filter(const char *text, u64 *mask, struct reason *r);
/*
 * Parses "ax,ip": registers of this machine, in user space or at the interrupt. NULL means those
 * that unwinding needs.
 */
int record_parse_regs(const char *text, bool interrupt, u64 *mask, struct reason *r);
/* Adds the names of the registers that the kernel gives: "AX BX CX ...". */
void record_list_regs(bool interrupt, struct strbuf *out);
/* Parses "monotonic", "mono", "raw", "boottime", "tai", or a number. */
int record_parse_clockid(const char *text, s32 *id, struct reason *r);
/* Parses -m: ring pages, then with a comma those of AUX areas; either may be missing. */
int record_parse_mmap_pages(struct record_settings *s, const char *text, struct reason *r);
/* Parses -S: "", "64K", "64Ke", "e". */
int record_parse_snapshot(struct record_settings *s, const char *text, struct reason *r);
/* Parses --aux-sample: NULL, "8K". */
int record_parse_aux_sample(struct record_settings *s, const char *text, struct reason *r);
/* Parses pages ("128") or a size ("512K"), rounded up to a power of two of pages. */
int record_parse_ring_pages(const char *text, u64 *pages, struct reason *r);
/* Parses "signal" (also NULL), "100M", "30s". */
int record_parse_switch_output(struct record_settings *s, const char *text, struct reason *r);
/* Parses -D into delay and ranges: "500", "2s", "-1", "10-20,30-40". */
int record_parse_delay(struct record_settings *s, const char *text, struct reason *r);
/*
 * Parses --threads: "cpu" (also NULL), "core", "package", "numa" for a thread for each of these, or
 * CPUS[/AFFINITY][:CPUS[/AFFINITY]...], lists such as 0-3,8. The main thread empties the rings of
 * CPUs that no thread has.
 */
int record_parse_threads(struct record_settings *s, const char *text, const struct sys *sys,
			 struct reason *r);
/* Reports whether --switch-output asks for several files. */
bool record_switches(const struct record_settings *s);
void record_clear_threads(struct record_settings *s);
void record_settings_release(struct record_settings *s);
/* Parses "no", "all", or any of "task", "mmap", "cgroup" into SYNTH_*. */
int record_parse_synth(const char *text, unsigned *mask, struct reason *r);
/* Reads the highest frequency that the kernel accepts, in Hz. */
int record_max_freq(u64 *freq, struct reason *r);

#endif
