/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes one record of a perf.data stream or a ring: from bytes to facts.
 *
 * Every size, count and offset inside a record is checked here, once, and nowhere else. A decoded
 * record points into the chunk that its bytes came from and lives no longer than that chunk.
 * Byte order: with set->swap the arrays below still hold the file's order; read their items with
 * load_u64(p, set->swap) (raw data: by its own format).
 * Threads: pure functions of their arguments.
 * Source: the comments on PERF_RECORD_* in include/uapi/linux/perf_event.h.
 */
#ifndef EVENT_SAMPLE_H
#define EVENT_SAMPLE_H

#include "base/bytes.h"
#include "event/event.h"

/* One record in a chunk. */
struct record {
	u32 type; /* host byte order */
	u16 misc;
	u16 size;        /* bytes, header included, as in the file */
	const u8 *data;  /* the header's first byte */
	u64 position;    /* offset in the (decompressed) stream: the order key's */
	u64 file_offset; /* offset in the file, to report */
	u32 file;        /* number of the file, 0 except for directories */
};

/* What sample_id_all appends to side-band records, and SAMPLE records hold. */
struct sample_id {
	u32 pid, tid; /* UINT32_MAX if not recorded */
	u64 time;     /* ns; 0 if not recorded */
	u64 id;       /* 0 if not recorded */
	u64 stream_id;
	u32 cpu; /* UINT32_MAX if not recorded */
};

struct sample_read_value {
	u64 value, id, lost;
};

struct sample {
	const struct event *event;
	struct sample_id id; /* pid, tid, time, id, stream_id, cpu */
	u16 misc;
	u8 cpumode;               /* PERF_RECORD_MISC_KERNEL ... */
	u64 ip, addr, period;     /* period: the attr's if not recorded */
	u64 weight;               /* whole; with WEIGHT_STRUCT var1 is here */
	u16 ins_lat, p_stage_cyc; /* var2, var3 */
	u64 data_src, transaction, phys_addr, cgroup;
	u64 data_page_size, code_page_size; /* bytes */

	const u8 *chain; /* chain_count u64 in file order, leaf first, with context markers */
	u64 chain_count;
	/* number of frames at its end that the unwinder added */
	u64 chain_unwound;

	const u8 *raw; /* PERF_SAMPLE_RAW payload */
	u32 raw_size;

	const u8 *branches; /* branch_count entries of 24 bytes: from, to, flags */
	u64 branch_count;
	u64 branch_hw_index;
	const u8 *branch_counters; /* branch_count u64 or NULL */

	u64 user_abi, intr_abi;          /* PERF_SAMPLE_REGS_ABI_* */
	const u8 *user_regs, *intr_regs; /* one u64 for each bit of the attr's mask, or NULL */
	const u8 *stack;
	u64 stack_size;     /* bytes present */
	u64 stack_dyn_size; /* bytes that were copied */

	const u8 *aux;
	u64 aux_size;

	/* PERF_SAMPLE_READ: read_count values from read_values, see sample_read() */
	u64 read_format, time_enabled, time_running;
	const u8 *read_values;
	u64 read_count;
};

/*
 * Decodes a PERF_RECORD_SAMPLE. Returns 0, -EINVAL with a reason ("callchain of N does not fit in a
 * record of M bytes"), or -ENOENT if its id belongs to no event.
 */
int sample_decode(const struct event_set *set, const struct record *rec, struct sample *s,
		  struct reason *r);
/*
 * Decodes into a sample that this function filled before, or zeros. If both samples hold the same
 * parts, it writes only these. Nothing else may have changed *s meanwhile, except what it points
 * to; after an error *s may be used again.
 */
int sample_decode_next(const struct event_set *set, const struct record *rec, struct sample *s,
		       struct reason *r);
/* Returns value i (< read_count) of a PERF_SAMPLE_READ sample. */
struct sample_read_value sample_read(const struct event_set *set, const struct sample *s, u64 i);
/*
 * Branch i (< branch_count), host byte order.  flags as on little-endian
 * machines: bit 0 mispredicted, 1 predicted, 2 in_tx, 3 abort, 4-19 cycles,
 * 20-23 type, 24-25 spec, 26-29 new type, 30-32 privilege.
 */
struct sample_branch {
	u64 from, to, flags;
};
struct sample_branch sample_branch(const struct event_set *set, const struct sample *s, u64 i);
/*
 * Finds one u64 of user_regs / intr_regs by register number. Returns false if it was not recorded.
 */
bool sample_reg(const struct event_set *set, u64 mask, const u8 *regs, unsigned reg, u64 *value);

/*
 * The places of parts of a sample in its record, in bytes, for callers that rewrite it with a part
 * changed. begin and end are equal if a part is missing. The sample must have been decoded from
 * that record.
 */
struct sample_parts {
	u32 chain, chain_end; /* count and call chain */
	u32 raw, raw_end;     /* size, raw data, padding */
	u32 user, user_end;   /* user registers and stack */
};
void sample_find_parts(const struct event_set *set, const struct record *rec,
		       const struct sample *s, struct sample_parts *p);
/* Returns the place of the 8 bytes of one PERF_SAMPLE_* bit before READ; 0 if not recorded. */
u32 sample_slot(const struct sample *s, u32 bit);

/*
 * Decodes the sample_id of any other kernel record (zeros and UINT32_MAX for what is not recorded)
 * and its event (NULL if unknown). User records (type >= 64) have none.
 */
int record_sample_id(const struct event_set *set, const struct record *rec, struct sample_id *id,
		     const struct event **ev, struct reason *r);

/*
 * Returns the time of a record of any kind without decoding the rest; 0 if it has none. For pass 1.
 */
u64 record_time(const struct event_set *set, const struct record *rec);

/*
 * Returns the time of a record's order key: its own, or `before` (its predecessor's) if it has
 * none.
 */
u64 record_any_key_time(const struct event_set *set, const struct record *rec, u64 before);
static inline u64 record_key_time(const struct event_set *set, const struct record *rec, u64 before)
{
	if (likely(rec->type == PERF_RECORD_SAMPLE && set->sample_time_at &&
		   rec->size >= set->sample_time_at + 8))
		return load_u64(rec->data + set->sample_time_at, set->swap);
	return record_any_key_time(set, rec, before);
}

/* Side-band records, decoded; strings are NUL-terminated inside the record. */
struct record_mmap {
	u32 pid, tid;
	u64 start, len, pgoff;     /* bytes */
	u32 maj, min, prot, flags; /* MMAP2 */
	u64 ino, ino_generation;
	u8 build_id[20];
	u8 build_id_size; /* 0 if the record has none */
	bool is_mmap2, is_data;
	const char *filename;
};
struct record_comm {
	u32 pid, tid;
	bool exec;
	const char *comm;
};
struct record_task { /* FORK and EXIT */
	u32 pid, ppid, tid, ptid;
	u64 time;
};
struct record_lost { /* LOST; LOST_SAMPLES has id 0 */
	u64 id, lost;
};
struct record_throttle {
	u64 time, id, stream_id;
};
struct record_namespaces {
	u32 pid, tid;
	u64 count;
	const u8 *links; /* count pairs of u64: dev, inode */
};
struct record_cgroup {
	u64 id;
	const char *path;
};
struct record_ksymbol {
	u64 addr;
	u32 len;
	u16 ksym_type, flags; /* flags bit 0: unregister */
	const char *name;
};
struct record_bpf_event {
	u16 type, flags; /* type 1 load, 2 unload */
	u32 id;
	u8 tag[8];
};
struct record_text_poke {
	u64 addr;
	u16 old_len, new_len;
	const u8 *bytes; /* old, then new */
};
struct record_switch { /* SWITCH and SWITCH_CPU_WIDE */
	bool out, preempt, cpu_wide;
	u32 next_prev_pid, next_prev_tid; /* cpu_wide only */
};
struct record_aux {
	u64 offset, size, flags;
};
struct record_itrace_start {
	u32 pid, tid;
};
struct record_read {
	u32 pid, tid;
	u64 value, time_enabled, time_running, id, lost;
};
struct record_callchain_deferred {
	u64 cookie, nr;
	const u8 *ips;
};
struct record_aux_output_hw_id {
	u64 hw_id;
};

/*
 * Decode one kind of record each. Return 0, or -EINVAL with a reason if the record is too short for
 * its kind.
 */
int record_get_mmap(const struct event_set *, const struct record *, struct record_mmap *,
		    struct reason *);
int record_get_comm(const struct event_set *, const struct record *, struct record_comm *,
		    struct reason *);
int record_get_task(const struct event_set *, const struct record *, struct record_task *,
		    struct reason *);
int record_get_lost(const struct event_set *, const struct record *, struct record_lost *,
		    struct reason *);
int record_get_throttle(const struct event_set *, const struct record *, struct record_throttle *,
			struct reason *);
int record_get_namespaces(const struct event_set *, const struct record *,
			  struct record_namespaces *, struct reason *);
int record_get_cgroup(const struct event_set *, const struct record *, struct record_cgroup *,
		      struct reason *);
int record_get_ksymbol(const struct event_set *, const struct record *, struct record_ksymbol *,
		       struct reason *);
int record_get_bpf_event(const struct event_set *, const struct record *, struct record_bpf_event *,
			 struct reason *);
int record_get_text_poke(const struct event_set *, const struct record *, struct record_text_poke *,
			 struct reason *);
int record_get_switch(const struct event_set *, const struct record *, struct record_switch *,
		      struct reason *);
int record_get_aux(const struct event_set *, const struct record *, struct record_aux *,
		   struct reason *);
int record_get_itrace_start(const struct event_set *, const struct record *,
			    struct record_itrace_start *, struct reason *);
int record_get_read(const struct event_set *, const struct record *, struct record_read *,
		    struct reason *);
int record_get_callchain_deferred(const struct event_set *, const struct record *,
				  struct record_callchain_deferred *, struct reason *);
int record_get_aux_output_hw_id(const struct event_set *, const struct record *,
				struct record_aux_output_hw_id *, struct reason *);

/* Returns a type's name: "PERF_RECORD_MMAP2", "PERF_RECORD_FINISHED_ROUND"; NULL if unknown. */
const char *record_type_name(u32 type);

#endif
