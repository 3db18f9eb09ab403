/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics that were asked for (-M): their events in a set, their values.
 *
 * The events of a metric are one weak group where they can be: they count at the
 * same time, and a group that does not fit the CPU is broken up.  Metrics share a
 * group when one's events are among another's.  An event of the set with the term
 * metric-id=NAME stands for NAME in formulas.  A metric's value is printed on the
 * line of its first event.  Times (duration_time, user_time, system_time) are in
 * seconds, other events in the unit that stat prints.
 * Life: _init with the machine's catalogue, _release.
 */
#ifndef STAT_METRICS_H
#define STAT_METRICS_H

#include "event/parse.h"
#include "stat/catalogue.h"
#include "stat/stat.h"

struct cpu_topology; /* sys/topology.h */
struct metric_use;   /* one metric with its events */

/* A metric of a group that was asked for, but which this machine cannot measure. */
struct metric_left_out {
	const char *name;
	char *why; /* one line */
};

struct metric_set {
	struct metric_catalogue catalogue;
	const struct sys *sys;
	/* the topology of a file's machine; NULL: that of this one, by sys */
	const struct cpu_topology *topology;
	VEC(struct metric_use *) list;
	VEC(struct metric_left_out) left_out;
	/*
	 * what the PMUs of cores say; raw events cannot tell kinds of cores that differ in it apart
	 */
	u64 slots;
	bool slots_said, slots_differ;
	struct strlist cores; /* PMUs of the kinds of cores; metrics of each when several */
	u32 base_events;      /* events before --for-each-cgroup multiplied them */
	bool no_group, no_merge, no_threshold;
};

int metric_set_init(struct metric_set *m, const struct sys *sys, struct reason *r);
/*
 * Of the machine that a file is from; cpuid in perf's form (sys/facts.h), NULL: not known.
 * topology lives as long as the set.
 */
void metric_set_init_for(struct metric_set *m, const char *cpuid,
			 const struct cpu_topology *topology);
/* What a PMU of that machine says as caps/slots; before any metric is added. */
void metric_set_slots(struct metric_set *m, const char *value);
/* All PMUs have said it: metrics that need #slots are left out where there is no such number. */
void metric_slots_settle(struct metric_set *m);
void metric_set_release(struct metric_set *m);
/*
 * Names of metrics and of groups, separated by commas; their events are added to set.
 * Metrics of groups whose events this machine does not have are left out, unless no other
 * metric is there: that is an error, as it is of a metric that was named.
 */
int metric_set_add(struct metric_set *m, const struct event_parser *parser, struct event_set *set,
		   const char *list, struct reason *r);
/* The same of events that the set has already, found by their names: for files. */
int metric_set_bind(struct metric_set *m, const struct event_set *set, const char *list,
		    struct reason *r);
/* Those whose first event is ev, in one domain: how many; at most space are given. */
size_t metric_set_values(const struct metric_set *m, const struct stat_table *t, size_t domain,
			 const struct event *ev, struct stat_metric *out, size_t space);
/*
 * One by its name: false: none of that name was asked for. A value that cannot be worked out is
 * NaN.
 */
bool metric_set_value(const struct metric_set *m, const struct stat_table *t, size_t domain,
		      const char *name, double *out);
/* The name of a metric of the list, below m->list.count. */
const char *metric_set_name(const struct metric_set *m, size_t number);
/* What they are called, also where they have no value. */
size_t metric_set_labels(const struct metric_set *m, const struct event *ev, const char **out,
			 size_t space);
/*
 * Why this machine cannot measure a metric: NULL when it can; the caller frees it.
 * Its events are tried with the kernel.
 */
char *metric_unavailable(const struct metric_set *m, const struct metric_entry *metric);

#endif
