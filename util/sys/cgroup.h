/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cgroups that events can be bound to.
 *
 * perf_event_open(2) takes the descriptor of a directory in the hierarchy that
 * has the perf_event controller: a cgroup v1 mount of that name, else the one
 * of cgroup v2.  Names are paths below its root, without a leading slash; "/"
 * is the root itself.
 * Source: cgroups(7), proc(5) on /proc/mounts.
 */
#ifndef SYS_CGROUP_H
#define SYS_CGROUP_H

#include "sys/sys.h"

/* Where the hierarchy is mounted, without sys->root: NULL with a reason; the caller frees it. */
char *cgroup_mount(const struct sys *sys, struct reason *r);
/* A descriptor of the cgroup's directory, or -errno with a reason. */
int cgroup_open(const struct sys *sys, const char *name, struct reason *r);
/*
 * What a list names, in its order: names, and regular expressions (extended, of the
 * whole name), each of which stands for all that fit.  Nothing that fits is an error.
 */
int cgroup_expand(const struct sys *sys, const char *list, struct strlist *names, struct reason *r);

#endif
