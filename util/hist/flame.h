/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All call chains of a view as one tree, outermost caller first: what a flame view draws.
 *
 * Node 0 stands for everything; below it are the commands, if they are among the keys, then frames.
 * A frame is a function, or an address where call chains distinguish addresses
 * (call_graph_settings.by_address). Rows that hist_narrow() left out are not in the tree. The
 * children of a node are made on demand, because a tree of millions of nodes is seen a screen at a
 * time. They are in descending order of their periods; equal ones in order of their names.
 *
 * Life: flame_free(); the hist must outlive it. Threads: one.
 */
#ifndef HIST_FLAME_H
#define HIST_FLAME_H

#include "hist/hist.h"

#define FLAME_NONE UINT32_MAX

struct flame_node {
	u32 parent, child, next; /* next: the parent's next child; FLAME_NONE */
	u32 depth;               /* 0 for everything */
	bool expanded;           /* its children have been made */
	frame_id frame;
	const char *comm; /* the command, or NULL for a frame */
	u64 period, samples;
	u64 own_period; /* the period of chains that end here */
	u64 waiting;    /* the part of the period that was spent waiting, with times */
};

struct flame;
/*
 * Makes the tree of a member of the view's group, from the view's current entries and keys. If
 * times is not NULL, it takes both of its events from all views, and periods are ns.
 */
struct flame *flame_new(struct hist *h, const struct hist_view *v, u32 member,
			const struct hist_times *times);
void flame_free(struct flame *f);
/* Returns a node, which is valid until the next flame_expand(). */
const struct flame_node *flame_node(const struct flame *f, u32 node);
/* Makes the node's children, unless they exist. */
void flame_expand(struct flame *f, u32 node);
/* Writes "all", a command, or what a call chain shows for the frame. */
void flame_text(const struct flame *f, u32 node, struct strbuf *out);
const struct hist *flame_hist(const struct flame *f);

/*
 * Looks for frames and commands whose names contain part, ignoring case; "" ends the search.
 * Returns the period of all chains with a match.
 */
u64 flame_search(struct flame *f, const char *part);
bool flame_matches(const struct flame *f, u32 node);
/*
 * Returns the match after (or before) a node, wrapping around the ends; FLAME_NONE if nothing
 * matches.
 */
u32 flame_next_match(struct flame *f, u32 node, bool back);

#endif
