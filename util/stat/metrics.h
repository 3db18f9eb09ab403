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

/* A metric of a requested group that this machine cannot measure. */
struct metric_left_out {
	const char *name;
	char *why; /* one line */
};

struct metric_set {
	struct metric_catalogue catalogue;
	const struct sys *sys;
	/* the topology of a file's machine; NULL means this machine's, from sys */
	const struct cpu_topology *topology;
	VEC(struct metric_use *) list;
	VEC(struct metric_left_out) left_out;
	/*
	 * what the PMUs of cores report; raw events cannot distinguish kinds of cores that differ
	 * in it
	 */
	u64 slots;
	bool slots_said, slots_differ;
	struct strlist cores; /* PMUs of the kinds of cores; with several, each has metrics */
	u32 base_events;      /* events before --for-each-cgroup multiplied them */
	bool no_group, no_merge, no_threshold;
};

int metric_set_init(struct metric_set *m, const struct sys *sys, struct reason *r);
/*
 * Sets up metrics for a file's machine; cpuid is in perf's form (sys/facts.h), NULL if unknown.
 * topology must outlive the set.
 */
void metric_set_init_for(struct metric_set *m, const char *cpuid,
			 const struct cpu_topology *topology);
/* Notes what a PMU of that machine reports as caps/slots; call it before adding metrics. */
void metric_set_slots(struct metric_set *m, const char *value);
/* Ends the reports of all PMUs: leaves out metrics that need #slots if that is unknown. */
void metric_slots_settle(struct metric_set *m);
void metric_set_release(struct metric_set *m);
/*
 * Adds the events of named metrics and groups, separated by commas, to set. Leaves out metrics of
 * groups whose events this machine lacks; that is an error if no other metric is left, or if the
 * metric itself was named.
 */
int metric_set_add(struct metric_set *m, const struct event_parser *parser, struct event_set *set,
		   const char *list, struct reason *r);
/* Does the same with events that the set has already, found by their names: for files. */
int metric_set_bind(struct metric_set *m, const struct event_set *set, const char *list,
		    struct reason *r);
/*
 * Writes the values of metrics whose first event is ev, in one domain, at most space of them.
 * Returns how many.
 */
size_t metric_set_values(const struct metric_set *m, const struct stat_table *t, size_t domain,
			 const struct event *ev, struct stat_metric *out, size_t space);
/*
 * Finds a metric's value by its name. Returns false if no such metric was requested. A value that
 * cannot be computed is NaN.
 */
bool metric_set_value(const struct metric_set *m, const struct stat_table *t, size_t domain,
		      const char *name, double *out);
/* Returns the name of a metric of the list, below m->list.count. */
const char *metric_set_name(const struct metric_set *m, size_t number);
/* Lists the labels of metrics, also of those without a value. */
size_t metric_set_labels(const struct metric_set *m, const struct event *ev, const char **out,
			 size_t space);
/*
 * Explains why this machine cannot measure a metric; returns NULL if it can. Tries its events with
 * the kernel. The caller frees the result.
 */
char *metric_unavailable(const struct metric_set *m, const struct metric_entry *metric);

#endif
