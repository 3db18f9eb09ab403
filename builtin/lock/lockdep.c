// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The events of lockdep: each task takes a lock by acquire [contended] acquired release.
 *
 * For a trylock or a reader, acquire alone is enough; readers may take the lock several times.
 * What does not follow this order (an event was lost, a lock is handed to another task) marks
 * the lock as broken, and the sequence is forgotten.
 */
#include <stdlib.h>
#include <string.h>

#include "builtin/lock/internal.h"

enum { FLAG_TRY = 1, FLAG_READ = 2 }; /* the flags of lock_acquire */

enum stage {
	STAGE_NONE, /* not seen so far, or released */
	STAGE_WANTED,
	STAGE_WAITING,
	STAGE_HELD,
	STAGE_SHARED,
};

struct sequence {
	u64 addr, task, time;
	u32 readers;
	enum stage stage;
};

/* What an event is about. */
struct event_of {
	struct lock_result *res;
	const struct session_sample *s;
	u64 key;
	struct sequence *seq;
	struct lock_row *row;
};

static struct lock_row *dep_row(struct lock_result *res, const struct tracer_hit *hit, u64 addr)
{
	const struct session_sample *s = tracer_hit_sample(hit);
	bool added, by_task = res->l->by == LOCK_BY_TASK;
	struct lock_row *row = lock_row_put(&res->rows, by_task ? lock_life_key(s) : addr, &added);
	const char *text;
	char *name;
	u32 len;

	if (!added)
		return row;
	row->addr = addr;
	row->tid = s->sample->id.tid;
	if (by_task) {
		row->name =
			printable_copy(history_comm_text(session_history(res->session), s->comm));
	} else {
		text = tracer_text(hit, DEP_NAME, &len);
		name = xstrndup(text, len);
		row->name = printable_copy(name);
		free(name);
	}
	return row;
}

static bool begin(struct event_of *e, struct lock_result *res, const struct tracer_hit *hit)
{
	u64 addr = tracer_u64(hit, DEP_ADDR), task;

	e->res = res;
	e->s = tracer_hit_sample(hit);
	if (!lock_task_wanted(res, e->s->sample))
		return false;
	task = lock_task_key(e->s);
	lock_task_met(res, e->s);
	e->row = dep_row(res, hit, addr);
	e->key = hash_combine(task, addr);
	e->seq = tracer_state(&res->pending, e->key);
	if (e->seq->task != task || e->seq->addr != addr)
		*e->seq = (struct sequence){ .task = task, .addr = addr };
	return true;
}

static void forget(struct event_of *e)
{
	tracer_state_drop(&e->res->pending, e->key);
}

/* Counts a lock as broken, once, and forgets its state. */
static void broken(struct event_of *e, enum lock_fault fault)
{
	if (!e->row->broken)
		e->res->faults[fault]++;
	e->row->broken = true;
	forget(e);
}

static void enter(struct event_of *e, enum stage stage)
{
	e->seq->stage = stage;
	e->seq->time = e->s->key.time;
}

int lock_on_acquire(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	u32 flags = (u32)tracer_u64(hit, DEP_FLAGS);
	struct event_of e;

	(void)r;
	if (!begin(&e, arg, hit))
		return 0;
	if (e.seq->stage == STAGE_NONE && !(flags & (FLAG_TRY | FLAG_READ))) {
		enter(&e, STAGE_WANTED);
	} else if (e.seq->stage == STAGE_NONE) {
		enter(&e, STAGE_SHARED);
		e.seq->readers = 1;
		e.row->acquired++;
	} else if (e.seq->stage == STAGE_SHARED && flags & FLAG_READ) {
		e.seq->readers++;
		e.row->acquired++;
	} else {
		broken(&e, FAULT_ACQUIRE);
	}
	return 0;
}

int lock_on_acquired(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct event_of e;

	(void)r;
	if (!begin(&e, arg, hit))
		return 0;
	switch (e.seq->stage) {
	case STAGE_NONE: /* it was wanted before the recording began */
		return 0;
	case STAGE_WAITING:
		if (e.s->key.time >= e.seq->time)
			lock_row_waited(e.row, e.s->key.time - e.seq->time);
		else
			e.res->backwards++;
		break;
	case STAGE_WANTED:
		break;
	default:
		broken(&e, FAULT_ACQUIRED);
		return 0;
	}
	e.row->acquired++;
	enter(&e, STAGE_HELD);
	return 0;
}

int lock_on_contended(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct event_of e;

	(void)r;
	if (!begin(&e, arg, hit) || e.seq->stage == STAGE_NONE)
		return 0;
	if (e.seq->stage != STAGE_WANTED) {
		broken(&e, FAULT_CONTENDED);
		return 0;
	}
	e.row->contended++;
	enter(&e, STAGE_WAITING);
	return 0;
}

int lock_on_release(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct event_of e;

	(void)r;
	if (!begin(&e, arg, hit))
		return 0;
	switch (e.seq->stage) {
	case STAGE_SHARED:
		if (--e.seq->readers)
			return 0;
		break;
	case STAGE_NONE:
	case STAGE_HELD:
		break;
	default:
		broken(&e, FAULT_RELEASE);
		return 0;
	}
	forget(&e);
	return 0;
}
