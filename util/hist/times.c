// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds which events of a recording are times of tasks: how long they ran, and how long they
 * waited.
 */
#include <string.h>

#include "base/perf_abi.h"
#include "event/event.h"
#include "hist/internal.h"

static bool is_clock(const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_SOFTWARE && (ev->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
						       ev->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

/*
 * Reports whether the processor counts the event while it runs, so its frequency applies as long as
 * a task runs.
 */
static bool is_of_processor(const struct event *ev)
{
	return ev->attr.type != PERF_TYPE_SOFTWARE && ev->attr.type != PERF_TYPE_TRACEPOINT &&
	       ev->attr.type != PERF_TYPE_BREAKPOINT && ev->attr.flags & ATTR_FREQ;
}

/*
 * Reports whether the event's samples can be added to times. Sets the ns of a sample, or 0 if its
 * periods are ns.
 */
static bool is_time(const struct event *ev, u64 *ns_per_sample)
{
	*ns_per_sample = 0;
	if (is_clock(ev) && (ev->attr.sample_type & PERF_SAMPLE_PERIOD))
		return true;
	if (ev->attr.sample_period && is_of_processor(ev))
		*ns_per_sample = 1000000000 / ev->attr.sample_period;
	else if (is_clock(ev))
		*ns_per_sample = ev->attr.flags & ATTR_FREQ && ev->attr.sample_period
					 ? 1000000000 / ev->attr.sample_period
					 : ev->attr.sample_period;
	return *ns_per_sample > 0;
}

/* Reports whether ev is the better choice: a clock is better than a frequency. */
static bool is_better(const struct event *ev, const struct event *than)
{
	return !than || (is_clock(ev) && !is_clock(than));
}

bool hist_times_find(const struct hist *h, struct hist_times *t)
{
	u64 ns;

	*t = (struct hist_times){ 0 };
	for (size_t i = 0; i < hist_view_count(h); i++) {
		const struct hist_view *v = hist_view(h, i);

		for (u32 m = 0; m < v->member_count; m++) {
			const struct event *ev = v->members[m];

			if (!v->totals[m].samples)
				continue;
			if (!t->waited && event_is_wait(ev)) {
				t->waited = ev;
			} else if (!event_is_wait(ev) && is_better(ev, t->ran) &&
				   is_time(ev, &ns)) {
				t->ran = ev;
				t->ns_per_sample = ns;
			}
		}
	}
	return t->waited != NULL;
}

u64 hist_times_ns(const struct hist_times *t, u32 event, u64 period, u64 samples)
{
	return t->ran && event == t->ran->index && t->ns_per_sample ? samples * t->ns_per_sample
								    : period;
}
