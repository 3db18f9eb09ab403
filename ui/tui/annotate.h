/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function on a terminal, instruction by instruction.
 *
 * A separate thread disassembles the function while a box says so; ESC cancels it. Otherwise
 * single-threaded. The screen is open before and after.
 */
#ifndef UI_TUI_ANNOTATE_H
#define UI_TUI_ANNOTATE_H

#include "annotate/annotate.h"

struct data_types;

/* Counts that grow while the user looks at them (perf top). All get tui_annotate.live_arg. */
struct tui_annotate_live {
	int (*due)(void *arg);   /* as that of a table: ui/tui/report.h */
	void (*next)(void *arg); /* takes the next counts: afterwards counts and all are up to
				  * date */
	/*
	 * Called before and after images and symbols are read on another thread, so they do not
	 * change meanwhile.
	 */
	void (*hold)(void *arg, bool on);
};

struct tui_annotate {
	struct context *ctx; /* its cancel token is used, and cleared again */
	struct annotator *annotator;
	struct annotate_counts *counts;
	const u32 *events; /* shown side by side, by number in counts */
	u32 columns;
	const struct annotate_count *all; /* by column: of everything recorded */
	const char *title;                /* the first line, without percent type */
	enum annotate_percent percent;
	bool show_samples, show_period, no_source;
	/* %: instructions below it are hidden, and source lines without others */
	double least;
	bool asm_raw;             /* bytes of instructions, the first eight, before their text */
	bool cycle_range;         /* least and most beside the average of cycles */
	bool show_types;          /* types and fields beside the code */
	struct data_types *types; /* made on first use; the caller frees */
	const struct tui_annotate_live *live; /* NULL: the counts do not change */
	void *live_arg;
	const char *file; /* what scripts are run over; NULL: no file */
	char *search;     /* searched for last, kept between functions; the caller frees it */
};

enum tui_annotate_end { ANNOTATE_BACK, ANNOTATE_TO_TABLE, ANNOTATE_QUIT };

/* Shows one function, and those it calls, until the user leaves. */
enum tui_annotate_end tui_annotate(struct tui_annotate *t, u32 image, u32 symbol);

/* A list of functions to choose from; a single one is shown immediately. */
struct annotate_choice {
	u32 image, symbol;
	const char *text;
};
void tui_annotate_list(struct tui_annotate *t, const struct annotate_choice *choices, size_t count);

#endif
