/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --switch-on and --switch-off: one event lets the samples after it pass, another one stops them.
 * One thread passes samples in order of time.
 */
#ifndef EVENT_EVENT_SWITCH_H
#define EVENT_EVENT_SWITCH_H

#include "event/event.h"

struct event_switch {
	const struct event *on, *off; /* NULL if unused */
	bool is_off;
	bool show; /* the two events pass themselves */
};

/*
 * Sets up the switch; names may be NULL. where says what the events are of, for the reason, such as
 * the file's name in quotes. If on is given, samples pass only after it. Returns -EINVAL if an
 * event does not exist.
 */
int event_switch_init(struct event_switch *sw, const struct event_set *set, const char *on,
		      const char *off, const char *where, struct reason *r) MUST_CHECK;
/* Reports whether a sample of ev passes. */
bool event_switch_passes(struct event_switch *sw, const struct event *ev);

#endif
