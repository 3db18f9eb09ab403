// SPDX-License-Identifier: GPL-2.0-or-later
/* The rules: how events change the states of tasks and CPUs. */
#include "tasks/internal.h"

/* Handles the first sched event of a task, which lives since its fork, or from the beginning. */
static void tasks_see(struct tasks *t, struct tasks_life *l)
{
	if (l->seen)
		return;
	l->seen = true;
	l->gaps = t->gaps.count;
	if (!l->begin)
		l->begin = l->since = t->origin;
	/* a loss can have hidden everything so far */
	l->ahead.out = 0;
}

/* Makes the state unknown, because a switch contradicts that the task runs, or that it does not. */
static void contradict(struct tasks *t, struct tasks_life *l, u64 time)
{
	l->state = TASKS_UNKNOWN;
	l->ahead = (struct tasks_wait){ .why = TASKS_UNKNOWN, .unseen = true };
	l->woke = 0;
	tasks_settle(t, l, time);
}

static void doubt_cpu(struct tasks *t, u32 number, u64 time)
{
	struct tasks_cpu *c = &t->cpus.items[number];

	tasks_add_cpu(t, c, number, TASKS_CPU_UNKNOWN, c->since, time);
	c->known = false;
	c->since = time;
	c->whole = 0;
}

static bool is_dead(char letter)
{
	return letter == 'X' || letter == 'Z' || letter == 'x';
}

static enum tasks_state state_of(char letter, bool preempted)
{
	if (preempted)
		return TASKS_PREEMPTED;
	switch (letter) {
	case '?':
		return TASKS_UNKNOWN;
	case 'D':
	case 'K':
		return TASKS_BLOCKED;
	default:
		return TASKS_SLEEPING;
	}
}

/* Ends a run on this CPU, from the time when it is known. */
static void ran_until(struct tasks *t, struct tasks_life *l, struct tasks_cpu *c,
		      const struct tasks_switch *s)
{
	bool first = !c->switched && !c->whole;
	bool known = l->seen && l->state == TASKS_RUNNING && l->cpu == s->cpu;

	if (first && !l->begin) {
		l->state = TASKS_RUNNING;
		l->ahead = (struct tasks_wait){ 0 };
	} else if (first && l->since == t->origin && l->begin == t->origin &&
		   l->state == TASKS_UNKNOWN) {
		/* it ran all the time, so a wake-up meanwhile did not end a sleep */
		l->state = TASKS_RUNNING;
	} else if (!known) {
		tasks_see(t, l);
		tasks_reckon_losses(t, l);
		l->wait = (struct tasks_wait){ .why = TASKS_UNKNOWN, .unseen = true };
		/* anything unseen came after its wake-up */
		if (l->ahead.woken && l->state != TASKS_RUNNING)
			tasks_settle(t, l, MIN(l->ahead.woken, s->time));
		contradict(t, l, !c->known && c->whole > l->since ? c->whole : s->time);
		if (!c->known && c->whole)
			l->state = TASKS_RUNNING;
		else if (c->known || c->switched)
			t->stats.contradictions++;
	}
	l->cpu = s->cpu;
	tasks_see(t, l);
	tasks_settle(t, l, s->time);
}

static void cpu_out(struct tasks *t, struct tasks_cpu *c, struct tasks_switch *s)
{
	enum tasks_cpu_use use = s->prev ? TASKS_CPU_BUSY : TASKS_CPU_IDLE;
	bool first = !c->switched && !c->whole;

	if (first || (c->known && c->current == s->prev)) {
		u64 since = first ? t->origin : c->since;

		s->ran = s->time - MIN(since, s->time);
		tasks_add_cpu(t, c, s->cpu, use, since, s->time);
		return;
	}
	s->ran = 0;
	s->unseen = true;
	if (c->known) { /* the task that came next was not seen */
		struct tasks_life *was = c->current;

		t->stats.contradictions++;
		if (was && was->state == TASKS_RUNNING && was->cpu == s->cpu)
			contradict(t, was, s->time);
		doubt_cpu(t, s->cpu, s->time);
		return;
	}
	tasks_add_cpu(t, c, s->cpu, TASKS_CPU_UNKNOWN, c->since, c->whole ? c->whole : s->time);
	if (c->whole)
		tasks_add_cpu(t, c, s->cpu, use, MAX(c->whole, c->since), s->time);
}

void tasks_switch_out(struct tasks *t, struct tasks_switch *s, char letter, bool preempted)
{
	struct tasks_cpu *c = &t->cpus.items[s->cpu];
	struct tasks_life *l = s->prev;

	cpu_out(t, c, s);
	if (!l)
		return;
	ran_until(t, l, c, s);
	l->gaps = t->gaps.count;
	l->state = state_of(letter, preempted);
	l->ahead = (struct tasks_wait){
		.out = s->time, .why = l->state, .letter = letter, .woken = preempted ? s->time : 0
	};
	if (is_dead(letter))
		tasks_life_end(t, l, s->time);
}

/* Ends a wait: it was not on a CPU up to now. */
static void waited_until(struct tasks *t, struct tasks_life *l, const struct tasks_switch *s)
{
	struct tasks_wait *w = &l->ahead;
	bool first = !l->seen;

	tasks_see(t, l);
	if (first && !w->woken && l->state == TASKS_UNKNOWN && t->wakes && !t->gaps.count) {
		/* it was not woken since the beginning: it was ready then */
		l->state = TASKS_READY;
	} else if (l->state == TASKS_READY && !w->woken) {
		w->woken = l->since;
	} else if ((l->state == TASKS_SLEEPING || l->state == TASKS_BLOCKED) && !w->woken) {
		if (l->woke)
			w->woken = w->out;
		else
			t->stats.unwoken++;
	}
	tasks_settle(t, l, s->time);
	if (w->why == TASKS_BLOCKED)
		l->row->iowait += MIN(w->iowait, s->time - MIN(w->out, s->time));
}

void tasks_switch_in(struct tasks *t, const struct tasks_switch *s)
{
	struct tasks_cpu *c = &t->cpus.items[s->cpu];
	struct tasks_life *l = s->next;

	if (l) {
		tasks_reckon_losses(t, l);
		if (l->seen && l->state == TASKS_RUNNING) {
			struct tasks_cpu *other = &t->cpus.items[l->cpu];

			t->stats.contradictions++;
			if (l->cpu != s->cpu && other->known && other->current == l)
				doubt_cpu(t, l->cpu, s->time);
			contradict(t, l, s->time);
		}
		waited_until(t, l, s);
		l->wait = l->ahead;
		l->wait.in = s->time;
		l->ahead = (struct tasks_wait){ 0 };
		l->state = TASKS_RUNNING;
		l->since = s->time;
		l->woke = 0;
		l->cpu = l->sent = s->cpu;
	}
	c->current = l;
	c->since = s->time;
	c->known = c->switched = true;
	c->whole = 0;
}

/* Makes the state unknown if it may have run where nothing was recorded. */
static void doubt_place(struct tasks *t, struct tasks_life *l)
{
	if (likely(l->sent >= t->cpus.count || t->cpus.items[l->sent].met) || !l->seen ||
	    l->state == TASKS_RUNNING)
		return;
	t->stats.in_doubt += l->state != TASKS_UNKNOWN;
	tasks_forget(t, l, l->sent_at);
}

void tasks_send(struct tasks *t, struct tasks_life *l, u32 cpu, u64 time)
{
	struct tasks_cpu *c = tasks_cpu_at(t, cpu);

	if (!c)
		return;
	/* a wake-up itself ends a stay; one that immediately sends it elsewhere is not a stay */
	if (l->ahead.woken != time && (!l->ahead.woken || l->ahead.woken != l->sent_at))
		doubt_place(t, l);
	c->sent++;
	l->sent = cpu;
	l->sent_at = time;
}

/*
 * Reports whether it ran unseen. A wake-up is of a sleeping task: one that was ready has run since
 * then.
 */
static bool ran_unseen(const struct tasks_life *l, u64 time)
{
	u64 since = l->ahead.woken ? l->ahead.woken : l->since;

	return time > since &&
	       (l->state == TASKS_READY ||
		(l->ahead.woken && (l->state == TASKS_SLEEPING || l->state == TASKS_BLOCKED)));
}

void tasks_wake(struct tasks *t, struct tasks_life *l, u64 time)
{
	tasks_reckon_losses(t, l);
	tasks_see(t, l);
	doubt_place(t, l);
	if (ran_unseen(l, time)) {
		t->stats.in_doubt++;
		tasks_forget(t, l, l->ahead.woken);
	}
	if (l->state == TASKS_RUNNING)
		l->woke = time;
	else if (l->state == TASKS_UNKNOWN || (!l->ahead.woken && l->state != TASKS_READY))
		l->ahead.woken = MAX(time, l->since);
}

bool tasks_infer(struct tasks *t, struct tasks_switch *s)
{
	const struct tasks_cpu *c = &t->cpus.items[s->cpu];
	struct tasks_life *l = s->next;

	if (!c->known || !l->seen || l->ended || l->state == TASKS_RUNNING)
		return false;
	s->time -= MIN(l->ahead.accounted, s->time);
	s->time = MAX(MAX(s->time, c->since), MAX(l->since, l->ahead.woken));
	s->inferred = true;
	s->state = "R";
	t->stats.inferred++;
	tasks_switch_out(t, s, 'R', true);
	tasks_switch_in(t, s);
	return true;
}

static void lose_cpu(struct tasks *t, u32 number, const struct tracer_gap *gap)
{
	struct tasks_cpu *c = &t->cpus.items[number];
	struct tasks_life *l = c->known ? c->current : NULL;
	u64 from;

	if (!c->known && !c->whole && !c->switched)
		c->since = t->origin;
	from = MAX(gap->from, c->since);
	if (c->known)
		tasks_add_cpu(t, c, number, l ? TASKS_CPU_BUSY : TASKS_CPU_IDLE, c->since, from);
	else
		tasks_add_cpu(t, c, number, TASKS_CPU_UNKNOWN, c->since, from);
	if (l && l->state == TASKS_RUNNING && l->cpu == number) {
		t->stats.in_doubt++;
		tasks_forget(t, l, from);
	}
	c->known = false;
	c->since = from;
	c->whole = MAX(gap->until, 1);
}

void tasks_lose(struct tasks *t, const struct tracer_gap *gap)
{
	if (!t->origin) /* before the first sample nothing is known */
		return;
	if (gap->cpu != UINT32_MAX && tasks_cpu_at(t, gap->cpu)) {
		lose_cpu(t, gap->cpu, gap);
	} else {
		for (u32 i = 0; i < t->cpus.count; i++)
			if (t->cpus.items[i].met)
				lose_cpu(t, i, gap);
	}
	vec_push(&t->gaps, *gap);
}

/* Closes a CPU without any switch: one task was there all the time, or none. */
static void close_unswitched(struct tasks *t, struct tasks_cpu *c, u32 number)
{
	struct tasks_life *l = c->tid && c->tid != UINT32_MAX ? tasks_now(t, c->tid) : NULL;

	if (c->tid == UINT32_MAX ||
	    (l && l->seen && !(l->state == TASKS_UNKNOWN && l->since == t->origin))) {
		tasks_add_cpu(t, c, number, TASKS_CPU_UNKNOWN, t->origin, t->now);
		return;
	}
	tasks_add_cpu(t, c, number, c->tid ? TASKS_CPU_BUSY : TASKS_CPU_IDLE, t->origin, t->now);
	if (!c->tid)
		return;
	l = tasks_life_of(t, c->tid);
	tasks_see(t, l);
	l->state = TASKS_RUNNING;
	l->cpu = number;
}

static void close_cpu(struct tasks *t, struct tasks_cpu *c, u32 number)
{
	if (!c->met)
		return;
	if (c->known)
		tasks_add_cpu(t, c, number, c->current ? TASKS_CPU_BUSY : TASKS_CPU_IDLE, c->since,
			      t->now);
	else if (c->switched || c->whole)
		tasks_add_cpu(t, c, number, TASKS_CPU_UNKNOWN, c->since, t->now);
	else
		close_unswitched(t, c, number);
}

void tasks_close(struct tasks *t)
{
	for (u32 i = 0; i < t->cpus.count; i++)
		close_cpu(t, &t->cpus.items[i], i);
	vec_for_each(&t->lives, l) {
		if (!(*l)->seen || (*l)->ended)
			continue;
		tasks_reckon_losses(t, *l);
		doubt_place(t, *l);
		tasks_settle(t, *l, t->now);
	}
	t->stats.begin = t->origin;
	t->stats.end = t->now;
	t->stats.first = MAX(t->origin, t->o.from);
	t->stats.last = t->o.until ? MIN(t->now, t->o.until) : t->now;
}
