/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks and streams of the branch stacks of two recordings side by side.
 * Blocks are matched by object, function and offsets in the function; streams by the
 * text of their places (function and line, or function and offset).
 */
#ifndef BUILTIN_DIFF_BRANCHES_H
#define BUILTIN_DIFF_BRANCHES_H

#include "branch/profile.h"

struct block_draw {
	const char *separator;
	bool no_heads, histogram, confidence;
	double level; /* the confidence level */
};
/* Compares the blocks of one event of the baseline with those of another file. */
void block_table_text(struct branch_profile *base, struct branch_profile *data, u32 event,
		      u32 data_event, const struct block_draw *draw, struct strbuf *b);
/* Adds the most frequent streams of both files, matched or alone: at most five of each. */
void stream_text(struct branch_profile *base, struct branch_profile *data, u32 event,
		 u32 data_event, struct strbuf *b);

#endif
