// SPDX-License-Identifier: GPL-2.0-or-later
/* What is open: branches of call trees, nodes of a hierarchy. */
#include "ui/tui/hist_rows_parts.h"

#include <stdlib.h>

struct hist_rows *hist_rows_new(bool hierarchy)
{
	struct hist_rows *r = xcalloc(1, sizeof(*r));

	r->hierarchy = hierarchy;
	return r;
}

static void forget_branches(struct hist_rows *r)
{
	hist_rows_free_branches(&r->roots);
	r->followed = (struct followed){ .node = NULL };
}

void hist_rows_free(struct hist_rows *r)
{
	if (!r)
		return;
	forget_branches(r);
	map64_release(&r->opened);
	hist_hierarchy_free(r->tree);
	hist_rows_drop_before(r);
	vec_release(&r->items);
	free(r->first);
	free(r);
}

void hist_rows_limit(struct hist_rows *r, double percent)
{
	r->limit = percent;
}

void hist_rows_show(struct hist_rows *r, const struct hist_view *v)
{
	r->view = v;
	if (r->hierarchy) { /* the entries of nodes are freed with their tree */
		forget_branches(r);
		map64_release(&r->opened);
		hist_hierarchy_free(r->tree);
		r->tree = hist_hierarchy_new(v);
		hist_rows_take_up(r);
	}
	hist_rows_list(r);
}

void hist_rows_forget(struct hist_rows *r)
{
	forget_branches(r);
	if (r->view)
		hist_rows_list(r);
}

/* ---- opening ---- */

static void set_deep(struct branch *b, bool open)
{
	b->run_open = b->open = open;
	if (open)
		branch_make_children(b);
	for (size_t i = 0; b->children && i < b->tree->children.count; i++)
		set_deep(&b->children[i], open);
}

static void toggle_level(struct branch *b)
{
	b->open = !b->open;
	if (b->open)
		branch_make_children(b);
}

bool hist_rows_toggle(struct hist_rows *r, u64 number)
{
	struct hist_row row;
	struct branch *root;
	struct hist_node *node;

	if (number >= hist_rows_count(r))
		return false;
	hist_rows_at(r, number, &row);
	if (row.sign == ' ')
		return false;
	node = r->items.items[hist_rows_entry_index(r, number)].node;
	if (!row.branch && node && !node->is_leaf) {
		hist_rows_set_open(r, node, row.sign == '+');
		hist_rows_list(r);
		return true;
	}
	root = hist_rows_make_root(r, row.entry);
	if (!row.branch)
		toggle_level(root);
	else if (!row.frame && row.tree->frames.count > 1)
		row.branch->run_open = !row.branch->run_open;
	else
		toggle_level(row.branch);
	branch_count_deep(root);
	hist_rows_list(r);
	return true;
}

static void open_node(struct hist_rows *r, struct hist_node *n, bool open);

static void open_item(struct hist_rows *r, const struct hist_entry *e, struct hist_node *node,
		      bool open)
{
	struct branch *root;

	if (node && !node->is_leaf) {
		open_node(r, node, open);
		return;
	}
	root = hist_rows_make_root(r, e);
	if (!root)
		return;
	set_deep(root, open);
	branch_count_deep(root);
}

/* Opens or closes a node with everything below it. */
static void open_node(struct hist_rows *r, struct hist_node *n, bool open)
{
	hist_rows_set_open(r, n, open);
	vec_for_each(&n->children, c)
		open_item(r, &(*c)->entry, *c, open);
}

void hist_rows_open_entry(struct hist_rows *r, u64 number, bool open)
{
	const struct item *it;

	if (number >= hist_rows_count(r))
		return;
	it = &r->items.items[hist_rows_entry_index(r, number)];
	open_item(r, it->entry, it->node, open);
	hist_rows_list(r);
}

void hist_rows_open_all(struct hist_rows *r, bool open)
{
	if (!open)
		forget_branches(r);
	if (r->tree)
		open_node(r, r->tree, open);
	for (size_t i = 0; open && !r->tree && i < r->items.count; i++)
		open_item(r, r->items.items[i].entry, NULL, true);
	hist_rows_list(r);
}
