/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles compared: the rows of several histograms side by side.
 *
 * The first file is the baseline. There is one table for each of its events; other files take part
 * with the event of the same name, else with that of the same kind (type and config). Rows are
 * matched by the text of their keys, never by address, so builds may differ. Rows that stay alone
 * are tried again without the marks that a compiler (.constprop.0, .isra.0, .part.0, .cold, [clone
 * ...]) or a release (libx-1.2.so.3) put on a name. They are joined only when no file has both.
 *
 * Shares are of hist_view_period(): of all samples, or of those that pass the filters. Periods are
 * in the event's unit. Threads: one.
 * Life: a diff reads the hists when it is made and has its own texts; diff_free() frees all that it
 * returned.
 */
#ifndef BUILTIN_DIFF_DIFF_H
#define BUILTIN_DIFF_DIFF_H

#include "base/strbuf.h"
#include "hist/hist.h"

enum diff_method {
	DIFF_DELTA_ABS, /* difference of shares, sorted by its size */
	DIFF_DELTA,     /* the same, sorted with its sign */
	DIFF_RATIO,     /* period / baseline's period */
	DIFF_WDIFF,     /* period * weight[1] - baseline's period * weight[0] */
	DIFF_CYCLES,    /* by the cycles of the same basic blocks: diff/blocks.h */
};

struct diff_settings {
	enum diff_method method;
	s64 weight[2];      /* one for the baseline, one for the data */
	u32 order;          /* the file whose value sorts; 0: the baseline's share */
	bool baseline_only; /* rows of the baseline that another file also has */
	double level;       /* the confidence level: 0.95 */
	/* what changed beyond chance is sorted before the rest; not by the baseline's share */
	bool sure_first;
};

/* Parses "delta", "delta-abs", "ratio", "wdiff:1,2", "cycles". */
int diff_method_parse(struct diff_settings *s, const char *text, struct reason *r) MUST_CHECK;
/* Returns the column's head: "Delta Abs". */
const char *diff_method_head(enum diff_method m);

struct diff_side {
	bool present;
	u64 samples, period;
	double squares; /* the squares of the samples' periods, summed */
};
struct diff_row {
	char **keys;            /* as shown, by key column */
	struct diff_side *side; /* by file */
	bool sure;              /* what sorts changed beyond chance */
};
struct diff_key {
	char *head;
	bool ragged;
};
struct diff_table {
	char *event;
	size_t file_count, key_count, row_count;
	const struct diff_key *keys;
	struct diff_side *totals; /* by file: what 100 % is; not present: the file has no such
				   * event */
	struct diff_row **rows;   /* sorted */
};

struct diff;
/*
 * Matches the rows of the files. With verbose, names are shown with addresses and full paths, but
 * matched without them.
 */
struct diff *diff_new(struct hist *const *files, size_t count, const struct diff_settings *s,
		      bool verbose);
void diff_free(struct diff *d);
size_t diff_table_count(const struct diff *d);
const struct diff_table *diff_table(const struct diff *d, size_t i);

/* Returns the row's share of its file in percent. */
double diff_share(const struct diff_table *t, const struct diff_row *row, size_t file);

struct diff_value {
	enum { DIFF_NONE, DIFF_NOT_DEFINED, DIFF_NUMBER } kind;
	double number; /* percentage points, a ratio (infinite: the row is new), or a weighted
			  difference */
};
/*
 * Compares a row's sides. NONE means that neither file has the row, or that the file has no such
 * event; NOT_DEFINED is a ratio to a period of 0.
 */
struct diff_value diff_compute(const struct diff_settings *s, const struct diff_table *t,
			       const struct diff_row *row, size_t file);

/*
 * Between which values the true difference lies, with settings.level.  Samples are taken
 * as independent draws, each with its period as weight; how well a share is known follows
 * from the sum of the squared periods Q = diff_side.squares: the variance of a sum of a random
 * number of weights is the sum of their squares.
 * Shares p of a file with the total T: variance (Q (1-p)^2 + (Q_all - Q) p^2) / T^2, which is
 * that of p (1-p) / variance draws of equal weight (statistics_share_draws()).  With this many:
 * Newcombe's interval from two Wilson scores (Statistics in Medicine 17, 1998, method 10), which
 * holds for small counts and for none; a side with less than five samples must also pass Fisher's
 * exact test.  A row without samples in a file would have there as much more weight than the other
 * rows as it has in the other file.  Ratios: log-normal with variance Q_a / a^2 + Q_b / b^2.
 * Weighted: normal with variance weight^2 Q of each.  Where one side has no samples of the row: the
 * exact limits of two Poisson counts for ratios, Poisson's limit for a count of 0 for weighted
 * differences.
 */
struct diff_interval {
	bool known;  /* enough was counted to say */
	bool change; /* "no change" is outside of the interval */
	double low, high;
};
struct diff_interval diff_interval(const struct diff_settings *s, const struct diff_table *t,
				   const struct diff_row *row, size_t file);

struct diff_draw {
	const char *const *paths; /* by file */
	const char *separator;    /* NULL: columns */
	bool no_heads, period, formula, confidence, verbose, color;
};
void diff_table_text(const struct diff_settings *s, const struct diff_table *t,
		     const struct diff_draw *draw, struct strbuf *b);
/* As the table shows them; v: what diff_compute() said of a file's side of the row. */
void diff_value_text(const struct diff_settings *s, const struct diff_row *row, size_t file,
		     double v, struct strbuf *b);
void diff_interval_text(const struct diff_settings *s, const struct diff_interval *i,
			struct strbuf *b);
/* How many rows changed in some file, beyond chance. */
size_t diff_changed_rows(const struct diff_settings *s, const struct diff_table *t);

#endif
