// SPDX-License-Identifier: GPL-2.0-or-later
/* What timehist stores about CPUs and tasks, and which tasks it shows. */
#include "builtin/sched/timehist.h"

static bool among(const u32 *list, size_t count, u32 n)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == n)
			return true;
	return !list;
}

bool timehist_wants(const struct timehist *th, const struct tasks_life *l)
{
	if (!l)
		return !th->pids && !th->tids && !th->prios;
	return among(th->pids, th->pid_count, l->pid) && among(th->tids, th->tid_count, l->tid) &&
	       among(th->prios, th->prio_count, (u32)l->prio);
}

void stays_add(struct stays *s, u64 ns)
{
	double off = (double)ns - s->mean;

	s->least = s->count ? MIN(s->least, ns) : ns;
	s->most = MAX(s->most, ns);
	s->count++;
	s->sum += ns;
	s->mean += off / (double)s->count;
	s->squares += off * ((double)ns - s->mean);
}

void stays_close(struct stays *s)
{
	if (s->to)
		stays_add(s, s->to - s->from);
	s->to = 0;
}

void stays_close_unknown(struct stays *s, u64 ended)
{
	s->unknown++;
	if (s->to != ended)
		return;
	s->seen += s->to - s->from;
	s->to = 0;
}

void stays_add_part(struct stays *s, u64 from, u64 to)
{
	if (s->to != from) { /* else its name changed while it ran */
		stays_close(s);
		s->from = from;
	}
	s->to = to;
}

struct stays *timehist_stays(struct timehist *th, const struct tasks_life *l)
{
	while (th->stays.count <= l->number)
		vec_push_zero(&th->stays);
	return &th->stays.items[l->number];
}

struct timehist_cpu *timehist_cpu(struct timehist *th, u32 cpu)
{
	while (th->cpus.count <= cpu)
		vec_push_zero(&th->cpus);
	return &th->cpus.items[cpu];
}
