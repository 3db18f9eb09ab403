/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tasks component's own view of itself.
 *
 * tasks.c turns events into calls of life.c, which has the rules; table.c holds lives, rows and
 * CPUs; letters.c reads prev_state.
 */
#ifndef TASKS_INTERNAL_H
#define TASKS_INTERNAL_H

#include "base/hash.h"
#include "tasks/tasks.h"

enum {
	MOST_CPUS = 1 << 16,
	TID_PAGE = 1 << 12,
	TID_PAGES = 1 << 10, /* Linux has no greater tids than these hold */
	ENDED_LIVES = 1024,  /* so many are kept: wake-ups and names may still be of them */
};

struct tasks {
	struct tasks_settings o;
	struct tasks_stats stats;
	u64 origin, now; /* times of the first and the last sample; origin 0: none came */
	struct session *session;
	struct tracer *tracer;
	struct tracer_stats tracer_stats;
	bool bound; /* letters are those of the recording */
	struct tasks_letters letters;
	struct arena memory;
	struct strtab comms;
	/* the lives of now; pages NULL until one is needed */
	struct tasks_life **by_tid[TID_PAGES];
	struct map64 by_odd_tid; /* -> struct tasks_life *, for larger tids */
	VEC(struct tasks_life *) lives;
	u32 row_count;
	u64 row_serial;
	/*
	 * ops->forget: those that ended last, of which the one at `oldest` goes next once there are
	 * enough; memory for new ones
	 */
	VEC(struct tasks_life *) ended;
	size_t oldest;
	VEC(struct tasks_life *) delayed; /* those that could not go when it was their turn */
	/* tries so far; modulo their number it is the one that is tried next */
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

/* The current life of tid; a new one if there is none that goes on. */
static inline struct tasks_life *tasks_life_of(struct tasks *t, u32 tid);
/* A new life of tid; the one before has ended. */
struct tasks_life *tasks_life_begin(struct tasks *t, u32 tid, u64 time);
void tasks_life_end(struct tasks *t, struct tasks_life *l, u64 time);
/* Where a tid's life is kept once it has one, else NULL. */
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

/* Its name from now on. */
void tasks_life_name(struct tasks *t, struct tasks_life *l, const char *name, size_t len, u64 time);
/* NULL: there is no such CPU number. */
struct tasks_cpu *tasks_new_cpu_at(struct tasks *t, u32 cpu);
static inline struct tasks_cpu *tasks_cpu_at(struct tasks *t, u32 cpu)
{
	return likely(cpu < t->cpus.count) ? &t->cpus.items[cpu] : tasks_new_cpu_at(t, cpu);
}

/* ---- sums.c ---- */

/* Do the times of its states make the time that it lived in the window? */
bool tasks_life_adds_up(const struct tasks *t, const struct tasks_life *l);
/* The part of a time that lies in the window, as far as the recording reaches. */
u64 tasks_in_window(const struct tasks *t, u64 begin, u64 end);

/* Adds the time since the last call to the sums; a wake-up meanwhile makes it ready. */
void tasks_settle(struct tasks *t, struct tasks_life *l, u64 time);
/* What was lost since it was seen last makes its state unknown. */
void tasks_reckon_new_losses(struct tasks *t, struct tasks_life *l);
static inline void tasks_reckon_losses(struct tasks *t, struct tasks_life *l)
{
	if (unlikely(l->gaps != t->gaps.count))
		tasks_reckon_new_losses(t, l);
}
/* All since its last event is in doubt. */
void tasks_forget(struct tasks *t, struct tasks_life *l, u64 from);
enum tasks_cpu_use { TASKS_CPU_BUSY, TASKS_CPU_IDLE, TASKS_CPU_UNKNOWN };
void tasks_add_cpu(struct tasks *t, struct tasks_cpu *c, u32 number, enum tasks_cpu_use use,
		   u64 from, u64 to);

/* ---- life.c ---- */

/* Fills s->ran. */
void tasks_switch_out(struct tasks *t, struct tasks_switch *s, char letter, bool preempted);
void tasks_switch_in(struct tasks *t, const struct tasks_switch *s);
void tasks_wake(struct tasks *t, struct tasks_life *l, u64 time);
/* It was woken to a CPU, or moved there. */
void tasks_send(struct tasks *t, struct tasks_life *l, u32 cpu, u64 time);
/* It runs on a CPU that we believe to be idle since then, so a switch was not recorded. */
bool tasks_infer(struct tasks *t, struct tasks_switch *s);
void tasks_lose(struct tasks *t, const struct tracer_gap *gap);
/* The end of the recording. */
void tasks_close(struct tasks *t);

#endif
