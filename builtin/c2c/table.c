// SPDX-License-Identifier: GPL-2.0-or-later
/* Which columns a table has, how wide they are, and its rows as text. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "builtin/c2c/internal.h"

static void add(struct c2c_table_view *t, enum c2c_column_number n)
{
	t->widths[t->count] = c2c_columns[n].width;
	t->columns[t->count++] = &c2c_columns[n];
}

static void add_range(struct c2c_table_view *t, enum c2c_column_number first,
		      enum c2c_column_number last)
{
	for (int n = (int)first; n <= (int)last; n++)
		add(t, (enum c2c_column_number)n);
}

static void widen(struct c2c_table_view *t, struct c2c_view *v, const struct c2c_row *row,
		  struct strbuf *b)
{
	for (int i = 0; i < t->count; i++) {
		strbuf_clear(b);
		t->columns[i]->cell(v, row, b);
		t->widths[i] = (u16)MIN(
			MAX((int)t->widths[i], text_columns(strbuf_cstr(b), b->len)), 1000);
	}
}

/* Sets the head "----- TEXT -----" over as many columns as it spans. */
static void fill_head(struct c2c_table_view *t, int i)
{
	const char *text = t->columns[i]->head[0];
	struct strbuf b = STRBUF_INIT;
	int width = 0, left;

	for (int k = i; k <= i + t->columns[i]->span && k < t->count; k++)
		width += t->widths[k] + (k > i ? 2 : 0);
	left = width / 2 - (int)strlen(text) / 2 - 1;
	strbuf_pad(&b, '-', left);
	strbuf_f(&b, " %s ", text);
	strbuf_pad(&b, '-', width - (int)b.len);
	t->heads[i] = strbuf_detach(&b);
}

static bool has_plain_head(const struct c2c_column *c)
{
	return c == &c2c_columns[COLUMN_LINE] || c == &c2c_columns[COLUMN_OFFSET] ||
	       c == &c2c_columns[COLUMN_SHORT_OFFSET];
}

static void settle(struct c2c_table_view *t)
{
	for (int i = 0; i < t->count; i++)
		if (has_plain_head(t->columns[i]))
			fill_head(t, i);
}

void c2c_line_table(struct c2c_table_view *t, struct c2c_view *v)
{
	static const enum c2c_column_number shares[] = {
		[C2C_TOTAL] = COLUMN_TOTAL_SHARE,
		[C2C_LOCAL] = COLUMN_LOCAL_SHARE,
		[C2C_REMOTE] = COLUMN_REMOTE_SHARE,
		[C2C_PEER] = COLUMN_PEER_SHARE,
	};
	struct strbuf b = STRBUF_INIT;
	bool peer = v->lines->display == C2C_PEER;

	*t = (struct c2c_table_view){ .count = 0 };
	add(t, COLUMN_INDEX);
	add(t, COLUMN_LINE);
	add_range(t, COLUMN_MEMORY_NODES, COLUMN_MOVES);
	add(t, shares[v->lines->display]);
	add_range(t, peer ? COLUMN_TOTAL_PEER : COLUMN_TOTAL_HITM,
		  peer ? COLUMN_REMOTE_PEER : COLUMN_REMOTE_HITM);
	add_range(t, COLUMN_RECORDS, COLUMN_LOAD_LLC);
	add(t, COLUMN_LOCAL_HITM);
	add(t, COLUMN_REMOTE_HIT);
	add(t, COLUMN_REMOTE_HITM);
	add_range(t, COLUMN_LOCAL_DRAM, COLUMN_REMOTE_DRAM);
	vec_for_each(&v->lines->shown, line) {
		const struct c2c_row row = { *line, NULL };

		widen(t, v, &row, &b);
	}
	settle(t);
	strbuf_release(&b);
}

void c2c_heading_table(struct c2c_table_view *t, struct c2c_view *v)
{
	bool peer = v->lines->display == C2C_PEER;

	*t = (struct c2c_table_view){ .count = 0 };
	add(t, COLUMN_NUMBER);
	add_range(t, peer ? COLUMN_HEAD_REMOTE_PEER : COLUMN_HEAD_REMOTE,
		  peer ? COLUMN_HEAD_LOCAL_PEER : COLUMN_HEAD_LOCAL);
	add_range(t, COLUMN_HEAD_STORE_L1, COLUMN_HEAD_STORE_NA);
	add(t, COLUMN_LINE);
}

static bool has_key(const struct c2c_lines *l, enum c2c_key key)
{
	for (const enum c2c_key *k = l->keys; *k; k++)
		if (*k == key)
			return true;
	return false;
}

static enum c2c_column_number nodes_column(const struct c2c_view *v)
{
	if (v->nodes == C2C_NODES)
		return COLUMN_NODES;
	if (v->nodes == C2C_NODES_CPUS)
		return COLUMN_NODES_CPUS;
	return v->lines->display == C2C_PEER ? COLUMN_NODES_PEER : COLUMN_NODES_HITM;
}

static void entry_columns(struct c2c_table_view *t, struct c2c_view *v, bool numbers)
{
	const struct c2c_lines *l = v->lines;
	bool peer = l->display == C2C_PEER, code = has_key(l, C2C_KEY_CODE);

	if (numbers)
		add(t, COLUMN_NO_NUMBER);
	add_range(t, peer ? COLUMN_PART_REMOTE_PEER : COLUMN_PART_REMOTE,
		  peer ? COLUMN_PART_LOCAL_PEER : COLUMN_PART_LOCAL);
	add_range(t, COLUMN_PART_STORE_L1, COLUMN_PART_STORE_NA);
	add(t, v->narrow ? COLUMN_SHORT_OFFSET : COLUMN_OFFSET);
	add_range(t, COLUMN_MEMORY_NODES, COLUMN_MOVES);
	if (has_key(l, C2C_KEY_PID))
		add(t, COLUMN_PID);
	if (has_key(l, C2C_KEY_TID))
		add(t, COLUMN_TID);
	if (code)
		add(t, COLUMN_CODE);
	add_range(t, peer ? COLUMN_MEAN_REMOTE_PEER : COLUMN_MEAN_REMOTE,
		  peer ? COLUMN_MEAN_LOCAL_PEER : COLUMN_MEAN_LOCAL);
	add(t, COLUMN_MEAN_LOAD);
	add(t, COLUMN_RECORDS);
	add(t, COLUMN_CPUS);
	if (code)
		add(t, COLUMN_SYMBOL);
	if (code || has_key(l, C2C_KEY_DSO))
		add(t, COLUMN_DSO);
	if (code && v->sources)
		add(t, COLUMN_SOURCE);
	add(t, nodes_column(v));
}

void c2c_entry_table(struct c2c_table_view *t, struct c2c_view *v, bool numbers)
{
	struct strbuf b = STRBUF_INIT;

	*t = (struct c2c_table_view){ .count = 0 };
	entry_columns(t, v, numbers);
	vec_for_each(&v->lines->shown, line)
		vec_for_each(&(*line)->entries, e) {
			const struct c2c_row row = { *line, *e };

			widen(t, v, &row, &b);
		}
	settle(t);
	strbuf_release(&b);
}

void c2c_table_release(struct c2c_table_view *t)
{
	for (int i = 0; i < t->count; i++)
		free(t->heads[i]);
}

void c2c_view_release(struct c2c_view *v)
{
	map64_release(&v->source_texts);
	strtab_release(&v->texts);
	line_store_free(v->sources);
}

static void drop_spaces(struct strbuf *b, size_t from)
{
	while (b->len > from && b->s[b->len - 1] == ' ')
		strbuf_truncate(b, b->len - 1);
}

void c2c_table_head(const struct c2c_table_view *t, int line, struct strbuf *b)
{
	size_t from = b->len;
	int covered = 0;

	for (int i = 0; i < t->count; i++) {
		const char *text = !line && t->heads[i] ? t->heads[i] : t->columns[i]->head[line];

		if (!line && covered) {
			covered--;
			continue;
		}
		if (i)
			strbuf_str(b, "  ");
		if (!line)
			covered = t->columns[i]->span;
		strbuf_f(b, t->columns[i]->left ? "%-*s" : "%*s", t->widths[i], text ? text : "");
	}
	drop_spaces(b, from);
}

void c2c_table_dots(const struct c2c_table_view *t, struct strbuf *b)
{
	for (int i = 0; i < t->count; i++) {
		strbuf_str(b, i ? "  " : "");
		strbuf_pad(b, '.', t->widths[i]);
	}
}

void c2c_table_row(const struct c2c_table_view *t, struct c2c_view *v, const struct c2c_row *row,
		   struct strbuf *b)
{
	struct strbuf cell = STRBUF_INIT;
	size_t from = b->len;

	for (int i = 0; i < t->count; i++) {
		int room;

		strbuf_str(b, i ? "  " : "");
		strbuf_clear(&cell);
		t->columns[i]->cell(v, row, &cell);
		room = t->widths[i] - text_columns(strbuf_cstr(&cell), cell.len);
		if (!t->columns[i]->left)
			strbuf_pad(b, ' ', room);
		strbuf_add(b, strbuf_cstr(&cell), cell.len);
		if (t->columns[i]->left)
			strbuf_pad(b, ' ', room);
	}
	drop_spaces(b, from);
	strbuf_release(&cell);
}
