// SPDX-License-Identifier: GPL-2.0-or-later
/* From one record to the command's callback. */
#include <errno.h>

#include "session/internal.h"

void deliver_init(struct deliver *d, struct session *s, const struct session_ops *ops, void *arg,
		  unsigned worker)
{
	*d = (struct deliver){ .s = s, .ops = ops, .arg = arg, .worker = worker };
}

void deliver_pause(struct deliver *d)
{
	counts_merge(&d->s->counts, &d->counts);
	counts_release(&d->counts);
	condition_list_merge(&d->s->ctx->conditions, &d->conditions);
}

void deliver_release(struct deliver *d)
{
	deliver_pause(d);
	vec_release(&d->chain);
	vec_release(&d->joined);
}

/* A sample that cannot be used: said once, with the first one's place. */
static void bad_record(struct deliver *d, const struct record *rec, const struct order_key *key,
		       const struct reason *why)
{
	const char *name = record_type_name(rec->type);

	if (why->err == ENOENT) {
		d->counts.stats.unresolved_id++;
		condition_add(&d->conditions, CONDITION_WARNING, "unknown-event-id", NULL, key, 1,
			      NULL, "samples of an event that the file does not describe");
		return;
	}
	condition_add(&d->conditions, CONDITION_DAMAGE, "bad-record", name, key, 1, NULL,
		      "damaged %s record at offset %#" PRIx64 ": %s", name ? name : "unknown",
		      rec->file_offset, why->text ? why->text : strerror(why->err));
}

void deliver_sideband(struct deliver *d, const struct record *rec, const struct order_key *key)
{
	struct reason r = REASON_INIT;

	if (history_apply(d->s->history, d->s->set, rec, key, &r) < 0)
		bad_record(d, rec, key, &r);
	history_forget(&d->recent);
	reason_release(&r);
}

static bool decode(struct deliver *d, const struct record *rec, const struct order_key *key,
		   struct sample *sample)
{
	struct reason r = REASON_INIT;
	int err = sample_decode(d->s->set, rec, sample, &r);

	if (likely(!err))
		return true;
	r.err = -err;
	bad_record(d, rec, key, &r);
	reason_release(&r);
	return false;
}

static void count_sample(struct counts *c, const struct sample *s)
{
	u32 index = s->event->index;
	u64 time = s->id.time;

	while (unlikely(c->events.count <= index))
		vec_push_zero(&c->events);
	c->events.items[index].samples++;
	c->events.items[index].period += s->period;
	if (time) {
		if (!c->stats.first_time || time < c->stats.first_time)
			c->stats.first_time = time;
		c->stats.last_time = MAX(c->stats.last_time, time);
	}
}

static void count_unplaced(struct deliver *d, const struct sample *s,
			   const struct order_key *key)
{
	if (s->cpumode == PERF_RECORD_MISC_USER && key->time >= d->s->lost_since)
		d->counts.stats.unplaced_after_loss++;
}

int deliver_sample(struct deliver *d, const struct record *rec, const struct order_key *key,
		   struct reason *r)
{
	const struct session_ops *ops = d->ops;
	struct history *h = d->s->history;
	struct session_sample out = { .record = rec, .key = *key };
	struct recent_task *task = NULL;
	struct sample sample;

	if (!decode(d, rec, key, &sample))
		return 0;
	if (ops->filter && !ops->filter(d->arg, &sample, key)) {
		d->counts.stats.filtered++;
		return 0;
	}
	count_sample(&d->counts, &sample);
	if (unlikely(sample_defers(&sample, d->s->set->swap)) && !d->s->keep_deferred && !ops->no_chains)
		deliver_join(d, &sample, key);
	out.sample = &sample;
	if (!ops->no_tasks || !ops->no_locations) {
		task = history_recall(h, &d->recent,
				      history_machine_by_id(h, sample.cpumode, sample.id.pid,
							    sample.id.id),
				      sample.id.pid, sample.id.tid, key);
		out.task = task->task;
	}
	if (task && !ops->no_chains)
		deliver_unwind(d, &sample, out.task, key);
	if (!ops->no_tasks)
		out.comm = task->comm;
	if (!ops->no_locations &&
	    !history_recall_place(h, &d->recent, task, sample.cpumode, sample.ip, key, &out.leaf))
		count_unplaced(d, &sample, key);
	return ops->sample(d->arg, d->worker, &out, r);
}

/* The latest multiple of tick_every up to the record's time, if it was not yet. */
static int tick(struct deliver *d, u64 time, struct reason *r)
{
	u64 every = d->ops->tick_every, now = time - time % every;
	bool first = !d->next_tick;

	if (time < d->next_tick)
		return 0;
	d->next_tick = now + every;
	return first ? 0 : d->ops->tick(d->arg, now, r);
}

static void end_task(struct deliver *d, const struct record *rec, const struct order_key *key)
{
	struct history *h = d->s->history;
	struct record_task t;
	u8 cpumode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	const struct task *task;

	if (record_get_task(d->s->set, rec, &t, NULL))
		return;
	task = history_task(h, history_machine(cpumode, t.pid), t.pid, t.tid, key);
	if (history_ended_at(h, task) == key->time)
		d->ops->task_end(d->arg, task, key);
}

int deliver(struct deliver *d, const struct record *rec, const struct order_key *key,
	    struct reason *r)
{
	int err = d->ops->tick && d->ops->tick_every ? tick(d, key->time, r) : 0;

	if (err)
		return err;
	if (rec->type == PERF_RECORD_EXIT && d->ops->task_end)
		end_task(d, rec, key);
	if (rec->type == PERF_RECORD_SAMPLE && d->ops->sample)
		return deliver_sample(d, rec, key, r);
	if (ops_want(d->ops, rec->type))
		return d->ops->record(d->arg, rec, key, r);
	return 0;
}

/* counts */

static void count_lost(struct session_stats *st, const struct event_set *set,
		       const struct record *rec)
{
	struct record_read read;
	struct record_lost lost;

	if (rec->type == PERF_RECORD_READ) {
		if (!record_get_read(set, rec, &read, NULL))
			st->lost_samples += read.lost;
		return;
	}
	if (record_get_lost(set, rec, &lost, NULL))
		return;
	if (rec->type == PERF_RECORD_LOST) {
		st->lost_events += lost.lost;
		st->lost_chunks++;
	} else if (!(rec->misc & PERF_RECORD_MISC_LOST_SAMPLES_BPF)) { /* those were not asked for */
		st->lost_samples += lost.lost;
	}
}

void counts_record(struct counts *c, const struct event_set *set, const struct record *rec)
{
	struct session_stats *st = &c->stats;

	st->records[MIN(rec->type, ARRAY_SIZE(st->records) - 1)]++;
	st->total++;
	if (likely(rec->type == PERF_RECORD_SAMPLE))
		return;
	if (rec->type == PERF_RECORD_THROTTLE)
		st->throttled++;
	else if (rec->type == PERF_RECORD_LOST || rec->type == PERF_RECORD_LOST_SAMPLES ||
		 rec->type == PERF_RECORD_READ)
		count_lost(st, set, rec);
}

static void stats_merge(struct session_stats *a, const struct session_stats *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(a->records); i++)
		a->records[i] += b->records[i];
	a->total += b->total;
	a->lost_events += b->lost_events;
	a->lost_samples += b->lost_samples;
	a->lost_chunks += b->lost_chunks;
	a->unresolved_id += b->unresolved_id;
	a->filtered += b->filtered;
	a->late += b->late;
	a->dropped += b->dropped;
	a->throttled += b->throttled;
	for (size_t i = 0; i < ARRAY_SIZE(a->stack_ends); i++)
		a->stack_ends[i] += b->stack_ends[i];
	a->unplaced_after_loss += b->unplaced_after_loss;
	if (b->first_time && (!a->first_time || b->first_time < a->first_time))
		a->first_time = b->first_time;
	a->last_time = MAX(a->last_time, b->last_time);
}

static void map64_sum(struct map64 *into, const struct map64 *from)
{
	for (size_t i = 0; i < from->space; i++)
		if (from->slots[i].used)
			*map64_put(into, from->slots[i].key, NULL) += from->slots[i].value;
}

void counts_add_short(struct counts *c, const struct short_chains *more)
{
	bool added = false;
	u64 *at = map64_put(&c->short_by_image, more->image, &added);
	struct short_chains *known;

	if (added) {
		*at = c->short_chains.count;
		vec_push(&c->short_chains, *more);
		return;
	}
	known = &c->short_chains.items[*at];
	known->count += more->count;
	known->low = MIN(known->low, more->low);
	known->high = MAX(known->high, more->high);
}

void counts_merge(struct counts *into, const struct counts *from)
{
	stats_merge(&into->stats, &from->stats);
	map64_sum(&into->stack_ends, &from->stack_ends);
	into->user_chains += from->user_chains;
	vec_for_each(&from->short_chains, c)
		counts_add_short(into, c);
	while (into->events.count < from->events.count)
		vec_push_zero(&into->events);
	for (size_t i = 0; i < from->events.count; i++) {
		into->events.items[i].samples += from->events.items[i].samples;
		into->events.items[i].period += from->events.items[i].period;
	}
}

void counts_sweep(struct counts *c, const bool *named)
{
	struct counts left = { 0 };

	for (size_t i = 0; i < c->stack_ends.space; i++) {
		const struct map64_slot *s = &c->stack_ends.slots[i];
		u64 image = s->key >> 8;

		if (s->used)
			*map64_put(&left.stack_ends, (named[image] ? image : 0) << 8 | (s->key & 0xff), NULL) +=
				s->value;
	}
	vec_for_each(&c->short_chains, s)
		if (named[s->image])
			counts_add_short(&left, s);
	map64_release(&c->stack_ends);
	vec_release(&c->short_chains);
	map64_release(&c->short_by_image);
	c->stack_ends = left.stack_ends;
	c->short_by_image = left.short_by_image;
	c->short_chains.items = left.short_chains.items;
	c->short_chains.count = left.short_chains.count;
	c->short_chains.space = left.short_chains.space;
}

void counts_release(struct counts *c)
{
	vec_release(&c->events);
	map64_release(&c->stack_ends);
	vec_release(&c->short_chains);
	map64_release(&c->short_by_image);
	*c = (struct counts){ 0 };
}
