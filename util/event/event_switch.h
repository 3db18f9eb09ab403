/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --switch-on and --switch-off: one event lets the samples after it through, another one stops
 * them.  Both are asked in the order of time, by one thread.
 */
#ifndef EVENT_EVENT_SWITCH_H
#define EVENT_EVENT_SWITCH_H

#include "event/event.h"

struct event_switch {
	const struct event *on, *off; /* NULL: not asked for */
	bool is_off;
	bool show; /* the two events are let through themselves */
};

/*
 * Names may be NULL. where: what the events are of, for the reason, such as the file's name in
 * quotes.
 * With a name for on nothing passes before it.  -EINVAL: there is no such event.
 */
int event_switch_init(struct event_switch *sw, const struct event_set *set, const char *on,
		      const char *off, const char *where, struct reason *r) MUST_CHECK;
/* Does a sample of ev pass? */
bool event_switch_passes(struct event_switch *sw, const struct event *ev);

#endif
