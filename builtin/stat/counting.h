/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf stat: counts events of a command, of tasks or of CPUs, and prints the counts.
 *
 *	options.c  -> struct stat_request, constant from then on
 *	events.c   -> the events to open, from -e, -M, --topdown ... or the defaults
 *	run.c      -> each run: open, start, wait, read, end     (loop, intervals)
 *	read.c     -> counters into a table of (domain, event)   (stat/stat.h)
 *	output.c   -> the table as text, CSV or JSON
 *	record.c, replay.c: the same counts into a file and out of it
 *
 * Only the results go to standard error from here. Errors are reasons, warnings are conditions of
 * the context, and the host prints messages while counting goes on. Threads: one. Signals: the
 * handlers of stat_count() stay installed after it.
 */
#ifndef BUILTIN_STAT_COUNTING_H
#define BUILTIN_STAT_COUNTING_H

#include "base/context.h"
#include "event/event.h"
#include "sys/sys.h"

struct live_backend; /* live/live.h */

enum stat_said {
	STAT_SAID_TEXT, /* whole lines, as they are */
	STAT_SAID_NOTE,
	STAT_SAID_WARNING,
};

/* What a measurement takes from its caller. */
struct stat_host {
	const struct sys *sys;              /* files of the machine; NULL: this one */
	const struct live_backend *backend; /* counters; NULL: the kernel's */
	/* Names that are not events (SDT markers); as event_parser's. */
	int (*resolve)(void *arg, struct event_set *set, const char *name, struct reason *r);
	void *resolve_arg;
	/* Prints something immediately. */
	void (*say)(enum stat_said kind, const char *text);
};

/*
 * Runs "stat ARGS" or "stat record ARGS"; argv[argc] is NULL. Returns the exit code; an error
 * leaves its text in r. Adds warnings to the context if *warn: people read the results.
 */
int stat_count(struct context *ctx, const struct stat_host *host, int argc, const char **argv,
	       bool *warn, struct reason *r);
/*
 * Reports whether the word, "-ag" or "--event=x", is an option of perf stat. Sets *takes_next if
 * next, the word after it or NULL, is its value.
 */
bool stat_has_option(const char *word, const char *next, bool *takes_next);
/* Runs "report ARGS": prints what "stat record" has written. */
int stat_report(struct context *ctx, int argc, const char **argv, struct reason *r);

#endif
