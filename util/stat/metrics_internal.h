/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between metrics.c (events of metrics), metrics_bind.c (those of a file) and metrics_values.c. */
#ifndef STAT_METRICS_INTERNAL_H
#define STAT_METRICS_INTERNAL_H

#include "stat/metrics.h"

/* The limit of metrics that consist of metrics. */
enum { METRICS_NESTED = 20 };

/* An event of a metric: its text, and its place in the set. */
struct metric_event {
	char *text, *name; /* name: in the formula */
	u32 index;
	bool given; /* the set has one with metric-id=name */
};

struct metric_use {
	const struct metric_entry *entry;
	VEC(struct metric_event) events; /* in the order of the formula */
	u32 anchor;
	bool of_group;    /* requested by the name of a group */
	const char *kind; /* the kind of cores to count on, in m->cores; NULL for any */
	char *label;      /* "%  NAME" */
};

/*
 * Makes a metric with the events of its formula, which are not in a set yet. Returns NULL with a
 * reason on errors. Free it with metric_use_free().
 */
struct metric_use *metric_use_new(const struct metric_set *m, const struct metric_entry *entry,
				  const char *kind, struct reason *r);
void metric_use_free(struct metric_use *u);
/* Reads #slots of each kind of cores of this machine. */
void metric_slots_read(struct metric_set *m);
/* Finds a fact of the machine by its name without "#"; returns as machine_number(). */
int metric_number(const struct metric_set *m, const char *name, u64 *value);
/* Reports an unknown metric or group and suggests the nearest one. Returns -EINVAL. */
int metric_unknown(const struct metric_set *m, const char *name, struct reason *r);

#endif
