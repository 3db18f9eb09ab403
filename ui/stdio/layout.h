/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns and their widths, shared by the files that draw tables as text. */
#ifndef UI_STDIO_LAYOUT_H
#define UI_STDIO_LAYOUT_H

#include "ui/stdio/hist.h"

/* Most of the many rows at the end of a table show the same percentage. */
struct stdio_percent {
	u64 value, of;
	u32 len; /* 0: none was shown yet */
	char text[20];
};

struct stdio_layout {
	const struct stdio_settings *set;
	const struct hist_view *v;
	const struct hist_field *fields;
	size_t count;
	double limit; /* percent: rows below it are not drawn, and make no column wider */
	int *width;   /* by field; of one member's cell for values */
	int *asked;   /* by field: -w, 0: none */
	struct strbuf cell;
	struct stdio_percent *percents; /* by field: the last one */
};

static inline bool stdio_is_value(const struct hist_field *f)
{
	return f->column->flags & HIST_VALUE;
}

/* Prepares a layout. limit is as above, or 0 where the view has only what is drawn. */
void stdio_layout_init(struct stdio_layout *l, const struct stdio_settings *set,
		       const struct hist_view *v, double limit);
void stdio_layout_release(struct stdio_layout *l);
/* Returns how many events of the view a field shows side by side. */
u32 stdio_cells_of(const struct stdio_layout *l, const struct hist_field *f);
/*
 * Adds one cell; stdio_put_key() does so for a key. With last, nothing follows, so the key need not
 * be padded.
 */
void stdio_put_value(struct stdio_layout *l, size_t field, const struct hist_entry *e,
		     struct strbuf *b);
void stdio_put_key(struct stdio_layout *l, size_t field, const struct hist_entry *e, bool last,
		   struct strbuf *b);
/*
 * Adds the text, in quotes as RFC 4180 demands if it contains the separator, a quote or a line
 * break.
 */
void stdio_put_quoted(struct strbuf *b, const char *text, size_t len, const char *separator);
/* Reports whether the entry is large enough for --percent-limit. */
bool stdio_above_limit(const struct hist_view *v, const struct hist_entry *e);

#endif
