// SPDX-License-Identifier: GPL-2.0-or-later
/* What the recorder knows of how true a recording is, without reading it. */
#include <string.h>

#include "record/internal.h"
#include "record/offcpu.h"
#include "truth/truth.h"

/* Its samples become those of another event: waits. */
static bool is_consumed(const struct recorder *rec, const struct event *ev)
{
	return rec->settings->off_cpu_by_switches && event_is_tracepoint(ev) && ev->name &&
	       !strcmp(ev->name, OFF_CPU_SWITCH);
}

/* Samples of each event are counted only where several events take samples. */
static u64 samples_of(const struct recorder *rec, const struct event *ev)
{
	const struct record_counts *c = &rec->counts;

	if (is_consumed(rec, ev))
		return 0;
	if (rec->counts_events)
		return ev->index < c->of_event.count ? c->of_event.items[ev->index] : 0;
	return truth_takes_samples(ev) ? c->samples : 0;
}

void record_find_truth(const struct recorder *rec, struct truth *t)
{
	truth_release(t);
	vec_for_each(&rec->set->list, it) {
		const struct event *ev = *it;
		struct live_times times;
		struct data_time time = { 0 };

		time.state = record_time_state(live_times(rec->live, ev, &times));
		time.enabled = times.enabled;
		time.running = times.running;
		vec_push(&t->events,
			 (struct truth_event){
				 .name = ev->name,
				 .event = ev->index,
				 .samples = samples_of(rec, ev),
				 .counts = truth_takes_samples(ev) && !is_consumed(rec, ev),
				 .times = truth_times_of(ev, &time),
			 });
		t->samples += vec_last(&t->events)->samples;
	}
	t->lost = MAX(rec->counts.lost, rec->counts.lost_samples);
	t->throttled = rec->counts.throttled;
	t->delivered = rec->counts.samples;
}

/* The id's place in samples, if it is the same in those of all events; 0: it is not. */
static u16 place_of_id(const struct event_set *set)
{
	const u64 before = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
	u64 type = set->list.items[0]->attr.sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		return 8;
	return (u16)(8 + 8 * __builtin_popcountll(type & before));
}

void record_count_events(const struct recorder *rec, struct record_own *own)
{
	if (!rec->counts_events)
		return;
	own->set = rec->set;
	own->id_at = place_of_id(record_written_set(rec));
}

void record_count_sample(struct record_counts *c, const struct event *ev)
{
	while (c->of_event.count <= ev->index)
		vec_push_zero(&c->of_event);
	c->of_event.items[ev->index]++;
}

bool record_has_several(const struct event_set *set)
{
	size_t count = 0;

	vec_for_each(&set->list, it)
		count += truth_takes_samples(*it);
	return count > 1;
}
