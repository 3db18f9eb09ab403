// SPDX-License-Identifier: GPL-2.0-or-later
/* What a truth holds, wherever its counts come from: shares in percent, times of events. */
#include <stdlib.h>

#include "base/perf_abi.h"
#include "data/times.h"
#include "event/event.h"
#include "truth/internal.h"

double truth_percent(const struct truth_share *s)
{
	return s->all ? 100.0 * (double)s->good / (double)s->all : 100;
}

static double share_of(u64 part, u64 rest)
{
	return part ? 100.0 * (double)part / ((double)part + (double)rest) : 0;
}

double truth_lost_percent(const struct truth *t)
{
	return share_of(t->lost, t->delivered);
}

double truth_throttled_percent(const struct truth *t)
{
	return share_of(t->throttled, t->delivered);
}

double truth_multiplexed_percent(const struct truth_event *e)
{
	return share_of(e->times.enabled - e->times.running, e->times.running);
}

bool truth_counts(const struct truth_event *e)
{
	return e->counts || e->samples;
}

const struct truth_event *truth_most_multiplexed(const struct truth *t)
{
	const struct truth_event *most = NULL;

	vec_for_each(&t->events, e)
		if (truth_counts(e) && e->times.state == TRUTH_KNOWN &&
		    (!most || truth_multiplexed_percent(e) > truth_multiplexed_percent(most)))
			most = e;
	return most;
}

struct truth_times truth_times_of(const struct event *ev, const struct data_time *time)
{
	bool values = ev->attr.sample_type & PERF_SAMPLE_READ;

	switch (time->state) {
	case DATA_TIME_KNOWN:
		return (struct truth_times){ .enabled = time->enabled, .running = time->running };
	case DATA_TIME_UNKNOWN:
		return (struct truth_times){
			.state = TRUTH_UNKNOWN,
			.why = values ? "its samples hold counts without times"
				      : "the recorder could not ask the kernel for its times",
			.cure = values ? "record with --running-time" : NULL,
		};
	default:
		return (struct truth_times){ .state = TRUTH_NOT_APPLICABLE,
					     .why = "no counter is needed for it" };
	}
}

bool truth_takes_samples(const struct event *ev)
{
	bool dummy = ev->attr.type == PERF_TYPE_SOFTWARE && ev->attr.config == PERF_COUNT_SW_DUMMY;

	return !dummy && ev->attr.sample_period;
}

static void share_release(struct truth_share *s)
{
	vec_for_each(&s->causes, c)
		truth_cause_release(c);
	vec_release(&s->causes);
}

void truth_release(struct truth *t)
{
	vec_for_each(&t->events, e) {
		share_release(&e->whole);
		share_release(&e->named);
	}
	vec_release(&t->events);
	*t = (struct truth){ 0 };
}
