/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters that BPF programs read, instead of perf: events with by_bpf.
 *
 *	bpf.c             which events, and the one of three modes that counts them
 *	bpf_counters.c    events opened on every CPU for a program, sums of programs read
 *	bpf_shared.c      an event's counter that several perfs read: opened once, found by name
 *	bpf_tasks.c       --bpf-counters, :b: what shared counters counted on CPUs or in tasks
 *	bpf_cgroups.c     --bpf-counters with --for-each-cgroup: by cgroup
 *	bpf_programs.c    --bpf-prog: in other BPF programs
 *
 * Life: opened and closed with each run. Only the map of shared counters has a name, and the last
 * perf that uses it removes it.
 */
#ifndef BUILTIN_STAT_BPF_H
#define BUILTIN_STAT_BPF_H

#include "bpf/bpf.h"
#include "bpf/counter.h"
#include "builtin/stat/internal.h"

struct stat_bpf;

struct stat_bpf_mode {
	int (*open)(struct stat_bpf *b, struct reason *r);
	/* Updates the sums to the present. */
	void (*refresh)(struct stat_bpf *b);
	void (*enable)(struct stat_bpf *b, bool on);
	/* As live_read(). */
	int (*read)(struct stat_bpf *b, const struct event *ev, size_t cpu, size_t thread,
		    struct live_count *c);
	void (*close)(struct stat_bpf *b);
};
extern const struct stat_bpf_mode stat_bpf_tasks, stat_bpf_cgroups, stat_bpf_programs;

/* Events open on every CPU, to be read by a program. */
struct counted {
	struct event_set set;
	struct live *live;
};

struct task_counters;
struct cgroup_counters;
struct program_counters;

struct stat_bpf {
	struct stat_session *q;
	const struct stat_bpf_mode *mode;
	bool read, ran;             /* sums were read; they had some time */
	VEC(struct event *) events; /* the events of the session's set, in its order */
	u32 *online;                /* CPUs */
	size_t online_count;
	u32 *possible; /* CPUs, in the order of the values of per-CPU maps */
	size_t possible_count;
	struct counter_value *values; /* one element of such a map */
	/* the one that the mode needs */
	struct task_counters *tasks;
	struct cgroup_counters *cgroups;
	struct program_counters *programs;
};

/* bpf_counters.c */
int counted_open(struct stat_bpf *b, struct event *const *events, size_t count, struct counted *c,
		 struct reason *r);
/* Returns how many descriptors a map needs to contain all: those of CPU 0, of CPU 1 and so on. */
u32 counted_places(const struct stat_bpf *b, const struct counted *c);
/* Puts them there and lets them count. */
int counted_start(struct counted *c, int events_map, struct reason *r);
bool counted_is_supported(const struct counted *c, size_t event);
void counted_close(struct counted *c);
/* Reads an element of a per-CPU map of counter_value, for one CPU or (-1) summed over all. */
int counter_read_sum(struct stat_bpf *b, int sums, u32 index, s32 cpu, struct live_count *c);
/* Runs a program on every CPU. */
void counter_run_everywhere(const struct stat_bpf *b, int program);
/*
 * Attaches a program to a software event of every CPU, to be run once in each period: descriptors
 * of the events in *fds (as many as CPUs online), to be closed by counter_unhook().
 */
int counter_hook(const struct stat_bpf *b, u64 software_event, u64 period, int program, int **fds,
		 struct reason *r);
void counter_unhook(const struct stat_bpf *b, int *fds);
/*
 * Warns, with a count for each cause, of what the programs could not count; state NULL: they were
 * not loaded.
 */
void counter_say_missing(struct context *ctx, struct bpf_run *run,
			 const struct counter_state *state);

/* bpf_shared.c */
struct shared_counter {
	int events;     /* the map of its descriptors, by CPU; -1: not open */
	int users;      /* a map that is there as long as somebody counts */
	bool supported; /* false: this machine does not have the event */
	struct perf_event_attr key;
};
int shared_counter_get(struct stat_bpf *b, struct event *ev, struct shared_counter *s,
		       struct reason *r);
/*
 * Drops a use of the counter, which ends with its last user; then its row leaves the table of
 * shared counters.
 */
void shared_counter_put(struct stat_bpf *b, struct shared_counter *s);

#endif
