// SPDX-License-Identifier: GPL-2.0-or-later
/* Lives, rows and CPUs. */
#include <string.h>

#include "tasks/internal.h"

static u32 intern(struct tasks *t, const char name[16])
{
	return strtab_add_n(&t->comms, name, strnlen(name, 16));
}

static struct tasks_row *add_row(struct tasks *t, struct tasks_life *l, u32 comm)
{
	struct tasks_row *row;
	u32 number;

	if (t->spare_rows.count) {
		row = t->spare_rows.items[--t->spare_rows.count];
		number = row->number;
	} else {
		row = arena_alloc(&t->memory, sizeof(*row));
		number = t->row_count++;
	}
	*row = (struct tasks_row){
		.number = number, .serial = t->row_serial++, .comm = comm, .life = l
	};
	return row;
}

/* Returns memory and a number for one more. */
static struct tasks_life *take_life(struct tasks *t)
{
	struct tasks_life *l;

	if (t->spare.count)
		return t->spare.items[--t->spare.count];
	l = arena_alloc(&t->memory, sizeof(*l));
	l->number = (u32)t->lives.count;
	vec_push(&t->lives, l);
	return l;
}

static bool may_go(const struct tasks *t, const struct tasks_life *l)
{
	vec_for_each(&t->cpus, c)
		if (c->current == l ||
		    (!c->switched && c->tid == l->tid)) /* the state of the CPU depends on it */
			return false;
	return t->o.ops->forget(t->o.arg, l);
}

/* Forgets a life. Returns false if it has to stay for now. */
static bool forget(struct tasks *t, struct tasks_life *l)
{
	struct tasks_life **slot = tasks_slot(t, l->tid);

	if (!may_go(t, l))
		return false;
	if (slot && *slot == l)
		*slot = NULL;
	t->wrong_sums += !tasks_life_adds_up(t, l);
	for (struct tasks_row *row = l->rows; row; row = row->next)
		vec_push(&t->spare_rows, row);
	l->rows = l->row = NULL;
	l->forgotten = true;
	vec_push(&t->spare, l);
	return true;
}

/*
 * Tries again to forget some lives that had to stay. For each life that ends, at most one is added
 * and more than one is tried, so all that may go will soon be gone.
 */
static void forget_delayed(struct tasks *t)
{
	enum { TRIES = 4 };

	for (int i = 0; i < TRIES && t->delayed.count; i++) {
		size_t at = t->next_delayed++ % t->delayed.count;

		if (forget(t, t->delayed.items[at]))
			t->delayed.items[at] = t->delayed.items[--t->delayed.count];
	}
}

/* Keeps a life that has ended; the one that ended ENDED_LIVES before it may go. */
static void keep_for_a_while(struct tasks *t, struct tasks_life *l)
{
	if (!t->o.ops->forget)
		return;
	if (t->ended.count < ENDED_LIVES) {
		vec_push(&t->ended, l);
		return;
	}
	forget_delayed(t);
	if (!forget(t, t->ended.items[t->oldest]))
		vec_push(&t->delayed, t->ended.items[t->oldest]);
	t->ended.items[t->oldest] = l;
	t->oldest = (t->oldest + 1) % ENDED_LIVES;
}

struct tasks_life **tasks_odd_slot(const struct tasks *t, u32 tid)
{
	return (struct tasks_life **)map64_get(&t->by_odd_tid, tid);
}

static struct tasks_life **put_slot(struct tasks *t, u32 tid)
{
	u32 page = tid / TID_PAGE;

	if (page >= TID_PAGES)
		return (struct tasks_life **)map64_put(&t->by_odd_tid, tid, NULL);
	if (!t->by_tid[page])
		t->by_tid[page] = xcalloc(TID_PAGE, sizeof(struct tasks_life *));
	return &t->by_tid[page][tid % TID_PAGE];
}

struct tasks_life *tasks_life_begin(struct tasks *t, u32 tid, u64 time)
{
	struct tasks_life **slot = put_slot(t, tid), *before = *slot, *l;

	if (before && !before->ended) { /* its end was lost */
		before->state = TASKS_UNKNOWN;
		before->ahead.woken = 0;
		tasks_life_end(t, before, time);
	}
	l = take_life(t);
	*l = (struct tasks_life){
		.number = l->number,
		.tid = tid,
		.pid = UINT32_MAX,
		.ppid = UINT32_MAX,
		.cpu = UINT32_MAX,
		.waker = UINT32_MAX,
		.sent = UINT32_MAX,
		.gaps = t->gaps.count,
	};
	if (time) {
		l->begin = l->since = time;
		l->state = l->ahead.why = TASKS_READY;
	}
	l->rows = l->row = add_row(t, l, 0);
	*slot = l;
	return l;
}

struct tasks_life *tasks_now(const struct tasks *t, u32 tid)
{
	struct tasks_life **slot = tasks_slot(t, tid);

	return slot ? *slot : NULL;
}

void tasks_life_end(struct tasks *t, struct tasks_life *l, u64 time)
{
	if (l->seen) {
		tasks_reckon_losses(t, l);
		tasks_settle(t, l, time);
	}
	l->ended = true;
	l->end = time;
	keep_for_a_while(t, l);
}

void tasks_life_name(struct tasks *t, struct tasks_life *l, const char *name, size_t len, u64 time)
{
	char wanted[16] = { 0 };
	u32 comm;

	memcpy(wanted, name, MIN(len, sizeof(wanted) - 1));
	if (!memcmp(wanted, l->name, sizeof(wanted)))
		return;
	memcpy(l->name, wanted, sizeof(wanted));
	memset(l->told, 0xff, sizeof(l->told));
	comm = intern(t, wanted);
	/* the name from before its first event, or the first one, needs no new row */
	if (!l->seen || !l->row->comm) {
		l->row->comm = comm;
		return;
	}
	tasks_settle(t, l, time);
	for (struct tasks_row *row = l->rows; row; row = row->next)
		if (row->comm == comm) {
			l->row = row;
			return;
		}
	l->row = add_row(t, l, comm);
	l->row->next = l->rows->next;
	l->rows->next = l->row;
}

struct tasks_cpu *tasks_new_cpu_at(struct tasks *t, u32 cpu)
{
	if (cpu >= MOST_CPUS)
		return NULL;
	while (t->cpus.count <= cpu)
		vec_push_zero(&t->cpus);
	return &t->cpus.items[cpu];
}

size_t tasks_life_count(const struct tasks *t)
{
	return t->lives.count;
}

struct tasks_life *tasks_life_by_number(const struct tasks *t, size_t number)
{
	return t->lives.items[number];
}

const struct tasks_cpu *tasks_cpus(const struct tasks *t, size_t *count)
{
	*count = t->cpus.count;
	return t->cpus.items;
}

const char *tasks_comm(const struct tasks *t, u32 comm)
{
	return strtab_get(&t->comms, comm);
}

const struct tasks_stats *tasks_stats(const struct tasks *t)
{
	return &t->stats;
}

const struct tracer_stats *tasks_tracer_stats(const struct tasks *t)
{
	return &t->tracer_stats;
}
