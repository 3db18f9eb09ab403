// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads how far each counter went since its last reading, from samples with the values of counters
 * (PERF_SAMPLE_READ).
 *
 * Without inherit, an id identifies a counter. Inherited counters share the id of the one they were
 * inherited from, and each task counts from 0 (since Linux 6.12, where samples have a TID). Then an
 * id and one life of a task identify a counter. An id also identifies a counter of all tasks of a
 * CPU: the kernel ignores inherit there.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/perf_abi.h"
#include "session/internal.h"

struct readings {
	struct map64 numbers;           /* id of an event -> a small number */
	struct map64 last;              /* task << 32 | number -> value */
	VEC(struct session_step) steps; /* of the current sample */
	u64 takeovers;                  /* how many takeovers of the history were applied */
};

enum { ANY_TASK = UINT32_MAX };

static bool counts_by_task(const struct history *h, const struct sample *s)
{
	const struct perf_event_attr *attr = &s->event->attr;

	return attr->flags & ATTR_INHERIT && attr->sample_type & PERF_SAMPLE_TID &&
	       !history_counts_cpu(h, s->id.id);
}

/*
 * Returns the task whose counters these are. The thread of a virtual CPU counts on the host, even
 * while it runs the guest.
 */
static u32 counting_task(struct deliver *d, const struct sample *s, const struct order_key *key)
{
	struct history *h = d->s->history;
	u32 machine = history_machine_by_id(h, PERF_RECORD_MISC_USER, s->id.pid, s->id.id);

	return history_recall(h, &d->recent, machine, s->id.pid, s->id.tid, key)->task->id;
}

static u64 *last_of(struct readings *rd, u32 task, u64 id)
{
	bool added;
	u64 *number = map64_put(&rd->numbers, id, &added);

	if (added)
		*number = rd->numbers.count;
	return map64_put(&rd->last, (u64)task << 32 | *number, NULL);
}

/* Lets a thread that took over another task's id continue from that task's counts. */
static void take_over(struct readings *rd, const struct history_takeover *t)
{
	for (u64 n = 1; n <= rd->numbers.count; n++) {
		u64 key = (u64)t->from << 32 | n, *found = map64_get(&rd->last, key);
		u64 value = found ? *found : 0;

		*map64_put(&rd->last, (u64)t->task << 32 | n, NULL) = value;
		map64_remove(&rd->last, key);
	}
}

static void follow_takeovers(struct readings *rd, const struct history *h,
			     const struct order_key *until)
{
	const struct history_takeover *t;
	u64 dropped;

	while ((t = history_takeover(h, rd->takeovers, &dropped)) &&
	       order_key_cmp(&t->at, until) <= 0) {
		take_over(rd, t);
		rd->takeovers++;
	}
	rd->takeovers = MAX(rd->takeovers, dropped);
}

/*
 * Returns how far a counter went since the last reading. A counter never goes back; if a task's
 * does, the records of its start were lost.
 */
static u64 step_to(u64 *last, u64 value, bool by_task)
{
	u64 before = *last;

	if (value < before && !by_task)
		return 0; /* the records were out of order */
	*last = value;
	return value < before ? value : value - before;
}

size_t deliver_steps(struct deliver *d, const struct order_key *key,
		     const struct session_step **steps)
{
	const struct sample *s = &d->sample;
	bool by_task = counts_by_task(d->s->history, s);
	u32 task = by_task ? counting_task(d, s, key) : (u32)ANY_TASK;
	/* without an id, it is the sample's own counter */
	bool own = !(s->read_format & (PERF_FORMAT_ID | PERF_FORMAT_GROUP));
	struct readings *rd = d->s->readings;

	if (!rd)
		rd = d->s->readings = xcalloc(1, sizeof(*rd));
	vec_clear(&rd->steps);
	follow_takeovers(rd, d->s->history, key);
	/* -1 stands for any task that has been released */
	for (u64 i = 0; i < s->read_count && !(by_task && s->id.tid == UINT32_MAX); i++) {
		struct sample_read_value v = sample_read(d->s->set, s, i);
		const struct event *ev = own ? s->event : event_by_id(d->s->set, v.id);

		if (ev)
			vec_push(&rd->steps,
				 (struct session_step){
					 ev, step_to(last_of(rd, task, own ? s->id.id : v.id),
						     v.value, by_task) });
	}
	*steps = rd->steps.items;
	return rd->steps.count;
}

static bool any_change(const struct session_sample *s, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (s->steps[i].change)
			return true;
	return false;
}

bool session_is_first_step(const struct session_sample *s)
{
	return !any_change(s, 0, s->step);
}

bool session_is_last_step(const struct session_sample *s)
{
	return !any_change(s, s->step + 1, s->step_count);
}

bool readings_have_task(const struct readings *rd, u32 task)
{
	for (u64 n = 1; rd && n <= rd->numbers.count; n++)
		if (map64_get(&rd->last, (u64)task << 32 | n))
			return true;
	return false;
}

void readings_forget_ended(struct readings *rd, const struct history *h, u64 before)
{
	const struct order_key until = { .time = before };
	VEC(u64) ended = { 0 };

	if (rd)
		follow_takeovers(rd, h, &until);
	for (size_t i = 0; rd && i < rd->last.space; i++) {
		const struct map64_slot *slot = &rd->last.slots[i];
		u32 task = (u32)(slot->key >> 32);
		u64 end = slot->used && task != ANY_TASK
				  ? history_ended_at(h, history_task_by_id(h, task))
				  : 0;

		if (end && end < before)
			vec_push(&ended, slot->key);
	}
	vec_for_each(&ended, key)
		map64_remove(&rd->last, *key);
	vec_release(&ended);
}

void readings_free(struct readings *rd)
{
	if (!rd)
		return;
	map64_release(&rd->numbers);
	map64_release(&rd->last);
	vec_release(&rd->steps);
	free(rd);
}
