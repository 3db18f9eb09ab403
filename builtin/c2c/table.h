/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns of perf c2c: headings on two lines, widths, cells.
 *
 * A cell belongs to a line, or to an entry in it; a column says how its text is made. Widths are
 * settled over all rows of a kind, so every block of the distribution fits below the same heading.
 */
#ifndef BUILTIN_C2C_TABLE_H
#define BUILTIN_C2C_TABLE_H

#include "base/strbuf.h"
#include "builtin/c2c/lines.h"
#include "symbol/srcline.h"

/* How the CPUs of an entry are shown. */
enum c2c_node_detail { C2C_NODES, C2C_NODES_SHARES, C2C_NODES_CPUS };

struct c2c_view {
	const struct c2c_lines *lines;
	struct session *session;
	struct line_store *sources; /* NULL: no source lines */
	bool full_symbols;
	bool narrow; /* for the browser: offsets without room for whole addresses */
	enum c2c_node_detail nodes;
	struct map64 source_texts; /* place of code -> text */
	struct strtab texts;
};
void c2c_view_release(struct c2c_view *v);

/* A row: e is NULL for a line's own. */
struct c2c_row {
	const struct c2c_line *line;
	const struct c2c_entry *e;
};

struct c2c_column {
	const char *head[2]; /* over the cell, right-aligned; NULL: nothing */
	u8 span;             /* this many columns after it share head[0] */
	u8 width;            /* at least */
	bool left;           /* cells and head are left-aligned */
	void (*cell)(struct c2c_view *v, const struct c2c_row *row, struct strbuf *b);
};

enum { C2C_COLUMNS = 32 };
struct c2c_table_view {
	const struct c2c_column *columns[C2C_COLUMNS];
	u16 widths[C2C_COLUMNS];
	int count;
	char *heads[C2C_COLUMNS]; /* texts that replace head[0]; owned; or NULL */
};

/*
 * Chooses the columns of the list of lines; the next two, of a line's heading among its entries and
 * of the entries.
 */
void c2c_line_table(struct c2c_table_view *t, struct c2c_view *v);
void c2c_heading_table(struct c2c_table_view *t, struct c2c_view *v);
void c2c_entry_table(struct c2c_table_view *t, struct c2c_view *v, bool numbers);
void c2c_table_release(struct c2c_table_view *t);

/*
 * Adds one of the two heading lines; c2c_table_dots() adds the dots below them. Neither adds a
 * newline.
 */
void c2c_table_head(const struct c2c_table_view *t, int line, struct strbuf *b);
void c2c_table_dots(const struct c2c_table_view *t, struct strbuf *b);
void c2c_table_row(const struct c2c_table_view *t, struct c2c_view *v, const struct c2c_row *row,
		   struct strbuf *b);

#endif
