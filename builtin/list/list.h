/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf list: what can be named on a machine with -e and -M, as text, as JSON, or as
 * bare names for programs that complete them.
 *
 * Rows come from event/list.h (kernel, PMUs, tracepoints), stat/metrics.h, the build-id
 * cache (SDT markers) and libpfm4; list.c selects them by the words of the command line,
 * print.c writes them.
 * Threads: one. Errors: a reason; warnings are conditions of the context.
 */
#ifndef BUILTIN_LIST_LIST_H
#define BUILTIN_LIST_LIST_H

#include "base/context.h"
#include "base/reason.h"
#include "sys/sys.h"

struct list_settings {
	bool details, raw_dump, no_desc, json, deprecated, debug;
	bool spaced;                         /* empty lines between sections */
	const char *output, *unit, *cputype; /* output NULL: standard output */
};

/* Parses the options as options_parse() of cli/options.h does. */
int list_parse_options(struct list_settings *s, int *argc, const char **argv);
/*
 * Lists what the words ask for (none: everything) on a machine; sys NULL means this one. It looks
 * for all words; the reason is that of the first one that failed.
 */
int list_run(struct context *ctx, const struct sys *sys, const struct list_settings *settings,
	     int argc, const char **argv, struct reason *r);

#endif
