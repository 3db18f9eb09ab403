/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The small screens: choose a line, read a text, type a line, answer yes or no. */
#ifndef UI_TUI_MENU_H
#define UI_TUI_MENU_H

#include "base/strbuf.h"
#include "base/text.h"
#include "ui/tui/keys.h"

#define MENU_BACK (-1) /* ESC, LEFT */
#define MENU_QUIT (-2) /* q, Ctrl-C, no terminal any more */
/* Number of the chosen line, or one of these; at is selected first. */
int menu_choose(const char *title, const char *head, const struct strlist *lines, size_t at);
/* Lines that change while they are shown; their number and order stay the same. */
struct menu_live {
	int (*due)(void *arg);                            /* ms until the next change */
	void (*change)(void *arg, struct strlist *lines); /* it is due */
	void *arg;
};
int menu_choose_live(const char *title, struct strlist *lines, size_t at,
		     const struct menu_live *live);
/* Lines to scroll through, until q, ESC or LEFT. */
void menu_text(const char *title, const char *text);
/* The same for sentences: long lines are wrapped at the screen's width. */
void menu_message(const char *title, const char *text);
/* The help of a screen: the rows of its table of keys that can be used now. */
void menu_keys(const struct key_row *rows, size_t count, const void *arg);
/* The lines of a text as they are shown, empty ones too. */
void menu_split_lines(struct strlist *lines, const char *text);

/* box.c */
/* Asks the user for a line, in a box over the current screen; false if cancelled by ESC. */
bool menu_ask(const char *title, const char *help, struct strbuf *answer);
bool menu_yes(const char *question);
/* A box with a few lines of text over the current screen, shown at once. */
void menu_box(const char *title, const char *text);

#endif
