/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binds events of a set to cgroups, for -G and --for-each-cgroup. */
#ifndef EVENT_CGROUP_H
#define EVENT_CGROUP_H

#include "event/event.h"

struct sys; /* sys/sys.h */

/*
 * Applies -G. A single name applies to all events since *next. Several apply to one event each, in
 * order; an empty name means no cgroup. *next is the first event without a -G, 0 at first.
 */
int event_set_cgroups(const struct sys *sys, struct event_set *set, const char *list, size_t *next,
		      struct reason *r);
/* Applies --for-each-cgroup: repeats all events for each cgroup, cgroup by cgroup. */
int event_set_for_each_cgroup(const struct sys *sys, struct event_set *set, const char *list,
			      struct reason *r);

#endif
