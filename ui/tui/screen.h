/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal as a grid of character cells, and its keys.
 *
 * One screen for the program.  Rows and columns count from 0 at the top left. Text from files must
 * have been made printable before (strbuf_printable); what the terminal cannot show (bytes above
 * 127 without UTF-8) becomes '?'. The terminal is restored by screen_close(), at exit, and when a
 * signal or a crash ends the program.  Threads: one at a time may draw.
 */
#ifndef UI_TUI_SCREEN_H
#define UI_TUI_SCREEN_H

#include "base/reason.h"
#include "base/types.h"

enum screen_color {
	SCREEN_NORMAL,
	SCREEN_TITLE,
	SCREEN_SELECTED,
	SCREEN_HOT,     /* 5 % and more */
	SCREEN_WARM,    /* over 0.5 % */
	SCREEN_ADDRESS, /* before code, */
	SCREEN_ARROW,   /* and from jumps to their targets */
	SCREEN_MATCH,
	SCREEN_KERNEL, /* boxes of a flame view: of the kernel, */
	SCREEN_WAITS,  /* in which tasks waited, */
	SCREEN_FLAME,  /* and of others, by SCREEN_FLAMES names */
	SCREEN_FLAME_LAST = SCREEN_FLAME + 5,
	SCREEN_COLORS,
};

enum { SCREEN_FLAMES = SCREEN_FLAME_LAST - SCREEN_FLAME + 1 };

/*
 * Single bytes are their own keys (Ctrl-C is 3, TAB 9, ENTER 13, ESC 27); these are the other keys.
 */
enum screen_key {
	KEY_NONE = -1, /* nothing within the time */
	KEY_UP = 0x1000,
	KEY_DOWN,
	KEY_LEFT,
	KEY_RIGHT,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_HOME,
	KEY_END,
	KEY_UNTAB,
	KEY_BACKSPACE,
	KEY_F1,
	KEY_WHEEL_UP,
	KEY_WHEEL_DOWN,
	KEY_RESIZE, /* the screen has another size: draw it again */
	KEY_GONE,   /* there is no terminal any more */
};
#define KEY_CTRL(c) ((c)&0x1f)
#define KEY_ENTER   13
#define KEY_TAB     9
#define KEY_ESC     27

/* Reports whether this program was built with a terminal library. */
bool screen_built_in(void);
/*
 * Reports whether it was, and perf reads from a terminal and writes to one that can move its
 * cursor.
 */
bool screen_fits_terminal(void);
/* Sets a colour, before screen_open(), by names as terminals know them, or "default". */
void screen_set_color(enum screen_color color, const char *fg, const char *bg);
/* Opens the screen. Returns -ENOTSUP with a reason if the terminal cannot move its cursor. */
int screen_open(struct reason *r) MUST_CHECK;
void screen_close(void);
/* Reports whether the screen can show letters beyond ASCII. */
bool screen_utf8(void);
int screen_rows(void);
int screen_columns(void);

/* Sets the colour in which the next texts are drawn. */
void screen_color(enum screen_color color);
/* Draws len bytes of s in at most width cells, and spaces in the rest of the width. */
void screen_text(int row, int column, const char *s, size_t len, int width);
void screen_clear(void);
void screen_box(int row, int column, int rows, int columns);
/* Shows what was drawn and moves the cursor to the place. */
void screen_show(int row, int column);

/* Returns the next key. Waits at most timeout_ms, or without a limit if that is -1. */
int screen_key(int timeout_ms);
/*
 * Sets what is called before and after each wait for a key, so that another thread may use
 * meanwhile what it shares with drawing. NULL means that nothing is called.
 */
void screen_while_waiting(void (*begin)(void *arg), void (*end)(void *arg), void *arg);
/*
 * Sets an eventfd, or -1. When it is readable, a wait with an end, screen_key() with a time,
 * empties it and returns early with KEY_NONE.
 */
void screen_wake_by(int fd);
/*
 * Sets whether Ctrl-C ends the program by a signal, as it does during long work; otherwise it is a
 * key.
 */
void screen_interrupts(bool on);

#endif
