// SPDX-License-Identifier: GPL-2.0-or-later
/* Boxes over the current screen: a text, an input line, or a yes-or-no question. */
#include "base/text.h"
#include "ui/tui/menu.h"
#include "ui/tui/screen.h"

/* Splits a text into lines. Empty ones count, so strlist_split() does not do. */
void menu_split_lines(struct strlist *lines, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		struct strbuf b = STRBUF_INIT, shown = STRBUF_INIT;

		strbuf_add(&b, text, len);
		strbuf_printable(&shown, strbuf_cstr(&b));
		strlist_add(lines, strbuf_cstr(&shown));
		strbuf_release(&b);
		strbuf_release(&shown);
		text += len + (text[len] == '\n');
	}
}

/*
 * Returns the columns between the borders of a box. The title has a column of border on both sides.
 */
static int inner_width(const struct strlist *lines, const char *title)
{
	int width = MAX(text_columns(title, strlen(title)) + 2, 40);

	vec_for_each(&lines->list, s)
		width = MAX(width, text_columns(*s, strlen(*s)));
	return MIN(width, MAX(screen_columns() - 2, 0));
}

/* Draws the box in the middle; row and column of the line below its text. */
static void draw_box(const char *title, const struct strlist *texts, int extra, int *row,
		     int *column)
{
	struct strlist wrapped = { 0 };
	const struct strlist *lines = &wrapped;
	int width, height, x, y;

	vec_for_each(&texts->list, s)
		text_wrap(&wrapped, *s, MAX(screen_columns() - 2, 10));
	width = MIN(inner_width(lines, title) + 2, screen_columns());
	height = MIN((int)lines->list.count + extra + 2, screen_rows());
	y = (screen_rows() - height) / 2;
	x = (screen_columns() - width) / 2;
	screen_color(SCREEN_NORMAL);
	screen_box(y, x, height, width);
	screen_text(y, x + 2, title, strlen(title),
		    MIN(text_columns(title, strlen(title)), MAX(width - 4, 0)));
	*row = y + 1;
	*column = x + 1;
	vec_for_each(&lines->list, s)
		if (*row < y + height - 1)
			screen_text((*row)++, *column, *s, strlen(*s), width - 2);
	strlist_release(&wrapped);
}

void menu_box(const char *title, const char *text)
{
	struct strlist lines = { 0 };
	int row, column;

	menu_split_lines(&lines, text);
	draw_box(title, &lines, 0, &row, &column);
	screen_show(row, column);
	strlist_release(&lines);
}

static void drop_character(struct strbuf *b)
{
	while (b->len && ((u8)b->s[b->len - 1] & 0xc0) == 0x80)
		strbuf_truncate(b, b->len - 1);
	if (b->len)
		strbuf_truncate(b, b->len - 1);
}

bool menu_ask(const char *title, const char *help, struct strbuf *answer)
{
	struct strlist lines = { 0 };
	int key;

	menu_split_lines(&lines, help);
	do {
		int row, column;

		draw_box(title, &lines, 1, &row, &column);
		screen_color(SCREEN_SELECTED);
		screen_text(row, column, strbuf_cstr(answer), answer->len,
			    inner_width(&lines, title));
		screen_show(row, column + (int)answer->len);
		key = screen_key(-1);
		if (key == KEY_BACKSPACE)
			drop_character(answer);
		else if (key == KEY_CTRL('u'))
			strbuf_clear(answer);
		else if (key >= ' ' && key < 256)
			strbuf_char(answer, (char)key);
	} while (key != KEY_ENTER && key != KEY_ESC && key != KEY_CTRL('c') && key != KEY_GONE);
	strlist_release(&lines);
	return key == KEY_ENTER;
}

bool menu_yes(const char *question)
{
	int key;

	do {
		menu_box(question, "Enter: Yes, ESC: No"); /* again when the screen was cleared */
		key = screen_key(-1);
	} while (key == KEY_RESIZE || key == KEY_NONE);
	return key == KEY_ENTER || key == 'y' || key == 'Y' || key == KEY_GONE;
}
