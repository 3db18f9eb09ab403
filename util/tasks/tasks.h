/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who ran, who waited, and why: tasks and CPUs followed through the sched tracepoints.
 *
 *	t = tasks_new(&(struct tasks_settings){ .ops = &ops, .arg = &state });
 *	err = tasks_run(t, session, &reason);	// ops are called in order of time
 *	... tasks_lives(t), tasks_cpus(t): sums of the whole window
 *	tasks_free(t);
 *
 * A *life* is one task from its fork to its last switch: a tid that is used again has several.
 * A *row* is the part of a life under one name: exec and prctl begin a new one.
 * A life is always in one state.  For each life the times in all states make the time that it
 * lived in the window, for each CPU busy + idle + unknown make the window; both are exact.
 *
 * The rules (tests/unit/test_tasks.c has a recording for each):
 *  - What ran on a CPU at the beginning of the recording is what its first switch takes away; what
 *    ran at the end is what its last switch brought.
 *  - A task that comes to a CPU without a wake-up since the begin was waiting for one from
 *    the begin.
 *  - sched_waking can come before the switch that puts the task to sleep; that wake-up counts
 *    from the switch, unless another one follows.  Any other wake-up of a task that runs or is
 *    ready says nothing.
 *  - After records of a CPU were lost, what ran there and every task that was not running on
 *    another CPU is in an unknown state until it is seen again.  The same holds for tasks that a
 *    switch contradicts (stats.contradictions).
 *  - A task that waits for a CPU and is woken once more has run and slept unseen, and what was sent
 *    to a CPU of which nothing was recorded may have run there: unknown until it is seen again.
 *  - Where sched_stat_runtime reports a task that runs on a CPU to which it was not switched, that
 *    switch was not recorded: it came as long before as the task has run.
 *  - A new task is ready from its sched_wakeup_new, or from its fork where that was not recorded.
 *
 * Units: ns of the recording's clock.  One thread.  Errors: -errno with a reason.
 * Source of the events' meaning: include/trace/events/sched.h, kernel/sched/core.c.
 */
#ifndef TASKS_TASKS_H
#define TASKS_TASKS_H

#include "session/session.h"
#include "tracer/tracer.h"

enum tasks_state {
	TASKS_UNKNOWN,
	TASKS_RUNNING,
	TASKS_READY,     /* woken or new, waits for a CPU */
	TASKS_PREEMPTED, /* had to leave the CPU, waits for one */
	TASKS_SLEEPING,  /* S, I, T, t, P: waits for something to happen */
	TASKS_BLOCKED,   /* D: waits for something that must happen, for example a disk */
	TASKS_STATES,
};

struct tasks_sums {
	u64 ns[TASKS_STATES];
};

struct tasks_life;

struct tasks_row {
	u32 number; /* 0, 1, ... in order of appearance, unless lives are forgotten */
	u64 serial; /* in order of appearance in any case */
	u32 comm;   /* tasks_comm() */
	struct tasks_life *life;
	struct tasks_row *next; /* the next row of the same life */
	struct tasks_sums sums;
	/* the part of the time in TASKS_BLOCKED spent on I/O, from sched_stat_iowait */
	u64 iowait;
};

/* The time from one stay on a CPU to the next. */
struct tasks_wait {
	u64 out;   /* switched out; 0 if not seen */
	u64 woken; /* ready from then on; 0 if not seen; equals out after a preemption */
	u64 moved; /* last migration while it was ready, or 0 */
	u64 in;    /* switched in; 0 if that stay began before the recording or was not seen */
	/* run time since out that other CPUs reported, though no switch in was recorded */
	u64 accounted;
	/* something after the recording's start was not recorded: a time of 0 is unknown */
	bool unseen;
	u64 iowait;
	enum tasks_state why; /* PREEMPTED, SLEEPING, BLOCKED; READY: a new task; UNKNOWN */
	char letter;          /* the letter of the state at out; 0 if unknown */
};

struct tasks_life {
	u32 number;         /* 0, 1, ... in order of appearance, unless lives are forgotten */
	u32 tid, pid, ppid; /* UINT32_MAX if unknown */
	bool seen;          /* by a sched event; of others only the name is known */
	bool ended;         /* its last switch was seen, or another life of its tid began */
	bool exiting;
	bool forgotten;               /* its number will be reused */
	struct tasks_row *rows, *row; /* the first one, and that of its current name */

	enum tasks_state state;
	u64 since;               /* in this state; a wake-up since then is in ahead.woken */
	u64 begin;               /* the beginning of the life, or of the window */
	u64 end;                 /* once it has ended */
	u32 cpu;                 /* where it runs or last ran; UINT32_MAX if unknown */
	struct tasks_wait wait;  /* before its last stay on a CPU */
	struct tasks_wait ahead; /* since its last stay, so far */
	u64 migrations;
	/* the kernel's, at the last switch: 0-99 real time, 100-139 others, -1 deadline */
	s32 prio;
	u64 woke;  /* time of a wake-up while it ran, or 0 */
	u32 waker; /* tid of the last waker; UINT32_MAX if unknown */
	u32 sent;  /* the CPU where it last ran, was woken to or moved to; UINT32_MAX if unknown */
	u64 sent_at;
	char name[16]; /* as in the kernel, padded with NUL */
	/* if it is from a switch: the bytes there, which may differ after a NUL */
	char told[16];
	size_t gaps; /* how many losses were taken into account */
};

struct tasks_cpu {
	bool met;                   /* any sample of it */
	u64 sent;                   /* wake-ups and moves of tasks to it */
	bool switched;              /* any switch of it */
	bool known;                 /* current runs there */
	u32 tid;                    /* the tid of the last sample */
	struct tasks_life *current; /* NULL if idle */
	u64 since;                  /* when current came, or since when it is unknown */
	u64 whole; /* if not known: the time since which nothing was lost; 0 if unknown */
	u64 busy, idle, unknown;
};

struct tasks_switch {
	const struct tracer_hit *hit;
	u64 time;
	u32 cpu;
	struct tasks_life *prev, *next; /* NULL for the idle task */
	const char *state;              /* the state of prev: "S", "R+", ... */
	/*
	 * How long prev ran, or the CPU was idle. It counts from the beginning of the recording if
	 * it started before, and is 0 if unknown.
	 */
	u64 ran;
	/* not recorded: from the idle task or, if unseen, from an unknown one, some time ago */
	bool inferred;
	bool unseen; /* the start of prev is unknown: ran is 0 */
};

struct tasks_wakeup {
	const struct tracer_hit *hit;
	struct tasks_life *life;
	bool fresh; /* sched_wakeup_new */
};

struct tasks_move {
	const struct tracer_hit *hit;
	struct tasks_life *life;
	u32 from, to;
};

struct tasks_interval {
	struct tasks_life *life; /* NULL for the idle task */
	struct tasks_row *row;
	enum tasks_state state;
	u64 from, to; /* inside the window */
	u32 cpu;      /* the CPU, in TASKS_RUNNING */
};

/* Any of them may be NULL. */
struct tasks_ops {
	/* Called for every sample, also of other events, before it changes any state. */
	int (*sample)(void *arg, const struct session_point *p, struct reason *r);
	/*
	 * Called after both tasks have their new states; prev->wait and prev->ran describe its last
	 * stay.
	 */
	int (*switched)(void *arg, const struct tasks_switch *s, struct reason *r);
	int (*woken)(void *arg, const struct tasks_wakeup *w, struct reason *r);
	int (*moved)(void *arg, const struct tasks_move *m, struct reason *r);
	/* Called with a whole stay in a state, when it ends. */
	void (*interval)(void *arg, const struct tasks_interval *i);
	void (*lost)(void *arg, const struct tracer_gap *gap);
	/*
	 * If not NULL, lives that ended long ago are forgotten, so memory grows with the tasks that
	 * live simultaneously, not with all that lived. Called before a life goes, whose number and
	 * those of its rows will be reused. Returns false to keep it for now; it is asked again
	 * later, so refusing must change nothing.
	 */
	bool (*forget)(void *arg, const struct tasks_life *l);
};

struct tasks_settings {
	const struct tasks_ops *ops;
	void *arg;
	/* the command that records what is needed, or NULL: perf sched record */
	const char *record;
	u64 from, until;                          /* the window; until 0: up to the end */
	const struct tracepoint_formats *formats; /* replaces the recording's; the caller owns it */
	bool optional; /* a stream may turn out to have no switches: accept other samples */
	bool chains;   /* samples need their call chains, tasks and locations */
	/* bits of states of tasks for which ops->interval() is not needed */
	u32 no_intervals;
};

struct tasks_stats {
	/* times of the window, as far as the recording reaches; first > last if it does not */
	u64 first, last;
	u64 begin, end; /* times of the recording's first and last event */
	u64 switches, wakeups;
	u64 contradictions; /* switches that contradict what was known */
	u64 inferred;       /* unrecorded switches that follow from run times */
	u64 unwoken;        /* waits whose wake-up was not seen; they count as sleep */
	u64 in_doubt;       /* states that losses, and CPUs without events, made unknown */
};

struct tasks;

struct tasks *tasks_new(const struct tasks_settings *s);
void tasks_free(struct tasks *t);
int tasks_run(struct tasks *t, struct session *s, struct reason *r) MUST_CHECK;

const struct tasks_stats *tasks_stats(const struct tasks *t);
const struct tracer_stats *tasks_tracer_stats(const struct tasks *t);
size_t tasks_life_count(const struct tasks *t);
/* Returns a life; with ops->forget() it may be a forgotten one. */
struct tasks_life *tasks_life_by_number(const struct tasks *t, size_t number);
/* Returns CPUs 0 .. count - 1; those without samples are zero. */
const struct tasks_cpu *tasks_cpus(const struct tasks *t, size_t *count);
/* Returns the task that has this tid now, or NULL. */
struct tasks_life *tasks_now(const struct tasks *t, u32 tid);
const char *tasks_comm(const struct tasks *t, u32 comm);
/* Reports whether all sums add up; if not, a condition says what does not. */
bool tasks_check_sums(const struct tasks *t, struct context *ctx);

/* ---- states, as prev_state has them ---- */

enum { TASKS_LETTERS = 24 };
struct tasks_letters {
	u64 bit[TASKS_LETTERS];
	char letter[TASKS_LETTERS];
	u32 count;
	u64 preempted; /* the bit of "R+" */
};
/*
 * Reads the letters from the print format of sched_switch; if it is NULL or has no table, uses
 * those of Linux 4.14 and later.
 */
void tasks_letters_parse(struct tasks_letters *l, const char *print_fmt);
/* Returns the letter, '?' for a bit without one. Sets *preempted if it could have continued. */
char tasks_letter(const struct tasks_letters *l, u64 state, bool *preempted);

#endif
