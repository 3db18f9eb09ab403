/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of perf stat: builtin-stat.c asks, builtin-stat-run.c measures. */
#ifndef BUILTIN_STAT_H
#define BUILTIN_STAT_H

#include <sys/resource.h>

#include "base/context.h"
#include "event/parse.h"
#include "live/live.h"
#include "stat/stat.h"
#include "sys/topology.h"

struct stat_settings {
	bool system_wide, null_run, append, big_num, sync, scale, merge, table, summary, quiet;
	bool inherit, group, all_user, all_kernel;
	int detailed, by, verbose;
	u64 repeat, interval, timeout, interval_count; /* ns, and counts */
	s64 delay;				       /* ms; -1: start disabled */
	const char *pids, *tids, *cpus, *output, *separator, *pre, *post;
	int log_fd;
	struct event_set set;
	struct event_parser parser;
	struct sys sys;
};

/* One invocation: what is measured, how it is added up, where it goes. */
struct stat_session {
	struct context *ctx;
	struct stat_settings *s;
	const char *const *argv; /* the command; NULL: none */
	char *title;		 /* 'CMD ARGS', "system wide" ... */
	struct target target;
	struct cpu_topology topology;
	struct stat_domains domains;
	struct stat_table table;
	struct stat_style style;
	struct live *live;
	struct workload workload;
	struct rusage usage; /* of the workload */
	VEC(double) runs;    /* seconds */
	int fd;		     /* where results go */
	u64 started, interval_start; /* ns */
	unsigned intervals;
	bool cut_short; /* --timeout or --interval-count ended the command */
	bool ready; /* domains and table are there */
};

/* Is it the command alone that is counted, from its exec on? */
bool stat_counts_command(const struct stat_session *q);
/* Every run or interval, with its results printed. */
int stat_run_all(struct stat_session *q, struct reason *r);
/* Number of the signal that ended the measurement, 0: none. */
int stat_signal(void);

#endif
