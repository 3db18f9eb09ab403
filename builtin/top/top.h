/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf top: what runs now, as a table that is drawn again and again.
 *
 *	top_init(), top_option_rows(), options_parse(), top_run(), top_release()
 *
 *	source (rings -> session) -> collector -> pool (decays) -> snapshot -> screen
 *
 * source.h says where samples come from, hist/pool.h how rows live on. One thread; the browser has
 * a second one, see refresher.h.
 */
#ifndef BUILTIN_TOP_TOP_H
#define BUILTIN_TOP_TOP_H

#include "analysis/analysis.h"
#include "annotate/annotate.h"
#include "base/strbuf.h"
#include "builtin/top/source.h"
#include "event/event_switch.h"
#include "hist/pool.h"
#include "truth/truth.h"
#include "ui/stdio/hist.h"

/* Constant once top_run() has read the texts. */
struct top_options {
	struct hist_settings set;
	struct stdio_settings draw;
	struct sample_filters filters;

	/* as typed */
	const char *sort, *fields, *graph, *widths, *percent_limit, *percentage, *separator;
	bool chains, children, group, hierarchy, show_samples, show_period;
	bool stdio, tui, json;
	bool dump_symbols;                  /* -D */
	struct annotate_settings code;      /* syntax and objdump: how functions are disassembled */
	bool branch_history, with_branches; /* recorded branches are the innermost part of chains */
	bool stitch;
	const char *parallelism;
	const char *switch_on, *switch_off;
	bool show_switches;
	const char *annotate; /* --sym-annotate: below each table of text */
	bool asm_raw, source;
	u64 refresh;     /* ns between two tables; 0: not given */
	u64 iterations;  /* tables, then the end; 0: for ever */
	u64 least_count; /* -f: rows with fewer samples are not shown */
	/* key F: %, instructions of the function of o.annotate below it are not shown */
	double least_share;
	unsigned entries; /* -E: rows; 0: as many as the screen has */
	unsigned max_stack;
	bool hide_kernel, hide_user, zero, member_given;

	u32 *width_list;
	bool *parallelism_wanted;
};

/* Samples by what they say of themselves. */
struct top_counts {
	u64 samples, kernel, user, guest_kernel, guest_user, exact;
	u64 lost, late, throttled; /* records */
	u64 dropped;               /* samples that were not looked at, as there were too many */
};

/*
 * By the index of the event: what its samples say of themselves, and nothing else. Events after the
 * end had none.
 */
typedef VEC(struct top_counts) top_event_counts;

struct top {
	struct analysis a;
	struct top_options o;
	struct top_source *source;
	struct session *session; /* the source's, as is the watch */
	struct watch *watch;

	/* while it runs */
	struct hist *hist; /* columns and settings; never finished */
	struct hist_collector *collector;
	struct hist_pool *pool;
	top_event_counts fresh;       /* since the last table */
	top_event_counts last_of;     /* between the last two */
	struct top_counts last, all;  /* of all events: between the last two; since the begin */
	u64 lasted;                   /* ns that last took */
	u64 begun;                    /* ns of CLOCK_MONOTONIC: top_run() */
	u64 trimmed;                  /* when free memory was given back last: clock_now() */
	const struct event *event;    /* the one that is shown (key E) */
	bool replaced;                /* tables of symbols, whose old ones are still there */
	u64 tables_then;              /* tables when that was done */
	u64 looked;                   /* when files of symbols were looked at last: clock_now() */
	struct hist_pool_names shown; /* by the table that is kept, as it is on the screen */
	struct refresher *refresher;  /* whose thread calls back; NULL: it is the program's own */
	struct map64 idle;            /* kernel function -> 1: waits for work; 2: does not */
	struct event_switch sw;
	struct session_ops ops;
	struct top_expansion *expansion;
	struct top_beside *beside;
	struct top_code *code; /* NULL: nobody looks into functions */
	char function[256];    /* o.annotate, where it was typed (key s) */
	u64 tables;            /* made so far */
	bool paused, ends;
	struct truth truth;    /* of the table that is drawn */
	struct strbuf picture; /* the text of the screen, without the browser */
};

/* The defaults, of the configuration too. */
void top_init(struct top *t, struct context *ctx);
void top_option_rows(struct top *t, option_rows *rows);
/* Until the user ends it: the exit code. What went wrong is reported. */
int top_run(struct top *t);
void top_release(struct top *t);

#endif
