/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All call chains of a view as one tree, outermost caller first: what a flame view draws.
 *
 * Node 0 stands for everything; below it are the commands, where they are among the
 * keys, then frames.  A frame is a function, or an address where call chains tell
 * addresses apart (call_graph_settings.by_address).  Rows that hist_narrow() left out
 * are not in the tree.
 * The children of a node are made when they are asked for: a tree of millions of nodes is
 * seen a screen at a time.  They follow each other by period, greatest first; equal ones
 * by name.
 * Life: flame_free(); the hist must outlive it.  Threads: one.
 */
#ifndef HIST_FLAME_H
#define HIST_FLAME_H

#include "hist/hist.h"

#define FLAME_NONE UINT32_MAX

struct flame_node {
	u32 parent, child, next; /* next: the parent's next child; FLAME_NONE */
	u32 depth;               /* 0: everything */
	bool expanded;           /* its children are there */
	frame_id frame;
	const char *comm; /* not NULL: a command, and no frame */
	u64 period, samples;
	u64 own_period; /* the period of chains that end here */
	u64 waiting;    /* the part of the period that was spent waiting, with times */
};

struct flame;
/*
 * member: of the view's group.  The view's entries and keys are taken as they are now.
 * times: not NULL: both of its events, from all views, and periods are ns.
 */
struct flame *flame_new(struct hist *h, const struct hist_view *v, u32 member,
			const struct hist_times *times);
void flame_free(struct flame *f);
/* Good until the next flame_expand(). */
const struct flame_node *flame_node(const struct flame *f, u32 node);
/* Make its children, if they are not there yet. */
void flame_expand(struct flame *f, u32 node);
/* "all", a command, or what a call chain shows for the frame. */
void flame_text(const struct flame *f, u32 node, struct strbuf *out);
const struct hist *flame_hist(const struct flame *f);

/*
 * Look for frames and commands that have part in their names, whatever the case; "":
 * for nothing.  Returns the period of all chains that have one.
 */
u64 flame_search(struct flame *f, const char *part);
bool flame_matches(const struct flame *f, u32 node);
/* The match behind (or before) a node, around the ends; FLAME_NONE: there is none. */
u32 flame_next_match(struct flame *f, u32 node, bool back);

#endif
