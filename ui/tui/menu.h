/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The small screens: choose a line, read a text, type a line, answer yes or no. */
#ifndef UI_TUI_MENU_H
#define UI_TUI_MENU_H

#include "base/strbuf.h"
#include "base/text.h"
#include "ui/tui/keys.h"

#define MENU_BACK (-1) /* ESC, LEFT */
#define MENU_QUIT (-2) /* q, Ctrl-C, no terminal any more */
/*
 * Shows lines to choose from, with at selected first. Returns the number of the chosen one,
 * MENU_BACK or MENU_QUIT.
 */
int menu_choose(const char *title, const char *head, const struct strlist *lines, size_t at);
/* Lines that change while they are shown; their number and order stay the same. */
struct menu_live {
	int (*due)(void *arg);                            /* ms until the next change */
	void (*change)(void *arg, struct strlist *lines); /* it is due */
	void *arg;
};
int menu_choose_live(const char *title, struct strlist *lines, size_t at,
		     const struct menu_live *live);
/* Shows lines to scroll through, until q, ESC or LEFT. */
void menu_text(const char *title, const char *text);
/* Shows sentences in the same way, with long lines wrapped at the screen's width. */
void menu_message(const char *title, const char *text);
/* Shows the help of a screen: the rows of its table of keys that can be used now. */
void menu_keys(const struct key_row *rows, size_t count, const void *arg);
/* Splits a text into the lines that are shown, including empty ones. */
void menu_split_lines(struct strlist *lines, const char *text);

/* box.c */
/* Asks the user for a line, in a box over the current screen; false if cancelled by ESC. */
bool menu_ask(const char *title, const char *help, struct strbuf *answer);
bool menu_yes(const char *question);
/* Shows a box with a few lines of text over the current screen, immediately. */
void menu_box(const char *title, const char *text);

#endif
