// SPDX-License-Identifier: GPL-2.0-or-later
#include "ui/tui/list.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ui/tui/screen.h"

#define WHEEL_ROWS     3
#define SCROLL_COLUMNS 8
#define LEAST_ROWS     24
#define LEAST_COLUMNS  80

/* Returns how many lines the head has, 0 for none. */
static int head_lines(const struct list *l)
{
	struct strbuf b = STRBUF_INIT;
	int lines;

	if (!l->ops->head)
		return 0;
	l->ops->head(l->arg, &b);
	lines = b.len > 0;
	for (size_t i = 0; i < b.len; i++)
		lines += b.s[i] == '\n';
	strbuf_release(&b);
	return lines;
}

/* Returns the line of the first row, below the title and the headings. */
static int first_line(const struct list *l)
{
	return 1 + head_lines(l);
}

static u64 visible_rows(const struct list *l)
{
	int rows = screen_rows() - first_line(l) - 1;

	return rows > 0 ? (u64)rows : 1;
}

static void keep_inside(struct list *l)
{
	u64 count = l->ops->count(l->arg), rows = visible_rows(l);

	if (l->rows && l->rows != rows) {
		if (!l->resized)
			l->home = l->top;
		l->top = l->home;
		l->resized = true;
	}
	l->rows = rows;
	l->at = count ? MIN(l->at, count - 1) : 0;
	if (l->at < l->top)
		l->top = l->at;
	if (l->at >= l->top + rows)
		l->top = l->at - rows + 1;
	if (l->top && l->top + rows > count)
		l->top = count > rows ? count - rows : 0;
}

void list_select(struct list *l, u64 row)
{
	u64 rows = visible_rows(l);

	l->resized = false;
	l->at = row;
	if (row < l->top || row >= l->top + rows)
		l->top = row > rows / 2 ? row - rows / 2 : 0;
}

static int line_of(const struct list *l, u64 row)
{
	return first_line(l) + (int)(row - l->top);
}

/*
 * Returns how many bytes of the text are left of the list's column, without splitting a character.
 */
static size_t skipped(const struct list *l, const struct strbuf *text)
{
	return text_fit(strbuf_cstr(text), text->len, (int)MIN(l->column, (size_t)INT_MAX));
}

void list_colored_row(const struct list *l, u64 row, const struct strbuf *text,
		      const struct list_piece *pieces, size_t count)
{
	size_t from = skipped(l, text), skip = from;
	int line = line_of(l, row), width = screen_columns();

	for (size_t i = 0; i < count; i++) {
		if (pieces[i].end <= from)
			continue;
		screen_color(row == l->at ? SCREEN_SELECTED : (enum screen_color)pieces[i].color);
		screen_text(line, text_columns(text->s + skip, from - skip), text->s + from,
			    pieces[i].end - from, width);
		from = pieces[i].end;
	}
	screen_color(row == l->at ? SCREEN_SELECTED : SCREEN_NORMAL);
	screen_text(line, text_columns(strbuf_cstr(text) + skip, from - skip),
		    strbuf_cstr(text) + from, text->len - from, width);
}

void list_row(const struct list *l, u64 row, const struct strbuf *text)
{
	list_colored_row(l, row, text, NULL, 0);
}

static void draw_line(int line, enum screen_color color, const char *s)
{
	screen_color(color);
	screen_text(line, 0, s, strlen(s), screen_columns());
}

/* Draws a long message in several lines, the last of which is the screen's last. */
static void draw_wrapped(const char *text)
{
	struct strlist lines = { 0 };
	int line;

	text_wrap(&lines, text, screen_columns());
	line = screen_rows() - (int)lines.list.count;
	vec_for_each(&lines.list, s) {
		if (line > 0)
			draw_line(line, SCREEN_TITLE, *s);
		line++;
	}
	strlist_release(&lines);
}

/* Says which side of a small terminal is short, if one is. */
static bool put_size_hint(struct strbuf *b)
{
	int columns = screen_columns(), rows = screen_rows();

	if (columns < LEAST_COLUMNS && rows < LEAST_ROWS)
		strbuf_f(b, "[%dx%d is small: %dx%d shows more] ", columns, rows, LEAST_COLUMNS,
			 LEAST_ROWS);
	else if (columns < LEAST_COLUMNS)
		strbuf_f(b, "[%d columns are few: %d show more] ", columns, LEAST_COLUMNS);
	else if (rows < LEAST_ROWS)
		strbuf_f(b, "[%d lines are few: %d show more] ", rows, LEAST_ROWS);
	else
		return false;
	return true;
}

static void draw_status(const struct list *l)
{
	u64 count = l->ops->count(l->arg), below = l->top + visible_rows(l);
	struct strbuf b = STRBUF_INIT;

	if (l->message)
		strbuf_str(&b, l->message);
	else if (!l->size_noted && put_size_hint(&b))
		strbuf_str(&b, l->status);
	else if (l->counts_more && below < count)
		strbuf_f(&b, "%s (%" PRIu64 " more lines below)", l->status, count - below);
	else
		strbuf_str(&b, l->status);
	if (l->message)
		draw_wrapped(strbuf_cstr(&b));
	else
		draw_line(screen_rows() - 1, SCREEN_TITLE, strbuf_cstr(&b));
	strbuf_release(&b);
}

static void draw_head(const struct list *l)
{
	struct strbuf b = STRBUF_INIT, line = STRBUF_INIT;
	const char *at, *end;

	l->ops->head(l->arg, &b);
	at = strbuf_cstr(&b);
	for (int row = 1; *at; row++, at = *end ? end + 1 : end) {
		end = at + strcspn(at, "\n");
		strbuf_clear(&line);
		strbuf_add(&line, at, (size_t)(end - at));
		draw_line(row, SCREEN_TITLE, strbuf_cstr(&line) + skipped(l, &line));
	}
	strbuf_release(&line);
	strbuf_release(&b);
}

void list_draw(struct list *l)
{
	struct strbuf b = STRBUF_INIT;
	u64 count, shown;

	keep_inside(l);
	screen_clear();
	l->ops->title(l->arg, &b);
	draw_line(0, SCREEN_TITLE, strbuf_cstr(&b));
	if (l->ops->head)
		draw_head(l);
	count = l->ops->count(l->arg);
	shown = MIN(visible_rows(l), count - l->top);
	if (shown)
		l->ops->draw(l->arg, l, l->top, shown);
	draw_status(l);
	screen_show(count ? line_of(l, l->at) : screen_rows() - 1, 0);
	strbuf_release(&b);
}

static void scroll(struct list *l, bool down, u64 rows)
{
	u64 count = l->ops->count(l->arg);

	if (down)
		l->at = MIN(l->at + rows, count ? count - 1 : 0);
	else
		l->at -= MIN(l->at, rows);
}

static bool move(struct list *l, int key)
{
	u64 page = visible_rows(l), count = l->ops->count(l->arg);

	switch (key) {
	case KEY_UP:
	case KEY_DOWN:
		scroll(l, key == KEY_DOWN, 1);
		return true;
	case KEY_WHEEL_UP:
	case KEY_WHEEL_DOWN:
		scroll(l, key == KEY_WHEEL_DOWN, WHEEL_ROWS);
		return true;
	case KEY_PAGE_DOWN:
	case ' ':
		l->top = MIN(l->top + page, count ? count - 1 : 0);
		scroll(l, true, page);
		return true;
	case KEY_PAGE_UP:
		l->top -= MIN(l->top, page);
		scroll(l, false, page);
		return true;
	case KEY_HOME:
		l->at = 0;
		return true;
	case KEY_END:
		l->at = count ? count - 1 : 0;
		return true;
	case '>':
		l->column += SCROLL_COLUMNS;
		return true;
	case '<':
		l->column -= MIN(l->column, (u32)SCROLL_COLUMNS);
		return true;
	case KEY_RESIZE:
		return true;
	}
	return false;
}

bool list_move(struct list *l, int key)
{
	bool moved = move(l, key);

	if (moved && key != KEY_RESIZE)
		l->resized = false;
	return moved;
}

int list_key_within(struct list *l, int ms)
{
	int key;

	do {
		list_draw(l);
		key = screen_key(ms);
		if (key == KEY_NONE)
			return key;
		free(l->message);
		l->message = NULL;
		l->size_noted = key != KEY_RESIZE;
	} while (!(key == ' ' && l->own_space) && list_move(l, key));
	return key;
}

int list_key(struct list *l)
{
	return list_key_within(l, -1);
}

void list_say(struct list *l, const char *fmt, ...)
{
	struct strbuf b = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vf(&b, fmt, ap);
	va_end(ap);
	free(l->message);
	l->message = strbuf_detach(&b);
}

void list_release(struct list *l)
{
	free(l->message);
	l->message = NULL;
}
