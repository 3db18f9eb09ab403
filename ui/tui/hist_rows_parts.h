/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of the rows of a histogram, shared by what lists them, what opens them and what carries
 * them on to the next table.
 */
#ifndef UI_TUI_HIST_ROWS_PARTS_H
#define UI_TUI_HIST_ROWS_PARTS_H

#include "base/hash.h"
#include "ui/tui/hist_rows.h"

struct branch {
	const struct call_tree *tree;
	bool run_open, open;
	u64 rows;
	struct branch *children; /* as many as the tree has; NULL: never opened */
};

/* One thing that is shown at a level: an entry of the view, or a node. */
struct item {
	const struct hist_entry *entry;
	struct hist_node *node; /* NULL: no hierarchy */
	size_t parent;          /* index of the node above; its own on the first level */
};

/* A row that is found again in the next table; nothing of it is set: none. */
struct followed {
	/* a row of this node or of its call tree; NULL: no hierarchy */
	const struct hist_node *node;
	const struct branch *branch; /* a row of this branch; NULL: the node's own row */
	u32 frame;                   /* which of the branch's run */
};

/* The hierarchy of the table before, from hist_rows_carry() until the new one is shown. */
struct hist_rows_before {
	const struct hist_view *view;
	struct hist_node *tree; /* NULL: no table came before, or it has been taken up */
	struct map64 roots, opened;
	struct followed followed;
};

struct hist_rows {
	const struct hist_view *view;
	struct map64 roots; /* entry -> struct branch * */
	VEC(struct item) items;
	u64 *first; /* by item, and one after the last */
	bool hierarchy;
	double limit;           /* percent that a node has at least, to be listed */
	struct hist_node *tree; /* NULL: no hierarchy */
	struct map64 opened;    /* nodes that are open */
	struct hist_rows_before before;
	struct followed followed;
};

/* ---- hist_rows_list.c ---- */

/* Reports whether the rows of the branch's children are shown. */
bool branch_is_open(const struct branch *b);
void branch_make_children(struct branch *b);
/* Counts the rows of a branch and of all branches below it. */
void branch_count_deep(struct branch *b);
/* Returns the root without children, or NULL if the entry has no call tree. */
struct branch *hist_rows_make_root(struct hist_rows *r, const struct hist_entry *e);
struct branch *hist_rows_root(const struct hist_rows *r, const struct hist_entry *e);
void hist_rows_free_branches(struct map64 *roots);
void hist_rows_set_open(struct hist_rows *r, const struct hist_node *n, bool open);
/* Lists the items again, and counts the rows of each. */
void hist_rows_list(struct hist_rows *r);

/* ---- hist_carry.c ---- */

/* Opens in the new tree what was open in the one before. */
void hist_rows_take_up(struct hist_rows *r);
void hist_rows_drop_before(struct hist_rows *r);

#endif
