// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Adds elapsed time to the state in which it was spent, and handles states that losses make
 * unknown.
 */
#include "tasks/internal.h"

static bool clip(const struct tasks *t, u64 *from, u64 *to)
{
	*from = MAX(*from, t->o.from);
	if (t->o.until)
		*to = MIN(*to, t->o.until);
	return *from < *to;
}

static inline __attribute__((always_inline)) void add(struct tasks *t, struct tasks_life *l,
						      enum tasks_state state, u64 from, u64 to)
{
	if (!clip(t, &from, &to))
		return;
	l->row->sums.ns[state] += to - from;
	if (t->o.ops->interval && !(t->o.no_intervals >> state & 1)) {
		struct tasks_interval i = { l, l->row, state, from, to, l->cpu };

		t->o.ops->interval(t->o.arg, &i);
	}
}

void tasks_add_cpu(struct tasks *t, struct tasks_cpu *c, u32 number, enum tasks_cpu_use use,
		   u64 from, u64 to)
{
	struct tasks_interval i = { NULL, NULL, TASKS_RUNNING, from, to, number };

	if (!clip(t, &i.from, &i.to))
		return;
	*(use == TASKS_CPU_BUSY   ? &c->busy
	  : use == TASKS_CPU_IDLE ? &c->idle
				  : &c->unknown) += i.to - i.from;
	if (use == TASKS_CPU_IDLE && t->o.ops->interval)
		t->o.ops->interval(t->o.arg, &i);
}

void tasks_settle(struct tasks *t, struct tasks_life *l, u64 time)
{
	u64 woken = l->state == TASKS_RUNNING || l->state == TASKS_PREEMPTED ? 0 : l->ahead.woken;

	if (woken && woken <= time) {
		add(t, l, l->state, l->since, woken);
		l->since = MAX(l->since, woken);
		l->state = TASKS_READY;
	}
	add(t, l, l->state, l->since, time);
	l->since = MAX(l->since, time);
}

void tasks_forget(struct tasks *t, struct tasks_life *l, u64 from)
{
	tasks_settle(t, l, MAX(from, l->since));
	l->state = TASKS_UNKNOWN;
	l->ahead = (struct tasks_wait){ .why = TASKS_UNKNOWN, .unseen = true };
	l->woke = 0;
}

void tasks_reckon_new_losses(struct tasks *t, struct tasks_life *l)
{
	const struct tracer_gap *gap;

	/* first seen here: tasks_see() begins it after all losses */
	if (!l->begin)
		return;
	gap = &t->gaps.items[l->gaps];
	l->gaps = t->gaps.count;
	if (l->state == TASKS_RUNNING) /* on a CPU without losses, see lose_cpu() */
		return;
	t->stats.in_doubt += l->state != TASKS_UNKNOWN;
	/* events of it on other CPUs during the gap do not determine what followed */
	tasks_forget(t, l, gap->from);
}

u64 tasks_in_window(const struct tasks *t, u64 begin, u64 end)
{
	begin = MAX(begin, MAX(t->origin, t->o.from));
	end = MIN(end, t->now);
	if (t->o.until)
		end = MIN(end, t->o.until);
	return begin < end ? end - begin : 0;
}

bool tasks_life_adds_up(const struct tasks *t, const struct tasks_life *l)
{
	u64 sum = 0;

	if (!l->seen)
		return true;
	for (const struct tasks_row *row = l->rows; row; row = row->next)
		for (int i = 0; i < TASKS_STATES; i++)
			sum += row->sums.ns[i];
	return sum == tasks_in_window(t, l->begin, l->ended ? l->end : t->now);
}
