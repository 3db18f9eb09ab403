// SPDX-License-Identifier: GPL-2.0-or-later
/* Lives, rows and CPUs. */
#include <string.h>

#include "tasks/internal.h"

enum { MOST_CPUS = 1 << 16 };

static u32 intern(struct tasks *t, const char name[16])
{
	return strtab_add_n(&t->comms, name, strnlen(name, 16));
}

static struct tasks_row *add_row(struct tasks *t, struct tasks_life *l, u32 comm)
{
	struct tasks_row *row = arena_alloc(&t->memory, sizeof(*row));

	*row = (struct tasks_row){ .number = t->row_count++, .comm = comm, .life = l };
	return row;
}

struct tasks_life *tasks_life_begin(struct tasks *t, u32 tid, u64 time)
{
	u64 *slot = map64_put(&t->by_tid, tid, NULL);
	struct tasks_life *before = (struct tasks_life *)(uintptr_t)*slot, *l;

	if (before && !before->ended) { /* how it ended was lost */
		before->state = TASKS_UNKNOWN;
		before->ahead.woken = 0;
		tasks_life_end(t, before, time);
	}
	l = arena_alloc(&t->memory, sizeof(*l));
	*l = (struct tasks_life){
		.number = (u32)t->lives.count, .tid = tid, .pid = UINT32_MAX, .ppid = UINT32_MAX,
		.cpu = UINT32_MAX, .waker = UINT32_MAX, .sent = UINT32_MAX, .gaps = t->gaps.count,
	};
	if (time) {
		l->begin = l->since = time;
		l->state = l->ahead.why = TASKS_READY;
	}
	l->rows = l->row = add_row(t, l, 0);
	vec_push(&t->lives, l);
	*slot = (u64)(uintptr_t)l;
	return l;
}

struct tasks_life *tasks_life_of(struct tasks *t, u32 tid)
{
	const u64 *slot = map64_get(&t->by_tid, tid);
	struct tasks_life *l = slot ? (struct tasks_life *)(uintptr_t)*slot : NULL;

	return l && !l->ended ? l : tasks_life_begin(t, tid, 0);
}

struct tasks_life *tasks_now(const struct tasks *t, u32 tid)
{
	const u64 *slot = map64_get(&t->by_tid, tid);

	return slot ? (struct tasks_life *)(uintptr_t)*slot : NULL;
}

void tasks_life_end(struct tasks *t, struct tasks_life *l, u64 time)
{
	if (l->seen) {
		tasks_reckon_losses(t, l);
		tasks_settle(t, l, time);
	}
	l->ended = true;
	l->end = time;
}

void tasks_life_name(struct tasks *t, struct tasks_life *l, const char *name, size_t len, u64 time)
{
	char wanted[16] = { 0 };
	u32 comm;

	memcpy(wanted, name, MIN(len, sizeof(wanted) - 1));
	if (!memcmp(wanted, l->name, sizeof(wanted)))
		return;
	memcpy(l->name, wanted, sizeof(wanted));
	comm = intern(t, wanted);
	/* a name that it had before anything was known of it, or none, needs no row of its own */
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

struct tasks_cpu *tasks_cpu_at(struct tasks *t, u32 cpu)
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

size_t tasks_row_count(const struct tasks *t)
{
	return t->row_count;
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
