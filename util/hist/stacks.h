/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flame graphs: all chains of one event as one tree, without tables. */
#ifndef HIST_STACKS_H
#define HIST_STACKS_H

#include "base/hash.h"
#include "base/types.h"
#include "base/vec.h"

struct event;
struct hist;

/*
 * All chains of one event as a tree from the outermost frame; frames of one name are one,
 * whatever their object.  In front stand the keys of the sample (comm, if nothing else was
 * asked for).  Node 0 is the root; parents come before their children, and children are
 * linked in order of their names.  Free it with hist_stacks_free().
 */
enum stack_kind { STACK_KEY, STACK_USER, STACK_KERNEL, STACK_INLINED };
struct stack_node {
	u32 name;	 /* in names */
	u32 parent;
	u32 child, next; /* 0: none */
	enum stack_kind kind;
	u64 samples, period;	     /* of everything through here */
	u64 own_samples, own_period; /* of chains that end here */
};
struct hist_stacks {
	VEC(struct stack_node) nodes;
	struct strtab names;
};
struct hist_stacks *hist_stacks_new(struct hist *h, const struct event *ev);
/* Samples with a frame whose function is not known. */
u64 hist_stacks_unknown(const struct hist_stacks *f);
void hist_stacks_free(struct hist_stacks *f);

#endif
