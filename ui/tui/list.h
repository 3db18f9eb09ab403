/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A screen with a list: title, head, rows, status line.
 *
 * The list asks only for what is visible, so its length does not matter. It handles the keys that
 * move; all others are the caller's.
 */
#ifndef UI_TUI_LIST_H
#define UI_TUI_LIST_H

#include "base/strbuf.h"

struct list;

struct list_ops {
	/* The first line. */
	void (*title)(void *arg, struct strbuf *b);
	/*
	 * Writes the heading over the rows (one line, or several separated by newlines); NULL: a
	 * list without one.  Where nothing is written, the list has none at present.
	 */
	void (*head)(void *arg, struct strbuf *b);
	u64 (*count)(void *arg);
	/* Rows first .. first + n - 1, drawn by list_row() or list_colored_row(). */
	void (*draw)(void *arg, const struct list *l, u64 first, u64 n);
};

struct list {
	const struct list_ops *ops;
	void *arg;
	u64 top, at;        /* first row that is visible; the selected one */
	const char *status; /* the last line */
	bool counts_more;   /* it says how many rows are below the screen */
	char *message;      /* instead of it until the next key; owned */
	bool size_noted;    /* the status line is shown again at any size of the screen */
	u32 column;         /* first column of rows that is visible */
	bool own_space;     /* SPACE is the caller's key, it does not move */
	/*
	 * A smaller window may have to scroll to keep the selected row visible. When it grows
	 * again, the list goes back to where it was.
	 */
	u64 rows, home; /* visible rows when it was last drawn; top before the size changed */
	bool resized;   /* and nobody has moved since */
};

/* Keeps the selection inside the list and on the screen, then draws and shows the screen. */
void list_draw(struct list *l);
/* Draws, and returns the next key that does not move the selection. */
int list_key(struct list *l);
/* Works like list_key(), but returns KEY_NONE after ms milliseconds (-1 waits forever). */
int list_key_within(struct list *l, int ms);
/* Handles a key that moves the selection, and returns true if it is one. */
bool list_move(struct list *l, int key);
/* Selects a row, and moves it to the middle if it is not visible. */
void list_select(struct list *l, u64 row);
/* Shows a text in the status line until the next key; a long text takes several lines. */
void list_say(struct list *l, const char *fmt, ...) PRINTF_LIKE(2, 3);
void list_release(struct list *l);

/* A piece of a row in one colour; the selected row has its own colour. */
struct list_piece {
	size_t end; /* bytes of the row up to here */
	int color;  /* enum screen_color */
};
/* Draws a row, for draw(); row is its number in the list. */
void list_row(const struct list *l, u64 row, const struct strbuf *text);
void list_colored_row(const struct list *l, u64 row, const struct strbuf *text,
		      const struct list_piece *pieces, size_t count);

#endif
