// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A view as a tree of its keys: each level is indented below the one above, with the values in
 * front.  The layout is that of perf report --hierarchy.
 */
#include <string.h>

#include "ui/stdio/layout.h"

enum { INDENT = 3 };

struct tree {
	struct stdio_layout *l;
	u32 levels;
	int values_width; /* all values with what parts them */
	struct out *out;
};

static bool in_level(const struct tree *t, size_t i, u32 level)
{
	const struct hist_field *f = &t->l->fields[i];

	return hist_field_shown(t->l->v, f) && !stdio_is_value(f) && f->level == level;
}

static void put_value_heads(struct tree *t, struct strbuf *b)
{
	const char *sep = t->l->set->separator;
	bool first = true;

	for (size_t i = 0; i < t->l->count; i++) {
		const struct hist_field *f = &t->l->fields[i];
		const char *head = hist_header(t->l->v->hist, f);

		if (!hist_field_shown(t->l->v, f) || !stdio_is_value(f))
			continue;
		if (!first)
			strbuf_str(b, sep ? sep : "  ");
		if (!sep)
			strbuf_pad(b, ' ',
				   t->l->width[i] * (int)stdio_cells_of(t->l, f) -
					   (int)strlen(head));
		strbuf_str(b, head);
		first = false;
	}
}

/* Adds "Command+Pid:Command / Symbol". */
static void key_heads(struct tree *t, struct strbuf *b)
{
	for (u32 level = 0; level < t->levels; level++) {
		bool first = true;

		if (level)
			strbuf_str(b, " / ");
		for (size_t i = 0; i < t->l->count; i++) {
			const char *head = hist_header(t->l->v->hist, &t->l->fields[i]);
			size_t len;

			if (!in_level(t, i, level))
				continue;
			head += strspn(head, " ");
			len = strlen(head);
			while (len && head[len - 1] == ' ')
				len--;
			if (!first)
				strbuf_char(b, '+');
			strbuf_add(b, head, len);
			first = false;
		}
	}
}

static int keys_width(const struct tree *t, int heads)
{
	int widest = heads;

	for (u32 level = 0; level < t->levels; level++) {
		int width = (int)level * INDENT;

		for (size_t i = 0; i < t->l->count; i++)
			if (in_level(t, i, level))
				width += t->l->width[i];
		widest = MAX(widest, width);
	}
	return widest;
}

static void put_heads(struct tree *t, struct strbuf *b)
{
	const char *sep = t->l->set->separator;
	struct strbuf keys = STRBUF_INIT;

	key_heads(t, &keys);
	strbuf_str(b, "# ");
	if (!sep)
		strbuf_pad(b, ' ', (int)(t->levels - 1) * INDENT);
	put_value_heads(t, b);
	strbuf_str(b, sep ? sep : "  ");
	if (sep)
		stdio_put_quoted(b, strbuf_cstr(&keys), keys.len, sep);
	else
		strbuf_add(b, strbuf_cstr(&keys), keys.len);
	strbuf_char(b, '\n');
	if (!sep) {
		strbuf_str(b, "# ");
		strbuf_pad(b, '.', (int)(t->levels - 1) * INDENT + t->values_width);
		strbuf_str(b, "  ");
		strbuf_pad(b, '.', keys_width(t, (int)keys.len));
		strbuf_str(b, "\n#\n");
	}
	strbuf_release(&keys);
}

static void put_values(struct tree *t, const struct hist_entry *e, struct strbuf *b)
{
	const char *sep = t->l->set->separator;
	bool first = true;

	for (size_t i = 0; i < t->l->count; i++) {
		if (!hist_field_shown(t->l->v, &t->l->fields[i]) ||
		    !stdio_is_value(&t->l->fields[i]))
			continue;
		if (!sep)
			strbuf_str(b, "  ");
		else if (!first)
			strbuf_str(b, sep);
		stdio_put_value(t->l, i, e, b);
		first = false;
	}
}

/* Adds the level's keys in one cell, each without the padding in front of it. */
static void put_keys(struct tree *t, u32 at_level, const struct hist_entry *e, struct strbuf *b)
{
	struct strbuf cell = STRBUF_INIT, all = STRBUF_INIT;
	struct stdio_settings plain = *t->l->set;
	const struct stdio_settings *set = t->l->set;
	size_t last = 0, blanks;

	for (size_t i = 0; i < t->l->count; i++)
		if (in_level(t, i, at_level))
			last = i;
	plain.separator = NULL;
	t->l->set = &plain;
	for (size_t i = 0; i <= last; i++) {
		if (!in_level(t, i, at_level))
			continue;
		strbuf_clear(&cell);
		stdio_put_key(t->l, i, e, i == last, &cell);
		blanks = strspn(strbuf_cstr(&cell), " ");
		strbuf_str(&all, all.len ? "  " : "");
		strbuf_add(&all, strbuf_cstr(&cell) + blanks, cell.len - blanks);
	}
	t->l->set = set;
	if (set->separator)
		stdio_put_quoted(b, strbuf_cstr(&all), all.len, set->separator);
	else
		strbuf_add(b, strbuf_cstr(&all), all.len);
	strbuf_release(&cell);
	strbuf_release(&all);
}

static void put_node(struct tree *t, const struct hist_node *n)
{
	struct strbuf *b = out_buf(t->out);
	bool any = false;

	strbuf_pad(b, ' ', (int)n->level * INDENT);
	put_values(t, &n->entry, b);
	if (t->l->set->separator)
		strbuf_str(b, t->l->set->separator);
	else
		strbuf_pad(b, ' ', (int)(t->levels - 1) * INDENT + 2);
	put_keys(t, n->level, &n->entry, b);
	strbuf_char(b, '\n');
	if (n->is_leaf)
		stdio_call_tree(t->l->set, t->l->v, &n->entry, b);
	stdio_picks(t->l->v, &n->entry, b);
	out_done(t->out);
	vec_for_each(&n->children, c) {
		if (!stdio_above_limit(t->l->v, &(*c)->entry))
			continue;
		put_node(t, *c);
		any = true;
	}
	if (!n->is_leaf && !any) {
		strbuf_pad(b, ' ', (int)(t->levels + n->level) * INDENT + t->values_width + 4);
		strbuf_f(b, "no entry >= %.2f%%\n", hist_settings(t->l->v->hist)->percent_limit);
	}
}

static int values_width(const struct tree *t)
{
	int width = 0;

	for (size_t i = 0; i < t->l->count; i++) {
		const struct hist_field *f = &t->l->fields[i];

		if (hist_field_shown(t->l->v, f) && stdio_is_value(f))
			width += t->l->width[i] * (int)stdio_cells_of(t->l, f) + (width ? 2 : 0);
	}
	return width;
}

void stdio_hierarchy(const struct stdio_settings *set, const struct hist_view *v, struct out *out)
{
	struct hist_node *root = hist_hierarchy_new(v);
	struct stdio_layout l;
	struct tree t = { .l = &l, .levels = hist_levels(v->hist), .out = out };

	stdio_layout_init(&l, set, v, 0);
	t.values_width = values_width(&t);
	if (!set->no_heads)
		put_heads(&t, out_buf(out));
	vec_for_each(&root->children, c)
		if (stdio_above_limit(v, &(*c)->entry))
			put_node(&t, *c);
	out_str(out, "\n\n");
	stdio_layout_release(&l);
	hist_hierarchy_free(root);
}

void stdio_hierarchy_head(struct stdio_layout *l, struct strbuf *b)
{
	struct tree t = { .l = l, .levels = hist_levels(l->v->hist) };

	put_value_heads(&t, b);
	strbuf_str(b, "  ");
	key_heads(&t, b);
}

size_t stdio_hierarchy_row(struct stdio_layout *l, u32 level, const struct hist_entry *e,
			   struct strbuf *b)
{
	struct tree t = { .l = l, .levels = hist_levels(l->v->hist) };
	size_t end;

	put_values(&t, e, b);
	end = b->len;
	strbuf_pad(b, ' ', 2 + (int)level * INDENT);
	put_keys(&t, level, e, b);
	return end;
}
