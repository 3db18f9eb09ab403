// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long events were enabled, and how long they counted.
 *
 * For events of whole CPUs, and for those that follow a task on all CPUs, the kernel says both. For
 * events of one task on one CPU it lets the enabled time pass on all CPUs, and forgets a part of it
 * whenever an inherited event ends. Such events need a clock: a dummy that follows each thread
 * everywhere, never waits for a counter, and is switched on and off with the events.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "live/internal.h"

/* A software event always counts, unless it waits for others of its group. */
static bool is_software(const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_SOFTWARE || ev->attr.type == PERF_TYPE_TRACEPOINT;
}

static bool never_waits(const struct live *l, const struct event *ev)
{
	vec_for_each(&l->set->list, it)
		if ((*it)->leader == ev->leader && !is_software(*it))
			return false;
	return true;
}

/* Is each event of one task and one CPU? */
static bool by_task_and_cpu(const struct live *l)
{
	return l->threads[0] != -1 && l->cpus[0] != -1;
}

static bool needs_clock(const struct live *l, const struct event *ev)
{
	return !ev->tool && !ev->by_bpf && by_task_and_cpu(l) && !never_waits(l, ev);
}

static const struct event *first_in_need(const struct live *l)
{
	vec_for_each(&l->set->list, it)
		if ((*it)->leader == *it && needs_clock(l, *it))
			return *it;
	return NULL;
}

void live_open_clocks(struct live *l)
{
	const u64 as_the_event = ATTR_DISABLED | ATTR_ENABLE_ON_EXEC | ATTR_INHERIT;
	const struct event *like = l->options.times ? first_in_need(l) : NULL;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = ATTR_SIZE_VER7,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	if (!like)
		return;
	attr.flags = (like->attr.flags & as_the_event) | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
	l->clocks = xcalloc(l->thread_count, sizeof(*l->clocks));
	for (size_t t = 0; t < l->thread_count; t++)
		l->clocks[t] = l->gone[t] ? -1
					  : l->backend->open(l->backend->arg, &attr, l->threads[t],
							     -1, -1, 0);
	l->clock_inherits = attr.flags & ATTR_INHERIT;
	l->clock_runs = !(attr.flags & ATTR_DISABLED);
}

void live_close_clocks(struct live *l)
{
	for (size_t t = 0; l->clocks && t < l->thread_count; t++)
		if (l->clocks[t] >= 0)
			l->backend->close(l->backend->arg, l->clocks[t]);
	free(l->clocks);
	l->clocks = NULL;
}

void live_switch_clocks(struct live *l, bool on)
{
	for (size_t t = 0; l->clocks && t < l->thread_count; t++)
		if (l->clocks[t] >= 0)
			live_control(l, l->clocks[t], on ? IOC_ENABLE : IOC_DISABLE, NULL);
	l->clock_runs = on;
}

bool live_wants_clocks(const struct live *l)
{
	vec_for_each(&l->set->list, it)
		if (l->enabled[(*it)->index] && needs_clock(l, *it))
			return true;
	return false;
}

void live_forget_clocks(struct live *l)
{
	pthread_mutex_lock(&l->lock);
	live_close_clocks(l);
	pthread_mutex_unlock(&l->lock);
}

/* ---- reading ---- */

/* Does the event count wherever the clock counts? */
static bool keeps_to_clock(const struct live *l, const struct event *ev)
{
	return l->clocks && !l->cpus_given && !ev->cpus &&
	       !(ev->attr.flags & ATTR_INHERIT) == !l->clock_inherits;
}

static u64 clock_time(const struct live *l, size_t thread)
{
	u64 words[3] = { 0 };

	if (l->backend->read(l->backend->arg, l->clocks[thread], words, sizeof(words)) !=
	    sizeof(words))
		return 0;
	return words[1];
}

static bool asks_times(const struct live *l, const struct event *ev)
{
	const u64 both = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;

	return (live_read_format(l, ev) & both) == both;
}

/* All counters of a thread. */
static bool add_thread(struct live *l, const struct event *ev, size_t thread, bool *any,
		       struct live_times *sum)
{
	for (size_t c = 0; c < l->cpu_count; c++) {
		struct live_count count;
		int got = live_read(l, ev, c, thread, &count);

		if (got < 0)
			return false;
		if (got)
			continue;
		*any = true;
		sum->enabled += count.enabled;
		sum->running += count.running;
	}
	return true;
}

enum live_timed live_times(struct live *l, const struct event *ev, struct live_times *out)
{
	bool clocked = needs_clock(l, ev), exact = asks_times(l, ev), any = false;
	u64 clock = 0;

	*out = (struct live_times){ 0 };
	exact &= !clocked || keeps_to_clock(l, ev);
	for (size_t t = 0; t < l->thread_count; t++) {
		if (clocked && exact && l->clocks[t] < 0)
			continue;
		if (clocked && exact)
			clock += clock_time(l, t);
		if (!add_thread(l, ev, t, &any, out))
			exact = false;
	}
	if (!any)
		return LIVE_NOT_TIMED;
	if (by_task_and_cpu(l))
		out->enabled = clocked ? clock : out->running;
	/* the clock is read, and switched, a moment before or after the event */
	out->running = MIN(out->running, out->enabled);
	return exact ? LIVE_TIMED : LIVE_TIMES_UNKNOWN;
}
