/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf c2c: which cache lines processors fight over, and which code does.
 *
 *	c2c_init(), c2c_record_rows() or c2c_report_rows()
 *	c2c_record_words()	the command line of perf record
 *	c2c_report()		the exit code
 *	c2c_release()
 *
 * One thread.  Errors: -errno with a reason, unless noted.
 */
#ifndef BUILTIN_C2C_C2C_H
#define BUILTIN_C2C_C2C_H

#include "analysis/analysis.h"
#include "builtin/c2c/lines.h"
#include "builtin/c2c/side.h"
#include "event/memory.h"
#include "symbol/srcline.h"

struct c2c {
	struct analysis a;
	/* record, as typed */
	const char *events;
	bool all_user, all_kernel, latency_given;
	u64 latency;
	struct strlist words; /* passed on to perf record */
	struct memory_events choice;

	/* report, as typed */
	const char *coalesce, *display;
	int node_info;
	bool stdio, tui, stats, full_symbols, no_source, show_all, double_line;
	struct line_options sources;
	struct annotate_settings code; /* -M, --objdump */

	/* while a file is open */
	struct data_nodes nodes;
	struct c2c_lines lines;
	struct c2c_side side; /* side.callers: as typed */
	char *grouping;       /* "offset,iaddr" */
};

void c2c_init(struct c2c *c, struct context *ctx);
void c2c_record_rows(struct c2c *c, option_rows *rows);
void c2c_report_rows(struct c2c *c, option_rows *rows);
/* Adds the lines of -e list to out. */
int c2c_list_events(struct c2c *c, struct strbuf *out, struct reason *r) MUST_CHECK;
/* Adds the whole command line with its name first, except what c->words holds. */
int c2c_record_words(struct c2c *c, struct strlist *line, struct reason *r) MUST_CHECK;
int c2c_report(struct c2c *c);
void c2c_release(struct c2c *c);

#endif
