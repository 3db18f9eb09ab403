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
 * All chains of one event as a tree from the outermost frame; frames of one name are one, whatever
 * their object. The keys of the sample come first (comm, unless other keys were requested). Node 0
 * is the root; parents come before their children, and children are linked in order of their names.
 * Free it with hist_stacks_free().
 */
enum stack_kind { STACK_KEY, STACK_USER, STACK_KERNEL, STACK_INLINED };
struct stack_node {
	u32 name; /* in names */
	u32 parent;
	u32 child, next; /* 0 means none */
	enum stack_kind kind;
	u64 samples, period;         /* the sums of everything through here */
	u64 own_samples, own_period; /* the sums of chains that end here */
	/* the sums of the squared periods of samples, with hist_settings.squares */
	double squares, own_squares;
	/* the parts of the periods that were spent waiting; see hist_times */
	u64 waiting, own_waiting;
	bool runtime; /* users' code of a language's run-time: symbol/runtime.h */
};
/* Reports whether at least nine tenths of its time were spent waiting. */
static inline bool stack_waits(const struct stack_node *n)
{
	return n->waiting && n->waiting / 9 >= n->period / 10;
}
struct hist_stacks {
	VEC(struct stack_node) nodes;
	struct strtab names;
};

/*
 * The two kinds of time in a recording of perf record --off-cpu: samples of tasks that ran, and the
 * event offcpu-time, whose periods are ns that tasks waited. If the samples are times as well, both
 * make one tree, and a period is ns.
 */
struct hist_times {
	const struct event *ran, *waited; /* ran is NULL if only waits were recorded */
	/* the ns that a sample of ran stands for; 0 if its periods are ns */
	u64 ns_per_sample;
};
bool hist_times_find(const struct hist *h, struct hist_times *t);
/* Returns the ns that a row of either event stands for. */
u64 hist_times_ns(const struct hist_times *t, u32 event, u64 period, u64 samples);
/*
 * Makes the tree of one event; times is NULL, or makes its periods ns. hist_stacks_free() frees it.
 */
struct hist_stacks *hist_stacks_new(struct hist *h, const struct event *ev,
				    const struct hist_times *times);
/*
 * Makes one tree of both events. Frames of the kernel in which tasks waited are separate from those
 * in which they ran. Children that waited come after the others.
 */
struct hist_stacks *hist_stacks_of_times(struct hist *h, const struct hist_times *t);
/* Counts samples with a frame whose address is in no known object. */
u64 hist_stacks_unknown(const struct hist_stacks *f);
void hist_stacks_free(struct hist_stacks *f);

#endif
