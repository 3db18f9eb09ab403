/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of events, added up in domains, and what follows from them.
 *
 * What it is: a domain is what one line stands for (everything, a CPU, core,
 * die, cluster, socket, node or thread); a table holds the counts of every
 * (domain, event).  The caller passes values from live counters or a file;
 * nothing is read here.  Every ratio divides two counts of the same domain.
 * Multiplexing: value * enabled / running, over the sums of a domain.
 * Units: times in ns.
 * Life: x_init / x_release; a table keeps pointers to its domains and set.
 * Threads: starts none.
 */
#ifndef STAT_STAT_H
#define STAT_STAT_H

#include "base/strbuf.h"
#include "event/event.h"

struct cpu_topology; /* sys/topology.h */

enum stat_by {
	STAT_BY_ALL,
	STAT_BY_CPU,
	STAT_BY_CORE,
	STAT_BY_CLUSTER,
	STAT_BY_DIE,
	STAT_BY_CACHE,
	STAT_BY_SOCKET,
	STAT_BY_NODE,
	STAT_BY_THREAD,
};

struct stat_domain {
	/* -1 if this kind of domain does not have it */
	s32 cpu, core, cluster, cache, cache_level, die, socket, node;
	s32 tid;
	char *comm;
	u32 cpus;       /* CPUs whose counts are added */
	u32 core_first; /* by CPU: the first domain on the same core; itself if unknown */
};

struct stat_domains {
	enum stat_by by;
	VEC(struct stat_domain) list; /* ascending by ids */
	u32 *of_column;               /* column of the counters (a CPU, or a thread) -> domain */
	size_t columns;
};

/* Makes domains with one column for each CPU; t may be NULL for STAT_BY_ALL and STAT_BY_CPU. */
void stat_domains_of_cpus(struct stat_domains *d, enum stat_by by, const struct cpu_topology *t,
			  const s32 *cpus, size_t count);
/* Makes domains with one column for each thread; comms may be NULL. */
void stat_domains_of_threads(struct stat_domains *d, const s32 *tids, const char *const *comms,
			     size_t count);
void stat_domains_release(struct stat_domains *d);

/* The counts of one domain, in the current run or interval. */
struct stat_count {
	u64 value, enabled, running;
	bool supported; /* in the domain */
	u32 counters;   /* how many were added */
};

/* The counts of all runs. */
struct stat_series {
	u64 runs;
	double mean, m2;         /* Welford: m2 = sum of squared distances from the mean */
	double enabled, running; /* means */
	u32 counters;            /* how many each run has */
	bool supported;
};

struct metric_set; /* stat/metrics.h */

struct stat_table {
	const struct event_set *set;
	const struct stat_domains *domains;
	struct stat_count *now, *before; /* [domain][event]; before: at the last interval's end */
	struct stat_series *series;
	bool *supported;                  /* [event]: in any domain so far */
	const struct metric_set *metrics; /* the metrics of -M, or NULL */
	struct stat_series wall;          /* ns of each run or of the interval */
};

void stat_table_init(struct stat_table *t, const struct event_set *set,
		     const struct stat_domains *domains);
void stat_table_release(struct stat_table *t);
/* Adds one counter; column as in the domains, event by index. */
void stat_table_add(struct stat_table *t, size_t column, u32 event, const struct stat_count *c);
/* Ends a run: adds its counts to the series. */
void stat_table_end_run(struct stat_table *t, u64 wall);
/* Forgets the counts of this run, but not the series. */
void stat_table_clear(struct stat_table *t);
/* Drops all counts, so the series begin again. */
void stat_table_forget(struct stat_table *t);
/* Ends an interval: sets the series to the counts since the last one. */
void stat_table_end_interval(struct stat_table *t, u64 wall);

/* The values of one line. */
struct stat_reading {
	double value;            /* mean of the runs, not scaled to the event's unit */
	double enabled, running; /* ns, means */
	double noise;            /* standard error in % of the mean; 0 with one run */
	u32 counters;            /* how many were added: the CPUs it counts on */
	bool supported, counted;
};
void stat_read(const struct stat_table *t, size_t domain, const struct event *ev,
	       struct stat_reading *out);
/* Returns the standard error of the mean in units of the values; 0 with one run. */
double stat_error(const struct stat_series *s);

/* A ratio on a line. */
struct stat_metric {
	double value;
	const char *format;             /* how the value is printed: "%8.3f", "%7.2f%%" */
	const char *unit;               /* "CPUs utilized" */
	bool asked, has_threshold, bad; /* requested by -M; bad means that it deserves attention */
};
enum { STAT_METRICS_MAX = 66 }; /* two, and those of -M */
/* Metrics of an event inside its domain: how many. None when a base is missing or zero. */
size_t stat_metrics(const struct stat_table *t, size_t domain, const struct event *ev,
		    struct stat_metric out[STAT_METRICS_MAX]);
/*
 * Lists the names of an event's ratios in the unit column, whatever was counted: each whose divisor
 * is also in the set, and those of -M that follow this event. Returns how many of units[] it set;
 * they live as long as the table's metrics.
 */
size_t stat_metric_units(const struct stat_table *t, const struct event *ev,
			 const char *units[STAT_METRICS_MAX]);

struct stat_style {
	bool color;            /* escape sequences for values that deserve attention */
	const char *separator; /* -x; NULL means columns for people */
	bool json;             /* -j: objects for programs */
	const char *thousands; /* NULL or "" for no grouping */
	unsigned unit_width;
	bool noise;                /* more runs than one */
	bool merge;                /* one row for all instances of an event on several PMUs */
	bool hide_zero;            /* leave out rows without a count */
	bool counted_threads_only; /* by thread: only threads with a count */
	bool metric_only, no_head; /* only ratios; without the header line */
	bool percore_show_thread;  /* by CPU: percore events on each CPU of the core */
	bool scale;                /* false with --no-scale: nothing is extrapolated */
};
/*
 * Prints all rows of the table; prefix precedes each: "     1.000123456 ", for JSON "\"interval\" :
 * 1.000123456, ".
 */
void stat_print_rows(struct strbuf *b, const struct stat_table *t, const struct stat_style *style,
		     const char *prefix);
/* Prints the header of intervals: "#           time CPU                    counts unit events". */
void stat_print_interval_head(struct strbuf *b, enum stat_by by, const struct stat_style *style);
/* Writes 1234567.89 as "1,234,567.89" with separator thousands, right-aligned in width. */
void stat_put_grouped(struct strbuf *b, double value, int decimals, const char *thousands,
		      int width);
/* Prints "N.NNN +- N.NNN seconds time elapsed  ( +- N% )" without a newline. */
void stat_print_elapsed(struct strbuf *b, const struct stat_series *wall);
/* Prints the runs one by one with bars (--table); values are in seconds. */
void stat_print_run_table(struct strbuf *b, const double *values, size_t count,
			  const struct stat_series *wall);

#endif
