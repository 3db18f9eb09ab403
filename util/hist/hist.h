/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histograms: samples grouped by keys, with their call chains.
 *
 *	      hist_new, hist_set_keys		columns and settings
 *	            |
 *	sample -> collector \			one for each worker: rows of (event, key,
 *	sample -> collector -+			leaf, chain) with sums; nothing is named
 *	sample -> collector /
 *	            |
 *	      hist_finish			rows are merged, each frame is named once,
 *	            |				entries are made and sorted into views
 *	      hist_view, hist_fields		what ui draws, without knowing the columns
 *	            |
 *	      hist_narrow			zooms and filters; any number of times
 *
 * A table that goes on while it is shown is a pool (hist/pool.h), of which each snapshot is
 * a finished hist.
 * This header has the life of a hist and its collectors, and brings the others along: sample.h,
 * column.h, settings.h, view.h, stacks.h.
 *
 * Sums are integers (u64); percentages are made when drawing.
 * Order of entries: sort fields, then content, never ids or pointers: the result
 * does not depend on the number of workers.
 * Threads: a collector belongs to one worker; the rest is single-threaded but
 * for naming.
 * Life: hist_free() frees everything that a hist returned.
 */
#ifndef HIST_HIST_H
#define HIST_HIST_H

#include "base/strbuf.h"
#include "base/text.h"
#include "chain/chain.h"
#include "event/sample.h"
#include "hist/column.h"
#include "hist/sample.h"
#include "hist/settings.h"
#include "hist/stacks.h"
#include "hist/truth.h"
#include "hist/view.h"
#include "process/history.h"
#include "symbol/symbol.h"
#include "tracepoint/tracepoint.h"

struct hist;
struct hist_collector;

/* ---- life ---- */

/* Makes a hist. Copies settings, whose pointers must outlive the hist. */
struct hist *hist_new(struct context *ctx, const struct event_set *events, struct history *history,
		      const struct image_table *images, const struct hist_settings *settings);
void hist_free(struct hist *h);
/* Says with a warning when settings.sort_member, which was asked for, names no event of a group. */
void hist_check_member(struct context *ctx, const struct hist_settings *set,
		       const struct event_set *events);
/*
 * Sets the sort keys and fields in the syntax of perf's -s and -F: NULL, a list, or "+list" to add
 * to the defaults. With traces, the default key is the trace text. Returns -EINVAL with a reason
 * that names the unknown key.
 */
int hist_set_keys(struct hist *h, const char *sort, const char *fields, bool traces,
		  struct reason *r) MUST_CHECK;
/*
 * Adds one more value column ("sample", "period") after the overheads. Returns errors as
 * hist_set_keys().
 */
int hist_add_value(struct hist *h, const char *name, struct reason *r) MUST_CHECK;
const struct hist_settings *hist_settings(const struct hist *h);

/* Reports whether any setting leaves out samples. */
bool hist_filters_samples(const struct hist_settings *s);

/* ---- collect ---- */

/*
 * Reports whether no row depends on where its samples were. Then there are as few rows as the table
 * has lines, instead of one for each address, and samples need no hist_sample.leaf.
 */
bool hist_is_placeless(const struct hist *h);
/*
 * Reports whether there is a column of places in the program. Samples need their call chains for
 * it.
 */
bool hist_shows_programs(const struct hist *h);
struct hist_collector *hist_collector_new(struct hist *h);
/*
 * Reports whether the collector looks at the place of an access's data. If not, that may be empty.
 */
bool hist_collector_sees_data(const struct hist_collector *c);
void hist_collector_free(struct hist_collector *c);
/*
 * Resets the collector to its first state. Needed before numbers of tasks, comms and images are
 * reused.
 */
void hist_collector_clear(struct hist_collector *c);
void hist_collector_add(struct hist_collector *c, const struct hist_sample *s);
/* Returns how many rows the collector's tables hold. */
size_t hist_collector_rows(const struct hist_collector *c);
/* Returns the number of a text, for columns with HIST_TEXT. */
u64 hist_collector_text(struct hist_collector *c, const char *text);
/* Returns the number of the text that put() writes for a value. Fast if a few values recur. */
u64 hist_collector_text_of(struct hist_collector *c, u64 value,
			   void (*put)(u64 value, struct strbuf *b));
/* Returns the number of a place's frame, for columns with HIST_FRAME_SLOT. */
u64 hist_collector_frame(struct hist_collector *c, const struct hist_place *p);
/* Returns scratch memory for a worker's columns. */
struct strbuf *hist_collector_scratch(struct hist_collector *c);
/* Returns a printer, made on first use; NULL if the file has no tracepoint formats. */
struct tracepoint_printer *hist_collector_printer(struct hist_collector *c);
void hist_set_tracepoints(struct hist *h, const struct tracepoint_formats *formats);

/* Collectors are emptied.  Views are ready afterwards. */
int hist_finish(struct hist *h, struct hist_collector *const *collectors, size_t count,
		struct symbol_store *symbols, struct reason *r) MUST_CHECK;

#endif
