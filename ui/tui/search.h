/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searching for a text in the rows of a list: the keys / and n of screens with plain rows. */
#ifndef UI_TUI_SEARCH_H
#define UI_TUI_SEARCH_H

#include "ui/tui/list.h"

struct list_search {
	/* Adds what the row shows. */
	void (*row)(void *arg, u64 row, struct strbuf *b);
	void *arg;
	struct strbuf wanted; /* the last searched text */
};

/*
 * Asks for a text and selects the next row that contains it; if nothing is typed, the last text is
 * used.
 */
void list_search_ask(struct list_search *s, struct list *l);
/*
 * Selects the next row that contains the text, ignoring case and wrapping around at the end.  A
 * message says if there is none, or no text yet.
 */
void list_search_next(struct list_search *s, struct list *l);
void list_search_release(struct list_search *s);

#endif
