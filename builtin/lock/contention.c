// SPDX-License-Identifier: GPL-2.0-or-later
/* contention_begin and contention_end: what a task waited for, from the first begin on. */
#include <string.h>

#include "builtin/lock/internal.h"

/* A wait that is open. */
struct wait {
	u64 addr, task, time;
	size_t row; /* index; it stays when rows move */
	bool open;
};

/* Returns the key of the row that a sample belongs to. */
static u64 row_key(struct lock_result *res, const struct session_sample *s, u64 addr, u32 flags)
{
	switch (res->l->by) {
	case LOCK_BY_ADDRESS:
		return addr;
	case LOCK_BY_TASK:
		return lock_life_key(s);
	case LOCK_BY_CGROUP:
		return s->sample->cgroup;
	default:
		/* a mutex spins first, and may then sleep */
		return hash_combine(lock_chain_hash(&res->callers, s),
				    flags & KIND_MUTEX ? KIND_MUTEX : flags);
	}
}

static struct lock_row *begin_row(struct lock_result *res, const struct session_sample *s, u64 addr,
				  u32 flags)
{
	struct lock_chain chain;
	bool added;
	u64 key = row_key(res, s, addr, flags);
	struct lock_row *row = lock_row_put(&res->rows, key, &added);

	if (!added)
		return row;
	row->addr = addr;
	row->flags = flags;
	row->tid = s->sample->id.tid;
	if (res->l->by == LOCK_BY_TASK) {
		row->name =
			printable_copy(history_comm_text(session_history(res->session), s->comm));
	} else {
		lock_chain_read(&res->callers, s, &chain);
		lock_row_name(&res->callers, row, &chain, s->task, &s->key);
	}
	return row;
}

static struct wait *wait_of(struct lock_result *res, const struct session_sample *s, u64 addr)
{
	u64 task = lock_task_key(s);
	struct wait *w = tracer_state(&res->pending, hash_combine(task, addr));

	if (w->task != task || w->addr != addr)
		*w = (struct wait){ .task = task, .addr = addr };
	return w;
}

int lock_on_begin(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct lock_result *res = arg;
	const struct session_sample *s = tracer_hit_sample(hit);
	u64 addr = tracer_u64(hit, BEGIN_ADDR);
	struct lock_row *row;
	struct wait *w;
	int err = lock_filters_open(res, r);

	if (err || !lock_task_wanted(res, s->sample))
		return err;
	w = wait_of(res, s, addr);
	if (w->open || /* a mutex that spun before begins once more */
	    !lock_wait_wanted(res, s, addr, (u32)tracer_u64(hit, BEGIN_FLAGS)))
		return 0;
	lock_task_met(res, s);
	row = begin_row(res, s, addr, (u32)tracer_u64(hit, BEGIN_FLAGS));
	row->contended++;
	*w = (struct wait){ .addr = addr,
			    .task = w->task,
			    .time = s->key.time,
			    .row = (size_t)(row - res->rows.list.items),
			    .open = true };
	return 0;
}

int lock_on_end(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct lock_result *res = arg;
	u64 addr = tracer_u64(hit, END_ADDR),
	    task = lock_task_key_of(tracer_tid(hit), tracer_cpu(hit)), time = tracer_time(hit);
	u64 key = hash_combine(task, addr);
	const struct wait *w = tracer_state_find(&res->pending, key);
	struct lock_row *row;

	(void)r;
	if (!w || !w->open || w->task != task || w->addr != addr)
		return 0;
	row = &res->rows.list.items[w->row];
	if (time < w->time) {
		res->backwards++;
	} else {
		lock_row_waited(row, time - w->time);
		row->acquired++;
	}
	tracer_state_drop(&res->pending, key);
	return 0;
}
