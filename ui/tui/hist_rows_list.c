// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The existing rows.
 *
 * Branches mirror the call trees as far as they were opened. branch->rows is the number of its
 * visible rows; first[] are the rows before each entry, so binary search finds a row's entry.
 */
#include "base/search.h"
#include "ui/tui/hist_rows_parts.h"

#include <stdlib.h>

/* ---- branches ---- */

static void branch_release(struct branch *b)
{
	for (size_t i = 0; b->children && i < b->tree->children.count; i++)
		branch_release(&b->children[i]);
	free(b->children);
	b->children = NULL;
}

void hist_rows_free_branches(struct map64 *roots)
{
	for (size_t i = 0; i < roots->space; i++) {
		struct branch *b = (struct branch *)(uintptr_t)roots->slots[i].value;

		if (!roots->slots[i].used || !b)
			continue;
		branch_release(b);
		free(b);
	}
	map64_release(roots);
}

static bool has_children(const struct branch *b)
{
	return b->tree->children.count > 0;
}

bool branch_is_open(const struct branch *b)
{
	return b->open && b->children && (b->run_open || b->tree->frames.count <= 1);
}

/* Counts the rows of a branch. A root has no frames and so no rows of its own. */
static void count_branch(struct branch *b)
{
	size_t frames = b->tree->frames.count;

	b->rows = b->run_open ? frames : MIN(frames, (size_t)1);
	for (size_t i = 0; branch_is_open(b) && i < b->tree->children.count; i++)
		b->rows += b->children[i].rows;
}

void branch_count_deep(struct branch *b)
{
	for (size_t i = 0; b->children && i < b->tree->children.count; i++)
		branch_count_deep(&b->children[i]);
	count_branch(b);
}

struct branch *hist_rows_root(const struct hist_rows *r, const struct hist_entry *e)
{
	const u64 *found = map64_get(&r->roots, (u64)(uintptr_t)e);

	return found ? (struct branch *)(uintptr_t)*found : NULL;
}

void branch_make_children(struct branch *b)
{
	if (b->children || !has_children(b))
		return;
	b->children = xcalloc(b->tree->children.count, sizeof(*b->children));
	for (size_t i = 0; i < b->tree->children.count; i++) {
		b->children[i].tree = b->tree->children.items[i];
		count_branch(&b->children[i]);
	}
}

struct branch *hist_rows_make_root(struct hist_rows *r, const struct hist_entry *e)
{
	struct branch *b = hist_rows_root(r, e);

	if (b || !e->tree || !e->tree->children.count)
		return b;
	b = xcalloc(1, sizeof(*b));
	b->tree = e->tree;
	*map64_put(&r->roots, (u64)(uintptr_t)e, NULL) = (u64)(uintptr_t)b;
	return b;
}

/* ---- listing ---- */

static bool is_open(const struct hist_rows *r, const struct hist_node *n)
{
	const u64 *open = map64_get(&r->opened, (u64)(uintptr_t)n);

	return open && *open;
}

void hist_rows_set_open(struct hist_rows *r, const struct hist_node *n, bool open)
{
	*map64_put(&r->opened, (u64)(uintptr_t)n, NULL) = open;
}

/* Reports whether the node's share of any event is large enough for the list. */
static bool is_listed(const struct hist_rows *r, const struct hist_node *n)
{
	if (r->limit <= 0)
		return true;
	for (u32 m = 0; m < r->view->member_count; m++) {
		u64 period = n->entry.self[m].period, of = hist_view_period(r->view, m);

		if (of && (double)period * 100.0 / (double)of >= r->limit)
			return true;
	}
	return false;
}

static bool has_listed(const struct hist_rows *r, const struct hist_node *n)
{
	vec_for_each(&n->children, c)
		if (is_listed(r, *c))
			return true;
	return false;
}

static void add_nodes(struct hist_rows *r, struct hist_node *parent, size_t above)
{
	vec_for_each(&parent->children, c) {
		size_t at = r->items.count;
		const struct item item = { &(*c)->entry, *c, parent == r->tree ? at : above };

		if (!is_listed(r, *c))
			continue;
		vec_push(&r->items, item);
		if (!(*c)->is_leaf && is_open(r, *c))
			add_nodes(r, *c, at);
	}
}

static void count_all(struct hist_rows *r)
{
	size_t n = r->items.count;
	u64 sum = 0;

	r->first = xreallocarray(r->first, n + 1, sizeof(*r->first));
	for (size_t i = 0; i < n; i++) {
		const struct branch *b =
			r->roots.count ? hist_rows_root(r, r->items.items[i].entry) : NULL;

		r->first[i] = sum;
		sum += 1 + (b ? b->rows : 0);
	}
	r->first[n] = sum;
}

/* Lists the shown entries in the order of the screen. */
void hist_rows_list(struct hist_rows *r)
{
	vec_clear(&r->items);
	if (r->tree)
		add_nodes(r, r->tree, 0);
	for (size_t i = 0; !r->hierarchy && i < r->view->entry_count; i++)
		vec_push(&r->items, (struct item){ r->view->entries[i], NULL, i });
	count_all(r);
}

u64 hist_rows_count(const struct hist_rows *r)
{
	return r->first[r->items.count];
}

u64 hist_rows_of_entry(const struct hist_rows *r, size_t index)
{
	return r->first[MIN(index, r->items.count)];
}

bool hist_rows_find(const struct hist_rows *r, const struct hist_entry *e, size_t *index)
{
	bool found = false;

	for (size_t i = 0; i < r->items.count; i++) {
		const struct item *it = &r->items.items[i];

		if (it->node ? it->node->first != e : it->entry != e)
			continue;
		*index = i; /* if several nodes sum it, the innermost one, which comes last */
		found = true;
		if (!it->node)
			break;
	}
	return found;
}

size_t hist_rows_entry_index(const struct hist_rows *r, u64 number)
{
	size_t after = lower_bound(i, 0, r->items.count, r->first[i] <= number);

	return after ? after - 1 : 0;
}

/* ---- finding ---- */

static char sign_of(bool has, bool open)
{
	return !has ? ' ' : open ? '-' : '+';
}

struct place {
	u64 skip;   /* rows still to pass */
	u64 number; /* the number of the row at the start of the branch */
	u64 parent; /* row over the branch */
	u32 indent;
	bool with_value;
	u64 of;
};

static void frame_row(struct branch *b, const struct place *p, struct hist_row *row)
{
	size_t frames = b->tree->frames.count;
	bool last = p->skip + 1 == frames;

	row->branch = b;
	row->tree = b->tree;
	row->frame = (u32)p->skip;
	row->indent = p->indent + (p->skip > 0);
	row->parent = p->skip ? p->number : p->parent;
	row->with_value = p->with_value && !p->skip;
	row->of = p->of;
	if (!p->skip && frames > 1)
		row->sign = sign_of(true, b->run_open);
	else
		row->sign = last ? sign_of(has_children(b), b->open) : ' ';
}

static void find_in(struct branch *b, u64 period, bool fractal, struct place p,
		    struct hist_row *row)
{
	size_t frames = b->tree->frames.count,
	       shown = b->run_open ? frames : MIN(frames, (size_t)1);
	const struct call_tree *t = b->tree;

	if (p.skip < shown) {
		frame_row(b, &p, row);
		return;
	}
	p.skip -= shown;
	p.parent = shown ? p.number + shown - 1 : p.parent;
	p.number += shown;
	p.indent += shown > 1 ? 2 : 1;
	p.of = !fractal ? 0 : frames ? t->period - t->own_period : period;
	for (size_t i = 0; i < t->children.count; i++) {
		struct branch *c = &b->children[i];

		if (p.skip < c->rows) {
			p.with_value = t->children.count > 1 || c->tree->period != period;
			find_in(c, c->tree->period, fractal, p, row);
			return;
		}
		p.skip -= c->rows;
		p.number += c->rows;
	}
}

void hist_rows_at(const struct hist_rows *r, u64 number, struct hist_row *row)
{
	const struct hist_settings *set = hist_settings(r->view->hist);
	size_t index = hist_rows_entry_index(r, number);
	const struct item *it = &r->items.items[index];
	const struct hist_entry *e = it->entry;
	struct branch *root = hist_rows_root(r, e);
	struct place p = { .skip = number - r->first[index] };

	*row = (struct hist_row){
		.entry = e, .sign = ' ', .parent = r->first[it->parent], .first = e
	};
	if (it->node) {
		row->first = it->node->first;
		row->level = it->node->level;
	}
	if (!p.skip && it->node && !it->node->is_leaf) {
		row->sign = sign_of(has_listed(r, it->node), is_open(r, it->node));
		return;
	}
	if (!p.skip) {
		row->sign = sign_of(e->tree && e->tree->children.count, root && root->open);
		return;
	}
	row->parent = r->first[index];
	p.skip--;
	p.parent = r->first[index];
	p.number = p.parent + 1;
	find_in(root, set->children ? e->total[0].period : e->self[0].period,
		set->graph.mode == CALL_GRAPH_FRACTAL, p, row);
}
