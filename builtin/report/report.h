/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf report: the request, the profile under way, the output.
 *
 *	report_init(), report_option_rows(), options_parse(), report_run(), report_release()
 *
 * One thread, except for what profile_read() and the browser start and end.
 */
#ifndef BUILTIN_REPORT_REPORT_H
#define BUILTIN_REPORT_REPORT_H

#include "analysis/analysis.h"
#include "profile/profile.h"
#include "truth/require.h"
#include "truth/truth.h"
#include "ui/stdio/hist.h"

/* Constant once report_run() has read the texts. */
struct report_options {
	struct profile_options what;
	struct sample_filters filters;
	struct stdio_settings draw;

	/* as typed */
	const char *widths, *percentage, *percent_limit, *color, *parallelism, *pretty;
	const char *percent_type, *flamegraph;
	bool header, header_only, show_info, stats, tasks, mmaps, dump, disable_order, skip_empty;
	bool stdio, tui, folded, marks, json;
	struct itrace_wish itrace;
	bool sort_given;
	u64 brief;            /* bytes of the digest, 0: no digest */
	bool asm_raw, source; /* how functions are shown in the browser */
	unsigned max_stack;

	struct require require;
	enum annotate_percent percent;
	u32 *width_list;
	bool *parallelism_wanted;
};

struct report_code;

struct report {
	struct analysis a;
	struct report_options o;
	struct profile profile;     /* the profile of the file that is open */
	struct truth truth;         /* how true it is */
	struct require_lines lines; /* lines to print about --require at the end */
	size_t heading;             /* bytes of output that came before the samples were read */
	bool tui;                   /* the terminal browser is used */
	char *other;                /* the file that was chosen there to go on with */
	struct report_code *code;   /* functions in the browser; made on first use */
};

/* Sets the defaults, including those of the configuration. */
void report_init(struct report *p, struct context *ctx);
void report_option_rows(struct report *p, option_rows *rows);
/* Reports on all files and returns the exit code. Errors have been reported. */
int report_run(struct report *p);
void report_release(struct report *p);

#endif
