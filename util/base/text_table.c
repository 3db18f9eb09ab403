// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/vec.h"

struct cell {
	char *text;
	const char *color;
};

struct text_table {
	struct text_column *columns;
	size_t column_count;
	VEC(struct cell) cells;
};

struct text_table *text_table_new(const struct text_column *columns, size_t count)
{
	struct text_table *t = xcalloc(1, sizeof(*t));

	t->columns = xcalloc(count + 1, sizeof(*t->columns));
	t->column_count = count;
	for (size_t i = 0; i < count; i++) {
		t->columns[i] = columns[i];
		t->columns[i].head = xstrdup(columns[i].head);
	}
	return t;
}

void text_table_free(struct text_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->column_count; i++)
		free((char *)t->columns[i].head);
	vec_for_each(&t->cells, c)
		free(c->text);
	vec_release(&t->cells);
	free(t->columns);
	free(t);
}

void text_table_cell(struct text_table *t, const char *text, const char *color)
{
	const struct cell c = { .text = xstrdup(text), .color = color && *color ? color : NULL };

	vec_push(&t->cells, c);
}

void strbuf_csv_field(struct strbuf *b, const char *text, const char *sep)
{
	if (!strpbrk(text, "\"\r\n") && !(*sep && strstr(text, sep))) {
		strbuf_str(b, text);
		return;
	}
	strbuf_char(b, '"');
	for (; *text; text++) {
		if (*text == '"')
			strbuf_char(b, '"');
		strbuf_char(b, *text);
	}
	strbuf_char(b, '"');
}

/* Returns the width of a text. Spaces at the end do not count: they may exceed the width. */
static int text_width(const char *s)
{
	size_t len = strlen(s);

	while (len && s[len - 1] == ' ')
		len--;
	return text_columns(s, len);
}

static int *measure(const struct text_table *t)
{
	int *width = xcalloc(t->column_count + 1, sizeof(*width));

	for (size_t i = 0; i < t->column_count; i++)
		width[i] = MAX(t->columns[i].min_width, (int)strlen(t->columns[i].head));
	for (size_t i = 0; i < t->cells.count; i++) {
		size_t at = i % t->column_count;

		width[at] = MAX(width[at], text_width(t->cells.items[i].text));
	}
	/* its rows are not filled up */
	if (t->column_count && t->columns[t->column_count - 1].ragged)
		width[t->column_count - 1] = MIN(width[t->column_count - 1], TEXT_TABLE_LAST_HEAD);
	return width;
}

static void put_padded(const struct text_column *c, const char *text, int width, bool last,
		       struct strbuf *b)
{
	int pad = width - text_columns(text, strlen(text));

	if (c->right)
		strbuf_pad(b, ' ', pad);
	strbuf_str(b, text);
	if (!c->right && !(last && c->ragged))
		strbuf_pad(b, ' ', pad);
}

static void put_heads(const struct text_table *t, const int *width, const char *sep,
		      struct strbuf *b)
{
	strbuf_str(b, "# ");
	for (size_t i = 0; i < t->column_count; i++) {
		struct text_column c = t->columns[i];

		strbuf_str(b, i ? sep ? sep : "  " : "");
		c.ragged = false;
		if (sep)
			strbuf_csv_field(b, c.head, sep);
		else
			put_padded(&c, c.head, width[i], false, b);
	}
	strbuf_char(b, '\n');
	if (sep)
		return;
	strbuf_char(b, '#');
	for (size_t i = 0; i < t->column_count; i++) {
		strbuf_str(b, i ? "  " : " ");
		strbuf_pad(b, '.', width[i]);
	}
	strbuf_str(b, "\n#\n");
}

static void put_cell(const struct text_table *t, const struct text_table_style *s, size_t i,
		     int width, struct strbuf *b)
{
	const struct cell *c = &t->cells.items[i];
	size_t at = i % t->column_count;
	bool last = at + 1 == t->column_count;

	if (s->separator) {
		strbuf_str(b, at ? s->separator : "");
		strbuf_csv_field(b, c->text, s->separator);
	} else {
		strbuf_str(b, "  ");
		strbuf_str(b, c->color ? c->color : "");
		put_padded(&t->columns[at], c->text, width, last, b);
		strbuf_str(b, c->color && s->color_reset ? s->color_reset : "");
	}
	if (last)
		strbuf_char(b, '\n');
}

void text_table_put(const struct text_table *t, const struct text_table_style *s, struct strbuf *b)
{
	int *width = measure(t);

	if (!s->no_heads)
		put_heads(t, width, s->separator, b);
	for (size_t i = 0; i < t->cells.count; i++)
		put_cell(t, s, i, width[i % t->column_count], b);
	free(width);
}
