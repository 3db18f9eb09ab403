/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of text, laid out as perf does: two spaces before each column, each as wide as its widest
 * cell, "# " before the heads and a line of dots under them. With a separator nothing is padded; a
 * cell that contains the separator, a quote or a line end is quoted (RFC 4180).
 *
 * Use: text_table_new, then one text_table_cell for each column, row by row, text_table_put,
 * text_table_free. Widths count characters of UTF-8. Threads: one at a time for each table.
 */
#ifndef BASE_TEXT_TABLE_H
#define BASE_TEXT_TABLE_H

#include "base/strbuf.h"

struct text_table;

struct text_column {
	const char *head;
	int min_width;
	bool right;  /* cells and head are moved to the right */
	bool ragged; /* as the last column it is not filled up */
};

/* Makes a table. columns are copied, including their heads. */
struct text_table *text_table_new(const struct text_column *columns, size_t count);
void text_table_free(struct text_table *t);
/*
 * Adds the next cell. color is an escape sequence around it ("" or NULL for none), which is not
 * copied.
 */
void text_table_cell(struct text_table *t, const char *text, const char *color);

/*
 * The head and the dots of a last column that is not padded are no wider: one long name would widen
 * both.
 */
enum { TEXT_TABLE_LAST_HEAD = 100 };

struct text_table_style {
	const char *separator; /* NULL: columns */
	bool no_heads;
	const char *color_reset; /* after a coloured cell */
};
void text_table_put(const struct text_table *t, const struct text_table_style *s, struct strbuf *b);

/* Adds text as one field of a line that is separated by sep, quoted only where necessary. */
void strbuf_csv_field(struct strbuf *b, const char *text, const char *sep);

#endif
