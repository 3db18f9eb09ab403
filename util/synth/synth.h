/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records that no kernel writes: of what ran already when a recording began, read from /proc and
 * its like, and of the recording itself.
 *
 * Each is appended to out in the host's byte order.  Records of the first kind end in an empty
 * sample_id of ev's size (time 0: before everything), and ev's attr decides what they contain:
 * mmap_data, namespaces, cgroup.
 * Threads: any, each with an out of its own.
 * Source: Documentation/perf.data-format.md
 */
#ifndef SYNTH_SYNTH_H
#define SYNTH_SYNTH_H

#include "base/context.h"
#include "base/reason.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "live/live.h"

/* ---- what ran already ---- */

/* The kernel's MMAP and those of its modules. */
int synth_kernel(struct strbuf *out, const struct event *ev, struct reason *r);
struct synth_how {
	unsigned threads; /* threads that read /proc in parallel, where all processes are recorded;
			   * 0: one */
	u64 map_timeout;  /* ns for the maps of one process, then the rest is left out; 0: 500 ms */
	/*
	 * Beside the target's processes those that began at this time or later (ns of
	 * CLOCK_BOOTTIME, to 10 ms): whatever they started meanwhile is among them.  0: none.
	 */
	u64 begun_since;
};
/* COMM, FORK and MMAP2 of the target's processes; how NULL: as usual. */
int synth_tasks(struct context *ctx, struct strbuf *out, const struct event *ev,
		const struct target *t, const struct synth_how *how, struct reason *r);
/* CGROUP records of every cgroup there is; nothing unless attr.cgroup. */
int synth_cgroups(struct strbuf *out, const struct event *ev, struct reason *r);
/*
 * KSYMBOL and BPF_EVENT records of loaded BPF programs; none without attr.bpf_event or permission.
 */
void synth_bpf(struct strbuf *out, const struct event *ev);
/*
 * Loaded BPF programs as the features BPF_PROG_INFO (infos) and BPF_BTF (btfs: the types
 * of those programs) hold them, in host order.  Each update adds those that are new; one
 * that ended meanwhile stays.  Nobody's to see: count stays 0.  At most 64 MB of each.
 */
struct bpf_programs {
	struct strbuf infos, btfs;
	u32 count; /* in infos */
	VEC(u32) ids, btf_ids;
};
void bpf_programs_update(struct bpf_programs *p);
void bpf_programs_release(struct bpf_programs *p);
/* ---- the recording itself ---- */

/* Which id counts where, the target, units and scales. */
void synth_id_index(struct strbuf *out, const struct live *l);
void synth_thread_map(struct strbuf *out, const struct live *l);
void synth_cpu_map(struct strbuf *out, const struct live *l);
/* perf stat record; aggregation: number of the file format. */
void synth_stat_config(struct strbuf *out, u64 aggregation, u64 interval_ms, bool scale);
/* thread: index in the THREAD_MAP. */
void synth_stat(struct strbuf *out, u64 id, s32 cpu, u32 thread, const struct live_count *c);
/* time: ns since the start. */
void synth_stat_round(struct strbuf *out, bool final, u64 time);
void synth_event_updates(struct strbuf *out, const struct event_set *set);

#endif
