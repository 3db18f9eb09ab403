/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a sample with a branch stack stands for: each of its branches, or itself with its branches
 * in front of its call chain.
 *
 *	struct branch_rows b;
 *	for (branch_rows_begin(&b, s); branch_rows_next(&b, session);)
 *		hist_collector_add(collector, &b.row);
 *
 * Plain data; one thread for each object.
 */
#ifndef PROFILE_EXPAND_H
#define PROFILE_EXPAND_H

#include "hist/sample.h"
#include "session/session.h"

/* Finds a place by its address alone: the kernel has the upper half. */
void branch_find_place(struct history *history, const struct session_sample *s, u64 addr,
		       struct hist_place *out);

/* Visits one branch after another, newest first; the fields are those of the current branch. */
struct branch_rows {
	const struct session_sample *of;
	u64 next;
	struct sample_branch raw;
	struct hist_branch branch;
	/* at the branch's target, with period 1; the weight is its cycles */
	struct sample sample;
	struct hist_sample row; /* complete except for swap and parallelism */
};
void branch_rows_begin(struct branch_rows *b, const struct session_sample *s);
/* Moves to the next branch. Returns false after the last. */
bool branch_rows_next(struct branch_rows *b, struct session *session);

/* A chain being built: in the file's byte order, leaf first. */
struct branch_path {
	VEC(u64) ips;
};
/*
 * Gives the sample the chain of its branches, newest first, followed by those frames of its own
 * chain that are not among them.
 */
void branch_path_take(struct branch_path *p, const struct event_set *events, struct sample *s);
void branch_path_release(struct branch_path *p);

#endif
