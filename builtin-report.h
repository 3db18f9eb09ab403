/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf report inside: builtin-report.c reads the options, builtin-report-run.c does the work. */
#ifndef BUILTIN_REPORT_H
#define BUILTIN_REPORT_H

#include "builtin-symbols.h"
#include "builtin.h"
#include "hist/hist.h"
#include "session/choice.h"
#include "ui/stdio/hist.h"

/* On a cache line of its own. */
struct report_seen {
	_Alignas(64) u64 samples;
};

struct report {
	bool wrong_use; /* a key that there is not: exit 129 */
	struct context *ctx;
	struct session *session;
	struct hist *hist;
	struct hist_collector **collectors;
	unsigned collector_count;
	struct out out;

	struct session_options open;
	struct debuginfod_wish debuginfod;
	struct hist_settings set;
	struct stdio_settings draw;

	/* as typed */
	const char *sort, *fields, *graph, *widths, *pids, *tids, *cpus, *time, *percentage;
	const char *percent_limit, *color, *itrace;
	struct strlist comms, dsos, symbols;
	bool no_graph, graph_given, inverted, children, group, group_given, hide_unresolved;
	bool show_samples, show_period;
	bool tui_given, tui; /* --tui; the terminal browser is what is used */
	char *other;	     /* the file that was chosen there to go on with */
	struct report_seen *seen; /* by worker: samples so far */
	bool header, header_only, show_info, stats, tasks, mmaps, dump, skip_empty, stdio;
	bool itrace_given, demangle;
	unsigned max_stack;

	struct sample_choice choice;
	u32 *width_list;
	s32 *sockets;
	struct map64 read_values; /* of counters read with samples: id -> last value */
};

/* Everything after the file was opened: 0, an exit code, or -errno with a reason. */
int report_run(struct report *p, struct reason *r);

#endif
