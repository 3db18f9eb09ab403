/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live events: opening them on a target, reading counters and rings.
 *
 * What it is: the open descriptors of every (event, cpu, thread), and for sampling the rings
 * that they write into.
 *
 *	target_add_*()       what is measured                          live/target.h
 *	workload_prepare()   the command, held before its exec         live/workload.h
 *	live_open()          descriptors, and rings unless counting
 *	live_enable()        unless the exec does it
 *	live_read()          counting: one value
 *	live_ring_get()      sampling: what a ring holds ... live_ring_done()
 *	live_close()
 *
 * Records of what ran before are made by synth/synth.h; a loop that waits for rings, signals
 * and the targets' end is live/loop.h.
 * Threads: one thread opens and closes; each ring may be read by its own thread.  live_enable() and
 * its like may come from another thread than live_reopen().
 * Errors: a refusal by the kernel is explained (sys/explain.h) with its hint.
 */
#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include <sys/types.h>

#include "base/context.h"
#include "event/event.h"
#include "live/backend.h"
#include "live/target.h"
#include "live/workload.h" /* whoever opens events starts a command */

struct live; /* open descriptors of an event set on a target */

struct live_options {
	bool counting;       /* no rings */
	u64 ring_pages;      /* data pages per ring, a power of two; 0: default */
	u64 ring_bytes;      /* without ring_pages: as much if it can be had; 0: default */
	u64 aux_pages;       /* the size of each AUX area, a power of two; 0: none is mapped */
	bool aux_overwrite;  /* it keeps the newest, for live_aux_snapshot() */
	bool no_inherit;     /* counting */
	bool enable_on_exec; /* counting: a workload starts the counters */
	bool want_ids;       /* counting: for a file; sample_type is IDENTIFIER then */
	bool times;          /* sampling: for live_times() */
	const struct live_backend *backend; /* NULL: the kernel */
	const struct sys *sys;              /* NULL: this host */
};
/*
 * counting: live_open() completes the attrs itself (times in read_format, disabled,
 * inherit from the target unless no_inherit, enable_on_exec); an event that the
 * kernel does not have is no error, live_read() says supported == false.
 * Sampling: the attrs are opened as they are except for what the kernel refuses and
 * a useful substitute exists for: precise_ip is lowered, cycles becomes
 * cpu-clock, an ordinary user gets the user side only.  Each substitution is in
 * the attr and name of the event afterwards and a condition in ctx.
 * The kernel's ids are added to the events: by CPU, then thread.
 */
int live_open(struct context *ctx, struct event_set *set, const struct target *t,
	      const struct live_options *o, struct live **out, struct reason *r) MUST_CHECK;
void live_close(struct live *l);
/*
 * The same at the end of a program: where closing takes long (many tracepoints),
 * a detached child does it and ends by itself.  Disable the events before.
 */
void live_close_in_background(struct live *l);
/* All events; 0 or -errno of the first that failed. */
int live_enable(struct live *l);
int live_disable(struct live *l);
/* One event; the dummy that carries side-band stays on this way. */
int live_enable_event(struct live *l, const struct event *ev);
int live_disable_event(struct live *l, const struct event *ev);

/* For what attaches to it; -1: not open there. */
int live_event_fd(const struct live *l, const struct event *ev, size_t cpu, size_t thread);

/* One counter value. */
struct live_count {
	u64 value, enabled, running; /* enabled, running: ns */
	u64 lost;
	bool supported; /* false: could not be opened here */
};
size_t live_cpu_count(const struct live *l);    /* 1 when not per CPU */
size_t live_thread_count(const struct live *l); /* 1 when not per thread */
s32 live_cpu(const struct live *l, size_t i);   /* CPU number, -1 = any */
pid_t live_thread(const struct live *l, size_t i);
/* A CPU that the target does not name, beside it for events with all_cpus; these come last. */
bool live_cpu_is_added(const struct live *l, size_t i);
const struct event_set *live_events(const struct live *l);
/* The kernel's id of an event there; 0: not open. */
u64 live_id(const struct live *l, const struct event *ev, size_t cpu, size_t thread);
/*
 * 0; 1 when the event was not opened there (a thread that had gone, a CPU that
 * the event does not belong to): c is zero and says whether it is supported
 * elsewhere; -errno.  Members of a group that are read right after their leader
 * come from the same instant.
 */
int live_read(struct live *l, const struct event *ev, size_t cpu, size_t thread,
	      struct live_count *c);

/*
 * How long an event was enabled and how long it counted, in ns, over all CPUs, threads and what
 * they inherited.  With live_options.times, for events that sample.
 */
struct live_times {
	u64 enabled, running; /* running <= enabled */
};
enum live_timed {
	LIVE_NOT_TIMED,     /* it is not open anywhere */
	LIVE_TIMES_UNKNOWN, /* the kernel was not asked, or its answer does not tell */
	LIVE_TIMED,
};
enum live_timed live_times(struct live *l, const struct event *ev, struct live_times *out);
/*
 * Events are about to be switched one by one: what needs a clock that is common to all events is
 * not known from here on.
 */
void live_forget_clocks(struct live *l);

/* Rings */
size_t live_ring_count(const struct live *l);
u64 live_ring_size(const struct live *l);             /* data bytes of one ring */
int live_ring_fd(const struct live *l, size_t ring);  /* for poll; -1 when its tasks ended */
s32 live_ring_cpu(const struct live *l, size_t ring); /* whose events write to it; -1: any */
/* Its CPU is not one of the target's: only events with all_cpus feed it. */
bool live_ring_is_added(const struct live *l, size_t ring);
/* After POLLHUP on its fd: look for another event that still feeds it; false: none. */
bool live_ring_next_fd(struct live *l, size_t ring);
/*
 * What a ring holds, in at most two pieces; live_ring_done() gives it back to
 * the kernel.  Whole records.
 */
struct ring_data {
	const u8 *first, *second; /* second NULL unless the data wraps */
	size_t first_size, second_size;
};
bool live_ring_get(struct live *l, size_t ring, struct ring_data *d);
void live_ring_done(struct live *l, size_t ring, const struct ring_data *d);
/*
 * For readers that use records where they lie, for longer than until the next call: from now on
 * live_ring_done() only passes over them, and live_ring_free() gives the oldest bytes back to the
 * kernel. All by the thread that reads the ring; its records may be read by any thread until then.
 * Holds until the ring is opened again. false: what live_ring_get() gives of this ring does not
 * last.
 */
bool live_ring_keep(struct live *l, size_t ring);
void live_ring_free(struct live *l, size_t ring, u64 bytes);
/*
 * Events with write_backward have rings of their own that are never full: each
 * holds the newest records, newest first.  Reading stops it for a moment, from
 * get to done; nothing is taken out.
 */
bool live_ring_is_backward(const struct live *l, size_t ring);
bool live_snapshot_get(struct live *l, size_t ring, struct ring_data *d);
/*
 * The same, but only what came since the last call; what was overwritten in between is not counted.
 * False: nothing came, and the ring was not stopped.
 */
bool live_newest_get(struct live *l, size_t ring, struct ring_data *d);
void live_snapshot_done(struct live *l, size_t ring);

/*
 * Events of a CPU that was offline are dead: it looks idle for ever (live/offline.h notices).
 * live_reopen() opens those of a CPU, by its place in the table, again, switched on or off as all
 * others are. Its counts go on from what they were. Its ring is a new one: empty it before, by the
 * thread that reads it, and call loop_rings_changed() afterwards. Records of the new events have
 * the ids of the old ones. When it fails, the CPU has no events.
 */
/* false: of tasks, AUX areas, rings that are overwritten */
bool live_can_reopen(const struct live *l);
int live_reopen(struct live *l, size_t cpu, struct reason *r) MUST_CHECK;

/*
 * AUX areas (aux.c), beside the ring of each place where an event that traces is
 * open.  Only a thread that reads a ring reads its area.
 */
enum { AUX_INTEL_PT = 1, AUX_INTEL_BTS, AUX_CS_ETM, AUX_ARM_SPE, AUX_S390_CPUMSF, AUX_HISI_PTT };
/* The type of trace that an event writes, as in AUXTRACE_INFO; 0 if it writes none. */
u32 live_aux_type(const struct event *ev);
u32 live_aux_pmu_type(const char *pmu); /* the same of all events of a PMU */
struct aux_data {
	const u8 *first, *second; /* second NULL unless the data wraps */
	u64 first_size, second_size;
	u64 offset; /* bytes of this area before it */
};
/* What came since the last live_aux_done(). */
bool live_aux_get(struct live *l, size_t ring, struct aux_data *d);
void live_aux_done(struct live *l, size_t ring, const struct aux_data *d);
/* Of an area that is overwritten the newest bytes, most of them (0: all); stop the event before. */
bool live_aux_snapshot(struct live *l, size_t ring, u64 most, struct aux_data *d);
pid_t live_ring_thread(const struct live *l, size_t ring); /* the thread that feeds it; -1: any */

/* How the CPU's counter of cycles becomes ns of events' times. */
struct live_clock {
	bool known;  /* zero holds */
	bool narrow; /* the counter has fewer than 64 bits: cycles and mask hold */
	u16 shift;
	u32 mult;
	u64 zero, cycles, mask;
};
/* False when this machine has no such relation. */
bool live_clock(const struct live *l, struct live_clock *c);

#endif
