/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf annotate above the annotations: its options, which functions are shown, and how.
 *
 *	annotate_view_init()	defaults and settings
 *	annotate_view_rows()	the options; parse them into it
 *	annotate_view_run()	reads the recording and shows it
 *	annotate_view_release()
 *
 * One thread; what fails is reported on standard error, as the return value an exit code.
 */
#ifndef BUILTIN_ANNOTATE_ANNOTATE_VIEW_H
#define BUILTIN_ANNOTATE_ANNOTATE_VIEW_H

#include "analysis/analysis.h"
#include "annotate/annotate.h"
#include "base/text.h"
#include "profile/gather.h"

/* The events that are shown together: one, or a group's. */
struct annotate_view {
	u32 *events; /* by column: indices in the set */
	u32 count;
	char *name; /* "cpu-clock", "anon group { a, b }" */
};

struct annotate_command {
	struct analysis a;
	struct annotator *annotator;
	struct annotate_gather gather;
	struct annotate_counts *counts; /* all of them, the gathering's */
	/* by event: of all, of what -s and -d let through */
	struct annotate_count *totals, *passed;
	u32 event_count;
	VEC(struct annotate_view) views;
	struct line_options lines; /* --addr2line, --addr2line-style */
	struct annotate_settings set;

	/* as typed */
	const char *cpus, *percent_type, *percent_limit, *color;
	struct strlist symbols, dsos;
	bool dump, stdio, stdio2, tui_given, tui, asm_raw, print_line, full_paths;
	bool show_samples, show_period, group, skip_missing, skip_empty, source, itrace;
	bool use_color;
	bool data_type, type_stat, insn_stat, code_with_type;
	const char *type_name;    /* what --data-type=NAME named */
	struct data_types *types; /* --code-with-type */
	unsigned prefix_strip;
	bool strip_given;

	enum annotate_percent percent;
	double limit;
	u32 *cpu_list;
	size_t cpu_count;
	u64 annotated, failed; /* functions */
};

/* Reports whether the function passes the filters by symbol and object. */
bool annotate_named(const struct annotate_command *p, const struct annotate_row *row);
/* Reports whether the function is shown: it passes the filters and has enough samples. */
bool annotate_wanted(const struct annotate_command *p, const struct annotate_view *v,
		     const struct annotate_row *row);
/* types.c: --data-type, --type-stat, --insn-stat */
int annotate_types(struct annotate_command *p, const struct annotate_view *v,
		   const struct annotate_row *rows, size_t count, struct reason *r);

/* options.c: parses the options' texts; -EINVAL with a reason */
int annotate_view_parse(struct annotate_command *p, struct reason *r) MUST_CHECK;

void annotate_view_init(struct annotate_command *p, struct context *ctx);
void annotate_view_rows(struct annotate_command *p, option_rows *rows);
/* Runs the view of functions. only is SYMBOL of the command line, or NULL. */
int annotate_view_run(struct annotate_command *p, const char *only);
void annotate_view_release(struct annotate_command *p);

#endif
