/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of perf list: builtin-list.c selects, builtin-list-print.c prints. */
#ifndef BUILTIN_LIST_H
#define BUILTIN_LIST_H

#include "base/context.h"
#include "base/out.h"
#include "event/list.h"
#include "stat/metrics.h"

struct list_settings {
	bool details, raw_dump, no_desc, json, deprecated, debug;
	const char *output, *unit, *cputype;
};

/* One thing that is listed; what is NULL does not belong to it. */
struct list_item {
	const char *name, *alias, *type; /* type: "Tracepoint event" ... */
	const char *unit;		 /* PMU */
	const char *description, *terms;
	const char *groups; /* of a metric, with ';' between */
	const char *expression, *threshold, *scale, *unavailable;
	const char *models; /* CPUs that libpfm4 knows it of */
	const char *code;   /* "r1a8" */
	const char *object, *build_id; /* of an SDT marker */
	bool tracepoint;    /* it has a format file */
};

struct list_printer {
	const struct list_settings *settings;
	struct sys sys;
	const char *buildid_dir;
	char *tracefs;
	struct out out;
	bool spaced; /* blank lines between sections */
	size_t printed;
	const char *last; /* type of the row before */
	struct metric_set metrics;
	bool metrics_ready;
};

void list_begin(struct list_printer *p);
void list_end(struct list_printer *p);
/* An event's row in two columns, an object, or its name alone. */
void list_print_item(struct list_printer *p, const struct list_item *item);
void list_print_row(struct list_printer *p, const struct event_row *row);
/* Name above description. */
void list_print_metric(struct list_printer *p, const struct metric_entry *m);
void list_print_group(struct list_printer *p, const char *group);
/* builtin-list-pfm.c: the events of libpfm4 for this machine; pattern NULL: all. */
int list_print_pfm(struct list_printer *p, const char *pattern);
/* On all CPUs that libpfm4 knows: those of a name, or (glob NULL) those with a code. */
void list_print_models(struct list_printer *p, const char *glob, u64 code);
/* Under a PMU event: its code, and what the models call it. */
void list_print_code(struct list_printer *p, const struct event_row *row);
/* The command on a machine: NULL, the one that we run on. */
int list_on(struct context *ctx, const struct sys *sys, int argc, const char **argv);

#endif
