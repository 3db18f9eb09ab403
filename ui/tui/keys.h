/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of keys: what each key of a screen does, and the help text made from the table.
 *
 * A key may be in several rows if at most one of them is usable at a time. The help names each key
 * of a row. Rows of the same group follow each other, and the group's text is the heading over
 * them.
 */
#ifndef UI_TUI_KEYS_H
#define UI_TUI_KEYS_H

#include "base/strbuf.h"
#include "ui/tui/screen.h"

#define KEYS_OF_ROW 10

struct key_row {
	int keys[KEYS_OF_ROW]; /* ended by a 0 when there are fewer */
	const char *help;
	const char *group; /* heading, or NULL as the row before */
	/* Does the key do anything now?  NULL: always.  If not, the help leaves the row out. */
	bool (*usable)(const void *arg);
	void (*run)(void *arg, int key); /* NULL: the list itself does it */
	/*
	 * Among several rows of a key that are not usable: whether this is the one that is meant.
	 * NULL means that the first one is.
	 */
	bool (*meant)(const void *arg);
	/* what to say then of a row that is not usable; NULL: nothing in particular */
	const char *lacks;
};

/* The keys that list_move() takes: rows of the table of each screen with a list. */
#define KEYS_OF_LIST(HEADING)                                                                      \
	{ .keys = { KEY_UP, KEY_DOWN, KEY_WHEEL_UP, KEY_WHEEL_DOWN },                              \
	  .help = "Move by lines",                                                                 \
	  .group = (HEADING) },                                                                    \
		{ .keys = { KEY_PAGE_UP, KEY_PAGE_DOWN, ' ' }, .help = "Move by screens" },        \
		{ .keys = { KEY_HOME, KEY_END }, .help = "First and last line" },                  \
	{                                                                                          \
		.keys = { '<', '>' }, .help = "Move the lines sideways"                            \
	}

/* Returns the row of a key that can be used now, or NULL. */
const struct key_row *keys_find(const struct key_row *rows, size_t count, int key, const void *arg);
/*
 * Returns the row that is meant by a key which no row can use now, or else the key's first row.
 * Returns NULL if a row can use it.
 */
const struct key_row *keys_idle(const struct key_row *rows, size_t count, int key, const void *arg);
/* Adds the names of the row's keys: "q ESC Ctrl-C", "0-9". */
void keys_names(const struct key_row *row, struct strbuf *out);
/* Adds one line for each row that can be used now, under its heading. */
void keys_help(const struct key_row *rows, size_t count, const void *arg, struct strbuf *out);

#endif
