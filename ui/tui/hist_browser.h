/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of the report browser: its state, shared by drawing, zooms and keys. */
#ifndef UI_TUI_HIST_BROWSER_H
#define UI_TUI_HIST_BROWSER_H

#include "base/hash.h"
#include "ui/tui/hist_rows.h"
#include "ui/tui/keys.h"
#include "ui/tui/list.h"
#include "ui/tui/report.h"

/* One step that can be undone: a zoom, or a part of symbols' names. */
struct crumb {
	struct hist_zoom zoom; /* field NULL: only part */
	char *part;
	char *label;
};

enum browser_end { GO_ON, TO_MENU, NEXT_EVENT, PREVIOUS_EVENT, SWITCH_FILE, QUIT };

struct browser {
	struct tui_report *set; /* live: its hist is replaced */
	const struct hist_view *view;
	struct hist_rows *rows;
	struct stdio_settings draw;
	struct stdio_layout *layout;
	struct list list;
	VEC(struct crumb) crumbs; /* the last one is undone first */
	double percent_limit;
	bool relative, no_heads, verbose;
	bool pinned;         /* rows stay where they are while their numbers change */
	struct map64 places; /* while pinned: hash of a row's keys -> its place */
	u32 sort_member;
	size_t event_count; /* with samples */
	enum browser_end end;
	char *other; /* SWITCH_FILE */
	struct strbuf search;
};

/* ---- hist_browser.c: what is seen ---- */

extern const struct list_ops hist_browser_ops;
/*
 * Makes views and rows again after crumbs or settings changed; entry, unless NULL, stays selected.
 */
void browser_narrow(struct browser *b, const struct hist_entry *keep);
/* live.c: replaces this table by the next one. */
void browser_follow(struct browser *b);
/* Finds the selected row. Returns false in an empty list. */
bool browser_row(const struct browser *b, struct hist_row *row);
void browser_title(void *arg, struct strbuf *out);
/* Writes all rows into the first free perf.hist.N. */
void browser_print(struct browser *b);
void browser_search(struct browser *b);

/* ---- hist_places.c: the order, pinned ---- */

/* Sets out to the identity of an entry as text: its keys, and the address of its function. */
void browser_identify(const struct hist_view *v, const struct hist_entry *e, struct strbuf *out);
/* Pins the rows to their current places, or lets the order follow the numbers again. */
void browser_pin(struct browser *b, bool on);
/* Returns the place of an entry while rows are pinned; arg is the browser. */
u64 browser_place(void *arg, const struct hist_view *v, const struct hist_entry *e);
/* Renumbers the shown rows from 1 on once most of the places belong to rows that are gone. */
void browser_forget_places(struct browser *b);

/* ---- hist_zoom.c: crumbs ---- */

/* Returns the field in use with this HIST_ flag or name, or NULL. */
const struct hist_field *browser_field(const struct browser *b, unsigned flag, const char *name);
const struct hist_field *browser_thread_field(const struct browser *b);
/* Adds what a field's zoom is called: "Thread: ls(12)". */
void browser_zoom_name(const struct browser *b, const struct hist_field *f,
		       const struct hist_entry *e, struct strbuf *out);
/* Zooms into the field's value in e, or out of it if that zoom is on. */
void browser_zoom(struct browser *b, const struct hist_field *f, const struct hist_entry *e);
bool browser_zoom_out(struct browser *b);
void browser_filter_symbol(struct browser *b, const char *part);
void crumb_release(struct crumb *c);

/* ---- hist_keys.c: what keys do ---- */

extern const struct key_row hist_browser_keys[];
extern const size_t hist_browser_key_count;
/* hist_files.c */
void browser_choose_file(void *arg, int key);

/* ---- hist_menu.c ---- */

/* Returns the frame of a row: for a row of a call chain, that of the caller. */
const struct frame *browser_row_frame(const struct browser *b, const struct hist_row *row);
void browser_row_menu(void *arg, int key);

#endif
