// SPDX-License-Identifier: GPL-2.0-or-later
/* A build without a terminal library has no screen; nothing else is called. */
#include <errno.h>

#include "ui/tui/screen.h"

bool screen_built_in(void)
{
	return false;
}

bool screen_fits_terminal(void)
{
	return false;
}

void screen_set_color(enum screen_color color, const char *fg, const char *bg)
{
	(void)color;
	(void)fg;
	(void)bg;
}

int screen_open(struct reason *r)
{
	reason_set(r, ENOTSUP, "this perf was built without the terminal browser");
	reason_hint(r, "use --stdio, or build with S-Lang (Debian: libslang2-dev)");
	return -ENOTSUP;
}

void screen_close(void)
{
}

bool screen_utf8(void)
{
	return false;
}

int screen_rows(void)
{
	return 0;
}

int screen_columns(void)
{
	return 0;
}

void screen_color(enum screen_color color)
{
	(void)color;
}

void screen_text(int row, int column, const char *s, size_t len, int width)
{
	(void)row, (void)column, (void)s, (void)len, (void)width;
}

void screen_clear(void)
{
}

void screen_box(int row, int column, int rows, int columns)
{
	(void)row, (void)column, (void)rows, (void)columns;
}

void screen_show(int row, int column)
{
	(void)row, (void)column;
}

int screen_key(int timeout_ms)
{
	(void)timeout_ms;
	return KEY_GONE;
}

void screen_interrupts(bool on)
{
	(void)on;
}

void screen_wake_by(int fd)
{
	(void)fd;
}

void screen_while_waiting(void (*begin)(void *arg), void (*end)(void *arg), void *arg)
{
	(void)begin;
	(void)end;
	(void)arg;
}
