/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf report on a terminal: events, their histograms, zooms, call trees.
 *
 * Drawing reads a finished hist and resolves nothing.  In perf top a new hist regularly replaces
 * the one shown; the selected row, zooms and opened entries are kept.  Single-threaded.
 */
#ifndef UI_TUI_REPORT_H
#define UI_TUI_REPORT_H

#include "base/context.h"
#include "hist/hist.h"
#include "ui/stdio/hist.h"

/*
 * A table that is made again and again.  All get tui_report.arg and are called by the thread
 * that draws.
 */
struct tui_live {
	/*
	 * 0: ask for the next table; else ms to wait at most, unless screen_wake_by()'s descriptor
	 * ends that.
	 */
	int (*due)(void *arg);
	/* The next table, which the browser frees; NULL: the picture stays as it is. */
	struct hist *(*next)(void *arg);
	void (*shown)(void *arg); /* the tables before have been freed */
	/* zooms: what the user has narrowed the list to, as a text that belongs into the title. */
	void (*title)(void *arg, const struct hist_view *v, const char *zooms, struct strbuf *b);
	/* K, U, z, p, SPACE: what to say of it. */
	const char *(*key)(void *arg, int key);
	/* d, e, f, w: settings of the table.  What to ask for, and what to say of an answer. */
	const char *(*question)(void *arg, int key);
	const char *(*answer)(void *arg, int key, const char *text);
	/* Which rows such settings leave out. */
	void (*limits)(void *arg, u64 *least_samples, size_t *most_entries);
	/* The function of this name instruction by instruction.  False: it has no samples. */
	bool (*open)(void *arg, const struct hist_view *v, const char *name, bool *quit);
};

struct tui_report {
	struct context *ctx;               /* its cancel token is used, and cleared again */
	struct hist *hist;                 /* finished; it is narrowed here */
	const struct stdio_settings *draw; /* widths of columns; a live table may change them */
	bool hierarchy;                    /* one key below the other */
	const char *file;                  /* what scripts are run over; NULL: no file */
	/* The file's header as text, or NULL. */
	void (*header)(void *arg, struct strbuf *b);
	/* How true the view is: a few words for the title, and all causes for a screen; or NULL. */
	void (*truth)(void *arg, const struct hist_view *v, struct strbuf *b);
	void (*causes)(void *arg, struct strbuf *b);
	/* The function of an entry, instruction by instruction; or NULL.  True: the user quits. */
	bool (*annotate)(void *arg, const struct hist_view *v, u32 image, u32 symbol);
	/* NULL: the hist does not change.  Else it is the browser's, which frees it. */
	const struct tui_live *live;
	void *arg;
};

/*
 * Runs until the user leaves.  *other: NULL, or the file to open next; the caller frees it.  The
 * screen is open before and after.
 */
void tui_report(const struct tui_report *t, char **other);

/*
 * While a file is read, a separate thread draws a box with the samples so far and their share of
 * all, until tui_loading_stop(). Nothing else may draw meanwhile.
 */
struct tui_loading;
/*
 * Starts showing progress. samples() returns how many have been read, and sets *all, to 0 while
 * that is unknown.
 */
struct tui_loading *tui_loading_start(const char *file, u64 (*samples)(void *arg, u64 *all),
				      void *arg);
void tui_loading_stop(struct tui_loading *l);

#endif
