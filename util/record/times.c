// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes how long each event was enabled and counted while the current file was written. */
#include <stdlib.h>

#include "base/alloc.h"
#include "record/internal.h"

enum data_time_state record_time_state(enum live_timed timed)
{
	static const enum data_time_state states[] = {
		[LIVE_NOT_TIMED] = DATA_TIME_NONE,
		[LIVE_TIMES_UNKNOWN] = DATA_TIME_UNKNOWN,
		[LIVE_TIMED] = DATA_TIME_KNOWN,
	};

	return states[timed];
}

/* What has passed since the file before this one was closed. */
static struct data_time since_last(struct recorder *rec, const struct event *ev)
{
	struct live_times *before = &rec->timed[ev->index], now;
	struct data_time t = { .state = record_time_state(live_times(rec->live, ev, &now)) };

	if (t.state != DATA_TIME_KNOWN)
		return t;
	t.enabled = now.enabled - MIN(before->enabled, now.enabled);
	t.running = MIN(now.running - MIN(before->running, now.running), t.enabled);
	*before = now;
	return t;
}

int record_write_times(struct recorder *rec, struct reason *r)
{
	struct data_times times = { 0 };
	int err;

	if (!rec->timed)
		rec->timed = xcalloc(rec->set->list.count + 1, sizeof(*rec->timed));
	vec_for_each(&rec->set->list, it)
		vec_push(&times.list, since_last(rec, *it));
	err = data_write_times(rec->writer, rec->set, &times, r);
	vec_release(&times.list);
	return err;
}
