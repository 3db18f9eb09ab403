// SPDX-License-Identifier: GPL-2.0-or-later
/* Running, waiting and blocked tasks: intervals from util/tasks become cells. */
#include "builtin/timechart/internal.h"

static u32 new_row(struct scene *s, const struct tasks_row *of)
{
	struct row row = { .pid = of->life->tid, .parent = of->life->ppid, .lane = NOBODY };

	while (s->row_of.count <= of->number)
		vec_push(&s->row_of, 0);
	row.name = strtab_add(&s->names, tasks_comm(s->tasks, of->comm));
	for (int i = 0; i < IO_KINDS; i++)
		row.io[i] = NOBODY;
	vec_push(&s->rows, row);
	s->row_of.items[of->number] = (u32)s->rows.count;
	return (u32)s->rows.count - 1;
}

/* Returns the picture's row for a row of tasks. */
static u32 row_of(struct scene *s, const struct tasks_row *of)
{
	u32 known = of->number < s->row_of.count ? s->row_of.items[of->number] : 0;

	return likely(known) ? known - 1 : new_row(s, of);
}

static void on_interval(void *arg, const struct tasks_interval *i)
{
	static const enum cell_part parts[TASKS_STATES] = {
		[TASKS_RUNNING] = PART_RUN,
		[TASKS_READY] = PART_WAIT,
		[TASKS_PREEMPTED] = PART_WAIT,
		[TASKS_BLOCKED] = PART_BLOCKED,
	};
	struct scene *s = arg;
	bool runs = i->state == TASKS_RUNNING;
	struct cpu_row *c = runs ? scene_cpu(s, i->cpu) : NULL;
	u32 number, chain;
	struct row *row;

	if (!i->life || i->state == TASKS_UNKNOWN || i->state == TASKS_SLEEPING)
		return; /* nothing is drawn for them */
	number = row_of(s, i->row);
	row = &s->rows.items[number];
	row->first = row->first ? row->first : i->from;
	row->last = i->to;
	chain = runs && s->now == i->to ? s->now_chain : 0;
	scene_part(s, scene_lane(s, &row->lane), parts[i->state], i->from, i->to, runs ? i->cpu : 0,
		   chain);
	if (!runs)
		return;
	row->run += i->to - i->from;
	if (c)
		scene_part(s, scene_lane(s, &c->lane), PART_RUN, i->from, i->to, number, chain);
}

void scene_wakeup(struct scene *s, u64 time, u32 waker, bool interrupt, u32 wakee)
{
	const struct tasks_life *to = tasks_now(s->tasks, wakee);
	const struct tasks_life *from = interrupt || !waker ? NULL : tasks_now(s->tasks, waker);

	if (!to || !to->row || to->state == TASKS_RUNNING || (!interrupt && (!from || !from->row)))
		return;
	scene_wake(s, &(struct wake){ time, from ? row_of(s, from->row) : NOBODY,
				      row_of(s, to->row) });
}

static void on_lost(void *arg, const struct tracer_gap *gap)
{
	struct scene *s = arg;

	(void)gap;
	s->gaps++;
}

const struct tasks_ops timechart_tasks = { .sample = scene_sample,
					   .interval = on_interval,
					   .lost = on_lost };
