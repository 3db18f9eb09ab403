/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the tasks component share. tasks.c turns events into calls of life.c, which has
 * the rules; table.c holds lives, rows and CPUs; letters.c reads prev_state.
 */
#ifndef TASKS_INTERNAL_H
#define TASKS_INTERNAL_H

#include "base/hash.h"
#include "tasks/tasks.h"

enum {
	MOST_CPUS = 1 << 16,
	TID_PAGE = 1 << 12,
	TID_PAGES = 1 << 10, /* no larger tids exist on Linux */
	ENDED_LIVES = 1024,  /* how many are kept: wake-ups and names may still refer to them */
};

struct tasks {
	struct tasks_settings o;
	struct tasks_stats stats;
	u64 origin, now; /* times of the first and the last sample; origin 0 if none */
	struct session *session;
	struct tracer *tracer;
	struct tracer_stats tracer_stats;
	bool bound; /* letters are those of the recording */
	struct tasks_letters letters;
	struct arena memory;
	struct strtab comms;
	/* the current lives; pages NULL until needed */
	struct tasks_life **by_tid[TID_PAGES];
	struct map64 by_odd_tid; /* -> struct tasks_life *, for larger tids */
	VEC(struct tasks_life *) lives;
	u32 row_count;
	u64 row_serial;
	/*
	 * with ops->forget: the last ones that ended; the one at `oldest` goes next once there are
	 * enough; memory for new ones
	 */
	VEC(struct tasks_life *) ended;
	size_t oldest;
	VEC(struct tasks_life *) delayed; /* those that could not go in their turn */
	/* tries so far; modulo their number, the index of the next try */
	size_t next_delayed;
	VEC(struct tasks_life *) spare;
	VEC(struct tasks_row *) spare_rows;
	u64 wrong_sums; /* of lives that were forgotten */
	VEC(struct tasks_cpu) cpus;
	VEC(struct tracer_gap) gaps;
	bool wakes;  /* the recording has wake-ups */
	bool waking; /* it has sched_waking, which gives the exact time */
};

/* ---- table.c ---- */

/* Returns the current life of tid; a new one if none continues. */
static inline struct tasks_life *tasks_life_of(struct tasks *t, u32 tid);
/* Begins a new life of tid; the one before has ended. */
struct tasks_life *tasks_life_begin(struct tasks *t, u32 tid, u64 time);
void tasks_life_end(struct tasks *t, struct tasks_life *l, u64 time);
/* Returns where a tid's life is kept once it has one, or NULL. */
struct tasks_life **tasks_odd_slot(const struct tasks *t, u32 tid);
static inline struct tasks_life **tasks_slot(const struct tasks *t, u32 tid)
{
	u32 page = tid / TID_PAGE;

	if (unlikely(page >= TID_PAGES))
		return tasks_odd_slot(t, tid);
	return t->by_tid[page] ? &t->by_tid[page][tid % TID_PAGE] : NULL;
}

static inline struct tasks_life *tasks_life_of(struct tasks *t, u32 tid)
{
	struct tasks_life **slot = tasks_slot(t, tid);

	return likely(slot && *slot && !(*slot)->ended) ? *slot : tasks_life_begin(t, tid, 0);
}

/* Sets its name from now on. */
void tasks_life_name(struct tasks *t, struct tasks_life *l, const char *name, size_t len, u64 time);
/* Returns the CPU, or NULL if the number is too large. */
struct tasks_cpu *tasks_new_cpu_at(struct tasks *t, u32 cpu);
static inline struct tasks_cpu *tasks_cpu_at(struct tasks *t, u32 cpu)
{
	return likely(cpu < t->cpus.count) ? &t->cpus.items[cpu] : tasks_new_cpu_at(t, cpu);
}

/* ---- sums.c ---- */

/* Reports whether the times of its states add up to the time that it lived in the window. */
bool tasks_life_adds_up(const struct tasks *t, const struct tasks_life *l);
/* Returns the part of a time that is in the window, as far as the recording reaches. */
u64 tasks_in_window(const struct tasks *t, u64 begin, u64 end);

/* Adds the time since the last call to the sums; a wake-up meanwhile makes it ready. */
void tasks_settle(struct tasks *t, struct tasks_life *l, u64 time);
/* Makes its state unknown if records were lost since it was last seen. */
void tasks_reckon_new_losses(struct tasks *t, struct tasks_life *l);
static inline void tasks_reckon_losses(struct tasks *t, struct tasks_life *l)
{
	if (unlikely(l->gaps != t->gaps.count))
		tasks_reckon_new_losses(t, l);
}
/* Makes everything since its last event unknown. */
void tasks_forget(struct tasks *t, struct tasks_life *l, u64 from);
enum tasks_cpu_use { TASKS_CPU_BUSY, TASKS_CPU_IDLE, TASKS_CPU_UNKNOWN };
void tasks_add_cpu(struct tasks *t, struct tasks_cpu *c, u32 number, enum tasks_cpu_use use,
		   u64 from, u64 to);

/* ---- life.c ---- */

/* Handles a switch away from a task; sets s->ran. */
void tasks_switch_out(struct tasks *t, struct tasks_switch *s, char letter, bool preempted);
void tasks_switch_in(struct tasks *t, const struct tasks_switch *s);
void tasks_wake(struct tasks *t, struct tasks_life *l, u64 time);
/* Notes that a task was woken to a CPU, or moved there. */
void tasks_send(struct tasks *t, struct tasks_life *l, u32 cpu, u64 time);
/*
 * Infers an unrecorded switch if a task runs on a CPU that seems to be idle since then. Returns
 * false if not.
 */
bool tasks_infer(struct tasks *t, struct tasks_switch *s);
void tasks_lose(struct tasks *t, const struct tracer_gap *gap);
/* Ends the recording. */
void tasks_close(struct tasks *t);

#endif
