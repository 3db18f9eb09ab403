// SPDX-License-Identifier: GPL-2.0-or-later
/* Shows the entries of a view as a tree: one key below the other, with sums on each level. */
#include <stdlib.h>
#include <string.h>

#include "hist/columns.h"

struct building {
	const struct hist_view *view;
	u32 level;
};

/* Compares by the keys of one level. */
static int level_cmp(const struct building *b, const struct hist_entry *x,
		     const struct hist_entry *y)
{
	const struct hist *h = b->view->hist;

	vec_for_each(&h->order, i) {
		const struct hist_field *f = &h->fields.items[*i];
		int d;

		if ((f->column->flags & HIST_VALUE) || f->level != b->level)
			continue;
		d = f->column->cmp(b->view, f, x, y);
		if (d)
			return d;
	}
	return 0;
}

static int entry_cmp(const void *px, const void *py, void *arg)
{
	const struct hist_entry *x = *(const struct hist_entry *const *)px;
	const struct hist_entry *y = *(const struct hist_entry *const *)py;
	int d = level_cmp(arg, x, y);

	if (!d)
		d = x->key_class != y->key_class ? (x->key_class < y->key_class ? -1 : 1) : 0;
	return d ? d : (x->frame_class > y->frame_class) - (x->frame_class < y->frame_class);
}

/* Compares by the sums, then by the keys. */
static int node_cmp(const void *px, const void *py, void *arg)
{
	const struct hist_node *x = *(const struct hist_node *const *)px;
	const struct hist_node *y = *(const struct hist_node *const *)py;
	const struct building *b = arg;
	const struct hist *h = b->view->hist;

	vec_for_each(&h->order, i) {
		const struct hist_field *f = &h->fields.items[*i];
		int d = 0;

		if (f->column->flags & HIST_VALUE)
			d = f->column->cmp(b->view, f, &x->entry, &y->entry);
		if (d)
			return d;
	}
	return level_cmp(b, &x->entry, &y->entry);
}

static void add_sums(struct hist_sums *to, const struct hist_sums *s)
{
	to->samples += s->samples;
	to->period += s->period;
	to->weight += s->weight;
	to->latency += s->latency;
	to->weight2 += s->weight2;
	to->weight3 += s->weight3;
	for (size_t i = 0; s->access && i < DATA_SRC_CLASSES; i++)
		to->access[i] += s->access[i];
	for (size_t i = 0; i < ARRAY_SIZE(to->mode_period); i++)
		to->mode_period[i] += s->mode_period[i];
}

static void build(const struct hist_view *v, struct hist_node *parent, u32 level, u32 levels,
		  struct hist_entry **entries, size_t count);

static struct hist_node *node_of(const struct hist_view *v, u32 level, u32 levels,
				 struct hist_entry **entries, size_t count)
{
	struct hist_node *n = xcalloc(1, sizeof(*n));

	n->entry = *entries[0];
	n->first = entries[0];
	n->level = level;
	n->is_leaf = level + 1 >= levels;
	n->entry.self = xcalloc(v->member_count, sizeof(*n->entry.self));
	/* levels have no callers */
	n->entry.total = xcalloc(v->member_count, sizeof(*n->entry.total));
	n->access = v->hist->access_slot < 0
			    ? NULL
			    : xcalloc((size_t)v->member_count * DATA_SRC_CLASSES, sizeof(u64));
	for (u32 m = 0; n->access && m < v->member_count; m++)
		n->entry.self[m].access = n->access + (size_t)m * DATA_SRC_CLASSES;
	if (!n->is_leaf || count > 1)
		n->entry.tree = NULL;
	if (!n->is_leaf || count > 1)
		n->entry.pick_count = 0;
	n->entry.left_out = true;
	for (size_t i = 0; i < count; i++) {
		n->entry.left_out &= entries[i]->left_out;
		for (u32 m = 0; m < v->member_count; m++)
			add_sums(&n->entry.self[m], &entries[i]->self[m]);
	}
	if (!n->is_leaf)
		build(v, n, level + 1, levels, entries, count);
	return n;
}

static void build(const struct hist_view *v, struct hist_node *parent, u32 level, u32 levels,
		  struct hist_entry **entries, size_t count)
{
	struct building b = { v, level };
	struct hist_node *n;

	if (count > 1)
		qsort_r(entries, count, sizeof(*entries), entry_cmp, &b);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (level_cmp(&b, entries[i], entries[end]))
				break;
		n = node_of(v, level, levels, entries + i, end - i);
		if (n->entry.left_out)
			hist_hierarchy_free(n);
		else
			vec_push(&parent->children, n);
	}
	if (parent->children.count > 1)
		qsort_r(parent->children.items, parent->children.count,
			sizeof(*parent->children.items), node_cmp, &b);
}

struct hist_node *hist_hierarchy_new(const struct hist_view *v)
{
	struct hist_node *root = xcalloc(1, sizeof(*root));
	struct hist_entry **entries = xcalloc(v->entry_count + 1, sizeof(*entries));

	memcpy(entries, v->entries, v->entry_count * sizeof(*entries));
	build(v, root, 0, hist_levels(v->hist), entries, v->entry_count);
	free(entries);
	return root;
}

void hist_hierarchy_free(struct hist_node *n)
{
	if (!n)
		return;
	vec_for_each(&n->children, c)
		hist_hierarchy_free(*c);
	vec_release(&n->children);
	free(n->entry.self);
	free(n->entry.total);
	free(n->access);
	free(n);
}

u32 hist_levels(const struct hist *h)
{
	u32 levels = 1;

	vec_for_each(&h->fields, f)
		if (!(f->column->flags & HIST_VALUE))
			levels = MAX(levels, f->level + 1);
	return levels;
}
