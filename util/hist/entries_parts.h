/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the making of entries:
 *
 *	entries.c	all groups, and who makes which
 *	entry_groups.c	rows -> groups
 *	entry_sums.c	a group -> its entries
 */
#ifndef HIST_ENTRIES_PARTS_H
#define HIST_ENTRIES_PARTS_H

#include "hist/internal.h"

struct place {
	u64 group; /* view, key class */
	u32 member, row;
};

/* A run of consecutive places of the same group. */
struct span {
	size_t from, count;
};

struct made_entry {
	u32 view;
	struct hist_entry *entry;
};

/* Total sums of one frame class, in the current group and member. */
struct class_sums {
	u64 period, samples, latency;
	u32 depth;
	u32 met; /* the row that was added last, by work.row_number */
};

typedef VEC(struct span) span_list;

/* What all threads share. */
struct making {
	struct hist *h;
	const u32 *shown_class; /* by frame: its class, or HIDDEN if it does not pass */
	const struct chain_list *chains;
	const struct place *places;
	span_list groups; /* largest first */
	size_t next;
	struct shared_group *shared; /* the group that all threads make together; or NULL */
};
#define HIDDEN UINT32_MAX

/* What the leaf and the chain of a row determine. */
struct noted_row {
	u32 class; /* of its leaf; HIDDEN if it does not pass */
	u32 depth;
	u8 cpumode;
	bool adds_total; /* to its own entry, since no frame of the chain adds it */
};

/*
 * A group with one member that all threads make. Each thread looks at the chains of a run of its
 * rows. Then each makes the entries of its own classes, from all rows and the sums of all threads.
 */
struct shared_group {
	u32 view, key_class;
	const struct place *places;
	size_t count;
	struct row *rows;        /* copies, in the order of places */
	struct noted_row *noted; /* likewise */
	struct work **works;
	unsigned threads;
	/*
	 * so many consecutive classes belong to one thread: its tables of classes fill whole pages
	 */
	u32 run;
};

/* The state of one thread. */
struct work {
	struct making *m;
	unsigned number;
	struct hist *h;
	struct class_sums *sums; /* by frame class; NULL without children */
	u32 row_number;
	VEC(u32) summed;               /* frame classes with sums */
	struct hist_entry **entry_of;  /* by frame class */
	VEC(struct hist_entry *) made; /* in this group */
	VEC(struct made_entry) entries;
	VEC(struct row) rows; /* the rows of one member */
	struct tree_builder *trees;
	/* by member, all 0: for entries that only callees add to, which are most entries */
	struct hist_sums *no_sums;
	struct arena arena;
};

/*
 * Returns the places of all rows, grouped, and lists the groups (entry_groups.c). The caller frees
 * them.
 */
struct place *entry_groups_find(const struct hist *h, span_list *groups);
/* Returns the most members of any view. */
u32 entry_groups_members(const struct hist *h);

struct work *work_new(struct making *m, unsigned number);
/* Gives what the worker made to the hist, and frees the worker. */
void work_hand_over(struct work *w);
void work_do_group(struct work *w, const struct span *g);
void work_build_trees(struct work *w, struct view *v);
/* Makes this group with all of works, one for each thread. Its view has one member. */
void works_do_group(struct work **works, unsigned threads, const struct span *g);

#endif
