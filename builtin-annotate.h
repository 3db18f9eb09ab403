/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf annotate inside: builtin-annotate.c reads the options, -run.c does the work, -code.c
 * is what the browser of perf report needs, too.
 */
#ifndef BUILTIN_ANNOTATE_H
#define BUILTIN_ANNOTATE_H

#include "annotate/annotate.h"
#include "base/out.h"
#include "base/text.h"
#include "analysis/analysis.h"
#include "builtin.h"
#include "profile/gather.h"
#include "session/session.h"

/* What is shown together: one event, or a group's. */
struct annotate_view {
	u32 *events; /* by column: indices in the set */
	u32 count;
	char *name; /* "cpu-clock", "anon group { a, b }" */
};

struct annotate_command {
	struct context *ctx;
	struct session *session;
	struct annotator *annotator;
	struct annotate_gather gather;
	struct annotate_counts *counts; /* all of them, the gathering's */
	struct annotate_count *totals, *passed; /* by event: of all, of what -s and -d let through */
	u32 event_count;
	VEC(struct annotate_view) views;
	struct out out;

	struct session_options open;
	struct debuginfod_wish debuginfod;
	struct annotate_settings set;

	/* as typed */
	const char *cpus, *percent_type, *percent_limit, *color;
	const char *only; /* SYMBOL of the command line */
	struct strlist symbols, dsos;
	bool dump, stdio, stdio2, tui_given, tui, asm_raw, print_line, full_paths;
	bool show_samples, show_period, group, skip_missing, skip_empty, source, demangle;
	bool use_color;
	bool data_type, type_stat, insn_stat, code_with_type;
	const char *type_name; /* of --data-type=NAME */
	struct data_types *types; /* --code-with-type */
	unsigned prefix_strip;
	bool strip_given;

	enum annotate_percent percent;
	double limit;
	u32 *cpu_list;
	size_t cpu_count;
	u64 annotated, failed; /* functions */
};

/* Is the function shown: it has samples and passes the filters. */
bool annotate_wanted(const struct annotate_command *p, const struct annotate_view *v,
		     const struct annotate_row *row);
/* -types.c: --data-type, --type-stat, --insn-stat */
int annotate_types(struct annotate_command *p, const struct annotate_view *v, const struct annotate_row *rows,
		   size_t count, struct reason *r);

/* After the file was opened: 0, an exit code, or -errno with a reason. */
int annotate_run(struct annotate_command *p, struct reason *r);

#endif
