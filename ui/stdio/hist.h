/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histograms as plain text: the columns, the rows, the call chains below them.
 *
 * The layout is that of perf report --stdio: two spaces before each column, values right-aligned,
 * keys left-aligned, "# " before headings. With a separator, only that separates the cells.
 * Threads: one at a time for each out.
 */
#ifndef UI_STDIO_HIST_H
#define UI_STDIO_HIST_H

#include "base/out.h"
#include "hist/hist.h"

struct stdio_settings {
	const char *separator; /* -t, or NULL */
	const u32 *widths;     /* -w: of the columns from the left, 0: as wide as needed */
	size_t width_count;
	/* columns are as wide as these first rows need; 0: as all rows do */
	size_t measured;
	/* of a screen: keys before the symbol are cut if it would have little room; 0: never */
	int columns;
	bool no_heads; /* rows only */
	bool color;
	bool first_frame_known; /* the symbol column comes first: it is not drawn again */
};

/* Prints heads, rows with their call chains, and two empty lines. */
void stdio_hist(const struct stdio_settings *set, const struct hist_view *v, struct out *out);
/* Prints the same with the keys below each other, see hist_hierarchy_new(). */
void stdio_hierarchy(const struct stdio_settings *set, const struct hist_view *v, struct out *out);
/*
 * Adds "# Samples: 22K of event 'cpu-clock'" and "# Event count (approx.): N". times is --time, or
 * NULL.
 */
void stdio_hist_title(const struct hist_view *v, const char *times, struct strbuf *b);
/* Adds "Samples: 22K of event 'cpu-clock'" and returns the event count. */
u64 stdio_hist_event(const struct hist_view *v, struct strbuf *b);

/*
 * The same columns, one row at a time, for other screens: without "# " and newlines.
 * The layout is measured for the entries and fields that the view shows now; set and
 * v must outlive it.  The caller frees it.
 */
struct stdio_layout;
struct stdio_layout *stdio_layout_new(const struct stdio_settings *set, const struct hist_view *v);
void stdio_layout_free(struct stdio_layout *l);
void stdio_layout_head(const struct stdio_layout *l, struct strbuf *b);
/* Adds a row. ends is NULL, or receives by field the length of b after it. */
void stdio_layout_row(struct stdio_layout *l, const struct hist_entry *e, struct strbuf *b,
		      size_t *ends);
/*
 * Adds the heading of a hierarchy: the values, then the keys of one level, indented below the level
 * above. stdio_hierarchy_row() adds a row and returns where the values end.
 */
void stdio_hierarchy_head(struct stdio_layout *l, struct strbuf *b);
size_t stdio_hierarchy_row(struct stdio_layout *l, u32 level, const struct hist_entry *e,
			   struct strbuf *b);
/* Adds the call chains of one entry as they appear below its row. */
void stdio_call_tree(const struct stdio_settings *set, const struct hist_view *v,
		     const struct hist_entry *e, struct strbuf *b);
/*
 * Adds the samples that an entry keeps, like the beginning of the lines of perf script: "comm TID
 * [CPU] TIME:".
 */
void stdio_picks(const struct hist_view *v, const struct hist_entry *e, struct strbuf *b);
/* Returns the colour of a percentage as perf chooses it, "" for none. */
const char *stdio_percent_color(double percent);

#endif
