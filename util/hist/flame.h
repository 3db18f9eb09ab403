/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All call chains of a view in one tree, outermost caller first: what flame graphs draw.
 *
 * Node 0 stands for everything; below it are the commands, where they are among the
 * keys, then frames.  A frame is a function, or an address where call chains tell
 * addresses apart (call_graph_settings.by_address).  Rows that hist_narrow() left out
 * are not in the tree.
 * Children follow each other by period, greatest first; equal ones by name.
 * Life: flame_free(); the hist must outlive it.  Reading: any thread.
 */
#ifndef HIST_FLAME_H
#define HIST_FLAME_H

#include "hist/hist.h"

#define FLAME_NONE UINT32_MAX

struct flame_node {
	u32 parent, child, next; /* next: the parent's next child; FLAME_NONE */
	u32 depth;		 /* 0: everything */
	frame_id frame;
	const char *comm; /* not NULL: a command, and no frame */
	u64 period, samples;
	u64 own_period; /* of chains that end here */
};

struct flame {
	const struct hist *hist;
	struct flame_node *nodes;
	u32 count, depth; /* depth: of the deepest node */
};

/* member: of the view's group. */
struct flame *flame_new(const struct hist *h, const struct hist_view *v, u32 member);
void flame_free(struct flame *f);
/* "all", a command, or what a call chain shows for the frame. */
void flame_text(const struct flame *f, u32 node, struct strbuf *out);

#endif
