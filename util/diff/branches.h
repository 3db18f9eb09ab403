/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What branch stacks tell of two recordings: cycles of basic blocks, and streams.
 *
 * A block is the run of instructions from where one taken branch landed to where the
 * next one left, inside one function; its cycles are those that the CPU noted with the
 * branch that left (sample_branch: bits 4-19 of the flags; 0: not noted).
 * A stream is a whole branch stack, newest branch first, without repeats of one branch
 * behind another (a loop's turns).
 * Blocks are matched by object, function and offsets in the function; streams by the
 * text of their places (function and line, or function and offset).
 *
 * Use: branch_profile_new, _add for each sample of an ordered session, then compare.
 * Threads: one.  Life: profiles own their texts.
 */
#ifndef DIFF_BRANCHES_H
#define DIFF_BRANCHES_H

#include "base/strbuf.h"
#include "session/session.h"
#include "symbol/srcline.h"

/* Cycles that are kept of one block for its histogram: the first ones. */
enum { BLOCK_VALUES = 4096 };

struct block {
	char *key;	     /* what it is matched by */
	char *dso, *symbol;  /* as columns show them */
	char *range;	     /* "a.c:12 -> a.c:15" or "f+0x4 -> f+0x20" */
	u32 event;	     /* index in its file's set */
	u64 symbol_period;   /* of its function's samples */
	u64 count;	     /* how often it ran with noted cycles */
	double sum, squares; /* of cycles */
	VEC(u16) values;
};

struct stream {
	char *key;
	VEC(char *) places;  /* newest first */
	u32 event;
	u64 hits;
	double cycles; /* sum over the hits */
};

struct branch_profile;
struct branch_profile *branch_profile_new(struct session *s, struct line_store *lines);
void branch_profile_free(struct branch_profile *p);
void branch_profile_add(struct branch_profile *p, const struct session_sample *s);
/* Samples without a branch stack are counted too. */
u64 branch_profile_samples(const struct branch_profile *p, u32 event);
u64 branch_profile_period(const struct branch_profile *p, u32 event);

struct block_draw {
	const char *separator;
	bool no_heads, histogram, confidence;
	double level; /* of confidence */
};
/* The blocks of one event of the baseline beside those of another file. */
void block_table_text(struct branch_profile *base, struct branch_profile *data, u32 event,
		      u32 data_event, const struct block_draw *draw, struct strbuf *b);
/* The most frequent streams of both, matched or alone: at most five of each. */
void stream_text(struct branch_profile *base, struct branch_profile *data, u32 event,
		 u32 data_event, struct strbuf *b);

#endif
