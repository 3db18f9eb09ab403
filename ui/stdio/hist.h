/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histograms as plain text: the columns, the rows, the call chains below them.
 *
 * Layout is that of perf report --stdio: two blanks before each column, values
 * to the right, keys to the left, "# " before heads.  With a separator the cells
 * are parted by it alone.  Threads: one at a time for each out.
 */
#ifndef UI_STDIO_HIST_H
#define UI_STDIO_HIST_H

#include "base/out.h"
#include "hist/hist.h"

struct stdio_settings {
	const char *separator;	/* -t, or NULL */
	const u32 *widths;	/* -w: of the columns from the left, 0: as wide as needed */
	size_t width_count;
	bool no_heads;		/* rows only */
	bool color;
	bool first_frame_known; /* the symbol column comes first: it is not drawn again */
};

/* Heads, rows with their call chains, two empty lines. */
void stdio_hist(const struct stdio_settings *set, const struct hist_view *v, struct out *out);
/* "# Samples: 22K of event 'cpu-clock'", "# Event count (approx.): N"; times: --time, or NULL. */
void stdio_hist_title(const struct hist_view *v, const char *times, struct strbuf *b);
/* The call chains of one entry, as below its row. */
void stdio_call_tree(const struct stdio_settings *set, const struct hist_view *v,
		     const struct hist_entry *e, struct strbuf *b);
/* Colour for a percentage as perf chooses it: "" when none. */
const char *stdio_percent_color(double percent);

#endif
