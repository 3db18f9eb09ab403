/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of perf list: list.c selects, print.c prints. */
#ifndef BUILTIN_LIST_INTERNAL_H
#define BUILTIN_LIST_INTERNAL_H

#include "base/out.h"
#include "builtin/list/list.h"
#include "event/list.h"
#include "stat/metrics.h"

/* One thing that is listed; members that do not apply are NULL. */
struct list_item {
	const char *name, *alias, *type; /* type: "Tracepoint event" ... */
	const char *unit;                /* PMU */
	const char *description, *terms;
	const char *groups; /* the groups of a metric, with ';' between them */
	const char *expression, *threshold, *scale, *unavailable;
	const char *models;            /* CPUs that libpfm4 knows it of */
	const char *code;              /* "r1a8" */
	const char *object, *build_id; /* for an SDT marker */
	bool tracepoint;               /* it has a format file */
};

struct list_printer {
	struct context *ctx;
	const struct list_settings *settings;
	struct sys sys;
	char *tracefs;
	struct out out;
	size_t printed;
	const char *last; /* type of the row before */
	struct metric_set metrics;
	bool metrics_ready;
};

void list_begin(struct list_printer *p);
void list_end(struct list_printer *p);
/* Prints an event as a row of two columns, as an object, or its name alone. */
void list_print_item(struct list_printer *p, const struct list_item *item);
/* print_row.c */
void list_print_row(struct list_printer *p, const struct event_row *row);
/*
 * Prints a metric's name above its description. One that cannot be counted here is printed in JSON,
 * with -v, and if the command line names it; otherwise it prints nothing and returns false.
 */
bool list_print_metric(struct list_printer *p, const struct metric_entry *m, bool named);
bool list_print_group(struct list_printer *p, const char *group, bool named);
/* Adds a member of the object; nothing if value is NULL. */
void list_put_key(struct strbuf *b, const char *key, const char *value);
/* format.c: the fields of a tracepoint with type, size and sign, and its print format. */
void list_put_format(struct list_printer *p, struct strbuf *b, const char *name, bool json);
/* Reports whether the name matches a pattern: a glob or a part of a name. */
bool list_text_matches(const char *name, const char *pattern);
/* metrics.c; pattern NULL: all */
int list_metrics(struct list_printer *p, const char *pattern, struct reason *r);
int list_groups(struct list_printer *p, const char *pattern, struct reason *r);
/* sdt.c */
void list_sdts(struct list_printer *p, const char *pattern);
/* pfm.c: the events of libpfm4 for this machine; pattern NULL: all. */
int list_print_pfm(struct list_printer *p, const char *pattern, struct reason *r);
/*
 * Prints events of all CPUs that libpfm4 knows: those whose names match glob or, if glob is NULL,
 * those with the code.
 */
void list_print_models(struct list_printer *p, const char *glob, u64 code);
/* Prints below a PMU event its code, and what the models call it. */
void list_print_code(struct list_printer *p, const struct event_row *row);

#endif
