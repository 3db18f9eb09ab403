/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of a set bound to cgroups, as -G and --for-each-cgroup ask. */
#ifndef EVENT_CGROUP_H
#define EVENT_CGROUP_H

#include "event/event.h"

struct sys; /* sys/sys.h */

/*
 * -G: a single name applies to all events since *next; several apply to one event each, in order,
 * where an empty name means no cgroup.  *next: the first event without a -G, 0 at first.
 */
int event_set_cgroups(const struct sys *sys, struct event_set *set, const char *list, size_t *next,
		      struct reason *r);
/* --for-each-cgroup: repeats all events for each cgroup, cgroup by cgroup. */
int event_set_for_each_cgroup(const struct sys *sys, struct event_set *set, const char *list,
			      struct reason *r);

#endif
