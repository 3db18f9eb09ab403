/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Synthesises records that no kernel writes. The first kind describes what was already running when
 * a recording began, and is read from /proc and the like; the second describes the recording
 * itself.
 *
 * Each record is appended to out in the host's byte order. Records of the first kind end in an
 * empty sample_id of ev's size (time 0: before everything). ev's attr decides what they contain:
 * mmap_data, namespaces, cgroup.
 *
 * Threads: any, each with an out of its own. Source: Documentation/perf.data-format.md
 */
#ifndef SYNTH_SYNTH_H
#define SYNTH_SYNTH_H

#include "base/context.h"
#include "base/reason.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "live/live.h"

/* ---- what ran already ---- */

/* Writes the MMAP records of the kernel and of its modules. */
int synth_kernel(struct strbuf *out, const struct event *ev, struct reason *r);
struct synth_how {
	unsigned threads; /* threads that read /proc for all processes; 0: one */
	u64 map_timeout;  /* ns for the maps of one process; the rest is left out; 0: 500 ms */
	/*
	 * Besides the target's processes, also record those that began at this time or later (ns of
	 * CLOCK_BOOTTIME, to 10 ms), since the target may have started them meanwhile. 0: none.
	 */
	u64 begun_since;
};
/* Writes COMM, FORK and MMAP2 records of the target's processes. how NULL: the defaults. */
int synth_tasks(struct context *ctx, struct strbuf *out, const struct event *ev,
		const struct target *t, const struct synth_how *how, struct reason *r);
/* Writes a CGROUP record for every cgroup; does nothing without attr.cgroup. */
int synth_cgroups(struct strbuf *out, const struct event *ev, struct reason *r);
/*
 * Writes KSYMBOL and BPF_EVENT records of loaded BPF programs; does nothing without attr.bpf_event
 * or permission.
 */
void synth_bpf(struct strbuf *out, const struct event *ev);
/*
 * Loaded BPF programs as the features BPF_PROG_INFO (infos) and BPF_BTF (btfs: the types of those
 * programs) hold them, in host byte order. Each update adds new programs and keeps those that have
 * ended. count stays 0 if the user may not see any. At most 64 MB of each.
 */
struct bpf_programs {
	struct strbuf infos, btfs;
	u32 count; /* programs in infos */
	VEC(u32) ids, btf_ids;
};
void bpf_programs_update(struct bpf_programs *p);
void bpf_programs_release(struct bpf_programs *p);
/* ---- the recording itself ---- */

/* Writes which id counts where; the next two write the threads and the CPUs. */
void synth_id_index(struct strbuf *out, const struct live *l);
void synth_thread_map(struct strbuf *out, const struct live *l);
void synth_cpu_map(struct strbuf *out, const struct live *l);
/* Writes the settings of perf stat record. aggregation: its number in the file format. */
void synth_stat_config(struct strbuf *out, u64 aggregation, u64 interval_ms, bool scale);
/* Writes one count. thread: index in the THREAD_MAP. */
void synth_stat(struct strbuf *out, u64 id, s32 cpu, u32 thread, const struct live_count *c);
/* Ends a round of counts. time: ns since the start. */
void synth_stat_round(struct strbuf *out, bool final, u64 time);
void synth_event_updates(struct strbuf *out, const struct event_set *set);

#endif
