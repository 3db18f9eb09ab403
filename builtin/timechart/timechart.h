/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf timechart: which tasks ran where, and what waited, as a picture over time in one SVG file.
 *
 *	timechart_init(&t, ctx);
 *	timechart_rows(&t, &rows), options_parse()
 *	timechart_run(&t, &options) or timechart_record_words()
 *	timechart_release(&t);
 *
 * The picture is a complete document: it first shows the whole recording, and its script zooms,
 * searches and describes what the mouse is on. "Timecharts" in Documentation/design says what is
 * shown where. Bounds: reading keeps at most MOST_CELLS intervals for a recording of any length,
 * since neighbours are merged when there are more; the file is below 5 MB.
 * Threads: one. Errors are printed; exit codes are returned.
 * Fields of the events: /sys/kernel/tracing/events/{sched,power,syscalls}.
 */
#ifndef BUILTIN_TIMECHART_TIMECHART_H
#define BUILTIN_TIMECHART_TIMECHART_H

#include "analysis/analysis.h"

struct timechart {
	struct analysis a;
	const char *output;                           /* "-": standard output */
	unsigned width;                               /* the width of the picture, pixels */
	unsigned tasks;                               /* -n: this many at least, when there are */
	bool power_only, tasks_only, io_only, chains; /* -P, -T; -I and -g of record */
	bool topology;
	struct strlist processes; /* -p: pids and names; none: all */
	const char *highlight_name;
	u64 highlight_time;        /* ns; 0: none */
	bool skip_again;           /* --io-skip-eagain */
	bool io_given;             /* --io-min-time or --io-merge-dist */
	u64 io_least, io_distance; /* ns */
};

void timechart_init(struct timechart *t, struct context *ctx);
void timechart_release(struct timechart *t);
void timechart_rows(struct timechart *t, option_rows *rows);
/* Adds the options of perf timechart record. */
void timechart_record_rows(struct timechart *t, option_rows *rows);
/* Checks the options. Returns 0 or a usage error. */
int timechart_check(const struct timechart *t, const struct options *o);
void timechart_record_words(const struct timechart *t, int argc, const char **argv,
			    struct strlist *words);

/* Draws the picture and returns an exit code. Sets *seconds to the duration of what was drawn. */
int timechart_run(struct timechart *t, double *seconds);

#endif
