/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking for a text in the rows of a list: the keys / and n of screens with plain rows. */
#ifndef UI_TUI_SEARCH_H
#define UI_TUI_SEARCH_H

#include "ui/tui/list.h"

struct list_search {
	/* Adds what the row shows. */
	void (*row)(void *arg, u64 row, struct strbuf *b);
	void *arg;
	struct strbuf wanted; /* what was looked for last */
};

/* Ask for a text, and select the next row that has it; nothing typed: what was looked for last. */
void list_search_ask(struct list_search *s, struct list *l);
/*
 * Select the next row after the selected one that has the text, around the end, whatever its
 * letters' case.  When there is none, or no text yet, that is said.
 */
void list_search_next(struct list_search *s, struct list *l);
void list_search_release(struct list_search *s);

#endif
