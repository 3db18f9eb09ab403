// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of differences as text. */
#include <math.h>
#include <stdlib.h>

#include "base/text_table.h"
#include "builtin/diff/diff.h"

#define RESET "\033[m"
#define RED   "\033[31m"
#define GREEN "\033[32m"

struct head_list {
	VEC(struct text_column) list;
};

/* Adds a column's head. With more than two files it includes the file's number. */
static void add_head(struct head_list *h, const struct diff_table *t, const char *text, size_t file,
		     int min_width)
{
	struct text_column c = { .min_width = min_width, .right = true };

	c.head = t->file_count > 2 ? xasprintf("%s/%zu", text, file) : xstrdup(text);
	vec_push(&h->list, c);
}

static void confidence_head(struct strbuf *b, const struct diff_settings *s)
{
	strbuf_f(b, "%.4g%% interval", 100 * s->level);
}

static void add_heads(struct head_list *h, const struct diff_settings *s,
		      const struct diff_table *t, const struct diff_draw *draw)
{
	static const int width[] = { [DIFF_DELTA] = 7,
				     [DIFF_DELTA_ABS] = 7,
				     [DIFF_RATIO] = 14,
				     [DIFF_WDIFF] = 14,
				     [DIFF_CYCLES] = 0 };
	struct strbuf sure = STRBUF_INIT;

	confidence_head(&sure, s);
	add_head(h, t, "Baseline", 0, 7);
	if (draw->period)
		add_head(h, t, "Base period", 0, 14);
	for (size_t f = 1; f < t->file_count; f++) {
		add_head(h, t, diff_method_head(s->method), f, width[s->method]);
		if (draw->confidence)
			add_head(h, t, strbuf_cstr(&sure), f, 0);
		if (draw->formula)
			add_head(h, t, "Formula", f, 70);
		if (draw->period)
			add_head(h, t, "Period", f, 14);
	}
	for (size_t k = 0; k < t->key_count; k++) {
		struct text_column c = { .head = xstrdup(t->keys[k].head),
					 .ragged = t->keys[k].ragged };

		vec_push(&h->list, c);
	}
	strbuf_release(&sure);
}

void diff_value_text(const struct diff_settings *s, const struct diff_row *row, size_t f, double v,
		     struct strbuf *b)
{
	if (s->method == DIFF_RATIO && !row->side[f].present)
		strbuf_str(b, "gone");
	else if (s->method == DIFF_RATIO && !row->side[0].present)
		strbuf_str(b, "new");
	else if (s->method == DIFF_RATIO)
		strbuf_f(b, "%.6f", v);
	else if (s->method == DIFF_WDIFF)
		strbuf_f(b, "%.0f", v);
	else
		strbuf_f(b, "%+.2f%%", v);
}

/* Adds perf's formula with the numbers filled in. */
static void put_formula(const struct diff_settings *s, const struct diff_table *t,
			const struct diff_row *row, size_t f, struct strbuf *b)
{
	u64 base = row->side[0].period, data = row->side[f].period;

	if (s->method == DIFF_RATIO)
		strbuf_f(b, "%" PRIu64 " / %" PRIu64, data, base);
	else if (s->method == DIFF_WDIFF)
		strbuf_f(b, "(%" PRIu64 " * %" PRId64 ") - (%" PRIu64 " * %" PRId64 ")", data,
			 s->weight[1], base, s->weight[0]);
	else
		strbuf_f(b, "(%" PRIu64 " * 100 / %" PRIu64 ") - (%" PRIu64 " * 100 / %" PRIu64 ")",
			 data, t->totals[f].period, base, t->totals[0].period);
}

void diff_interval_text(const struct diff_settings *s, const struct diff_interval *i,
			struct strbuf *b)
{
	if (!i->known)
		return;
	if (!i->change) {
		strbuf_str(b, "no significant change");
		return;
	}
	if (s->method == DIFF_RATIO)
		strbuf_f(b, "[%.2f, %.2f]", i->low, i->high);
	else if (s->method == DIFF_WDIFF)
		strbuf_f(b, "[%.0f, %.0f]", i->low, i->high);
	else
		strbuf_f(b, "[%+.2f%%, %+.2f%%]", i->low, i->high);
}

static const char *value_color(const struct diff_settings *s, const struct diff_draw *draw,
			       const struct diff_value *v, const struct diff_interval *i)
{
	double none = s->method == DIFF_RATIO ? 1 : 0;

	if (!draw->color || v->kind != DIFF_NUMBER || !i->change)
		return NULL;
	return v->number > none ? RED : GREEN;
}

static void cell(struct text_table *out, struct strbuf *b, const char *color)
{
	text_table_cell(out, strbuf_cstr(b), color);
	strbuf_clear(b);
}

static void put_file(const struct diff_settings *s, const struct diff_table *t,
		     const struct diff_row *row, size_t f, const struct diff_draw *draw,
		     struct text_table *out)
{
	struct diff_value v = diff_compute(s, t, row, f);
	struct diff_interval i = diff_interval(s, t, row, f);
	struct strbuf b = STRBUF_INIT;

	if (v.kind == DIFF_NUMBER)
		diff_value_text(s, row, f, v.number, &b);
	else if (v.kind == DIFF_NOT_DEFINED)
		strbuf_str(&b, "N/A");
	cell(out, &b, value_color(s, draw, &v, &i));
	if (draw->confidence) {
		diff_interval_text(s, &i, &b);
		cell(out, &b, NULL);
	}
	if (draw->formula) {
		if (v.kind != DIFF_NONE)
			put_formula(s, t, row, f, &b);
		cell(out, &b, NULL);
	}
	if (draw->period) {
		if (row->side[f].present)
			strbuf_dec(&b, row->side[f].period);
		cell(out, &b, NULL);
	}
	strbuf_release(&b);
}

static void put_row(const struct diff_settings *s, const struct diff_table *t,
		    const struct diff_row *row, const struct diff_draw *draw,
		    struct text_table *out)
{
	struct strbuf b = STRBUF_INIT;

	if (row->side[0].present)
		strbuf_f(&b, draw->separator ? "%.2f" : "%.2f%%", diff_share(t, row, 0));
	cell(out, &b, NULL);
	if (draw->period) {
		strbuf_dec(&b, row->side[0].period);
		cell(out, &b, NULL);
	}
	for (size_t f = 1; f < t->file_count; f++)
		put_file(s, t, row, f, draw, out);
	for (size_t k = 0; k < t->key_count; k++)
		text_table_cell(out, row->keys[k], NULL);
	strbuf_release(&b);
}

static void put_title(const struct diff_table *t, const struct diff_draw *draw, struct strbuf *b)
{
	strbuf_str(b, "# Event '");
	strbuf_printable(b, t->event);
	strbuf_str(b, "'\n#\n");
	if (t->file_count == 2 && !draw->verbose)
		return;
	strbuf_str(b, "# Data files:\n");
	for (size_t f = 0; f < t->file_count; f++) {
		strbuf_f(b, "#  [%zu] ", f);
		strbuf_printable(b, draw->paths[f]);
		strbuf_str(b, f ? " \n" : " (Baseline)\n");
	}
	strbuf_str(b, "#\n");
}

void diff_table_text(const struct diff_settings *s, const struct diff_table *t,
		     const struct diff_draw *draw, struct strbuf *b)
{
	const struct text_table_style style = {
		.separator = draw->separator,
		.no_heads = draw->no_heads,
		.color_reset = RESET,
	};
	struct head_list heads = { 0 };
	struct text_table *out;

	if (!draw->no_heads)
		put_title(t, draw, b);
	add_heads(&heads, s, t, draw);
	out = text_table_new(heads.list.items, heads.list.count);
	for (size_t i = 0; i < t->row_count; i++)
		put_row(s, t, t->rows[i], draw, out);
	text_table_put(out, &style, b);
	text_table_free(out);
	vec_for_each(&heads.list, c)
		free((char *)c->head);
	vec_release(&heads.list);
}
