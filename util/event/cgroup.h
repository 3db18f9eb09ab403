/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of a set bound to cgroups, as -G and --for-each-cgroup ask. */
#ifndef EVENT_CGROUP_H
#define EVENT_CGROUP_H

#include "event/event.h"

struct sys; /* sys/sys.h */

/*
 * -G: one name is that of all events since *next; several belong to one event
 * each, in order, an empty one to none.  *next: the first event not looked at yet,
 * 0 at first.
 */
int event_set_cgroups(const struct sys *sys, struct event_set *set, const char *list,
		      size_t *next, struct reason *r);
/* --for-each-cgroup: every event once in each of them, cgroup by cgroup. */
int event_set_for_each_cgroup(const struct sys *sys, struct event_set *set, const char *list,
			      struct reason *r);

#endif
