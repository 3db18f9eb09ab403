// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts of a run, and the sums of its workers' counts. */
#include "session/internal.h"

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
	} else if (!(rec->misc & PERF_RECORD_MISC_LOST_SAMPLES_BPF)) { /* dropped on purpose */
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
	else if (rec->type == PERF_RECORD_EVENT_UPDATE)
		data_take_time(&c->times, set, rec);
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
	struct short_chains *known;

	if (c->short_last >= c->short_chains.count ||
	    c->short_chains.items[c->short_last].image != more->image) {
		bool added = false;
		u64 *at = map64_put(&c->short_by_image, more->image, &added);

		if (added) {
			*at = c->short_chains.count;
			vec_push(&c->short_chains, *more);
			return;
		}
		c->short_last = (u32)*at;
	}
	known = &c->short_chains.items[c->short_last];
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
	while (into->times.list.count < from->times.list.count)
		vec_push_zero(&into->times.list);
	for (size_t i = 0; i < from->times.list.count; i++)
		if (from->times.list.items[i].state != DATA_TIME_NONE)
			into->times.list.items[i] = from->times.list.items[i];
}

const struct data_times *session_times(const struct session *s)
{
	return &s->counts.times;
}

void counts_sweep(struct counts *c, const bool *named)
{
	struct counts left = { 0 };

	for (size_t i = 0; i < c->stack_ends.space; i++) {
		const struct map64_slot *s = &c->stack_ends.slots[i];
		u64 image = s->key >> 8;

		if (s->used)
			*map64_put(&left.stack_ends,
				   (named[image] ? image : 0) << 8 | (s->key & 0xff), NULL) +=
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
	c->short_last = 0;
	c->short_chains.items = left.short_chains.items;
	c->short_chains.count = left.short_chains.count;
	c->short_chains.space = left.short_chains.space;
}

void counts_release(struct counts *c)
{
	vec_release(&c->events);
	vec_release(&c->times.list);
	map64_release(&c->stack_ends);
	vec_release(&c->short_chains);
	map64_release(&c->short_by_image);
	*c = (struct counts){ 0 };
}
