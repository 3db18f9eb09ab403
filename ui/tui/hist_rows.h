/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a histogram on a screen: entries, and the call trees of those that are open.
 *
 * Rows are numbered from 0 and made on request. What is open is remembered by entry and branch, so
 * it outlives zooms. A run of frames without branches is one branch with a row for each frame: the
 * sign of its first row opens the run, the sign of its last row what is below.
 *
 * In a hierarchy an entry is a node of the tree of keys: below an opened one are its children,
 * below one of the last level its call tree. After a zoom the tree is a new one, with its first
 * level open. That of the next table of a live view is open where the one before was.
 */
#ifndef UI_TUI_HIST_ROWS_H
#define UI_TUI_HIST_ROWS_H

#include "hist/hist.h"

struct hist_rows;
struct branch;

struct hist_row {
	const struct hist_entry *entry; /* in a hierarchy a node's, gone after hist_rows_show() */
	/* the first entry of the view: this one, or one that the node sums */
	const struct hist_entry *first;
	u32 level;                    /* the level of the node */
	struct branch *branch;        /* NULL: the entry's own row */
	const struct call_tree *tree; /* the tree of the branch */
	u32 frame;                    /* which of the branch's run */
	u32 indent;                   /* steps from the entry, which has 0 */
	u64 parent;                   /* number of the row that this one belongs under */
	char sign;                    /* '+', '-' or ' ' */
	bool with_value;              /* its share differs from that of the row above it */
	u64 of;                       /* the base of its share, 0: everything */
};

struct hist_rows *hist_rows_new(bool hierarchy);
void hist_rows_free(struct hist_rows *r);
/*
 * Leaves nodes of a hierarchy under this share out, from the next hist_rows_show() on. The entries
 * stay in the view, since the sums of the levels above include them.
 */
void hist_rows_limit(struct hist_rows *r, double percent);
/* Shows the view. The caller repeats this after hist_narrow(). */
void hist_rows_show(struct hist_rows *r, const struct hist_view *v);
/*
 * Moves on to the next table of a live view; open rows stay open. at is the row to follow. find
 * returns the entry of v that corresponds to an entry of the previous view, or NULL.
 * hist_rows_show() must come next, while the previous table is there.
 */
void hist_rows_carry(struct hist_rows *r, const struct hist_view *v, u64 at,
		     const struct hist_entry *(*find)(void *arg, const struct hist_entry *e),
		     void *arg);
/*
 * Finds the current row of the one that was followed, if it is one of a call chain or of a
 * hierarchy. Returns false if it has gone or is the row of an entry.
 */
bool hist_rows_followed(const struct hist_rows *r, u64 *number);
/* Closes everything, before the call trees are made again. */
void hist_rows_forget(struct hist_rows *r);
u64 hist_rows_count(const struct hist_rows *r);
void hist_rows_at(const struct hist_rows *r, u64 number, struct hist_row *row);
/* Returns the number of an entry's row, by the entry's place among those that are shown. */
u64 hist_rows_of_entry(const struct hist_rows *r, size_t index);
/*
 * Finds the place of an entry of the view, or of the node that contains it, among those that are
 * shown.
 */
bool hist_rows_find(const struct hist_rows *r, const struct hist_entry *e, size_t *index);
size_t hist_rows_entry_index(const struct hist_rows *r, u64 number);
/* Opens or closes one level at a row with a sign. Returns false where there is none. */
bool hist_rows_toggle(struct hist_rows *r, u64 number);
/* Opens or closes all levels of the entry that the row belongs to. */
void hist_rows_open_entry(struct hist_rows *r, u64 number, bool open);
void hist_rows_open_all(struct hist_rows *r, bool open);

#endif
