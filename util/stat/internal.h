/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that print counts. */
#ifndef STAT_INTERNAL_H
#define STAT_INTERNAL_H

#include "stat/stat.h"

/* What is being printed. */
struct stat_row {
	struct strbuf *b;
	const struct stat_table *table;
	const struct stat_style *style;
	const char *prefix;
	size_t domain;
	const struct event *ev;
	struct stat_reading reading;
	bool cpus_counted; /* the domain's number of CPUs is meaningful */
};

/* Returns the text between two columns. A width is 0 if a separator was given. */
static inline const char *stat_sep(const struct stat_row *r)
{
	return r->style->separator ? r->style->separator : " ";
}

static inline int stat_width(const struct stat_row *r, int n)
{
	return r->style->separator ? 0 : n;
}

/* print_domain.c */
/* Writes the name of a domain for a JSON value or a CSV column, without padding: "S0-D1-C4". */
void stat_domain_name(struct strbuf *b, enum stat_by by, const struct stat_domain *d);
/* Writes the columns that name a domain; in text each kind has its own width. */
void stat_put_domain(const struct stat_row *r);

/* print_json.c */
/* Writes "{", the interval and the domain, each with ", " after it. */
void stat_json_begin(const struct stat_row *r);
void stat_print_json_row(const struct stat_row *r, const struct stat_metric *m, size_t metrics);

/* Prints the rows of --metric-only (print_metrics.c). */
void stat_print_metrics_only(struct stat_row *r);

#endif
