/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What branch stacks tell of a recording: cycles of basic blocks, and streams.
 *
 * A block is the run of instructions from where one taken branch landed to where the
 * next one left, inside one function; its cycles are those that the CPU noted with the
 * branch that left (sample_branch: bits 4-19 of the flags; 0: not noted).
 * A stream is a whole branch stack, newest branch first, without repeats of one branch
 * behind another (a loop's turns).
 *
 * Use: branch_profile_new, _add for each sample of a session, then read the lists.
 * Threads: one for each profile.  Life: profiles own their texts.
 */
#ifndef BRANCH_PROFILE_H
#define BRANCH_PROFILE_H

#include "base/hash.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "session/session.h"
#include "symbol/srcline.h"

/* Cycles that are kept of one block for its histogram: the first ones. */
enum { BLOCK_VALUES = 4096 };

struct block {
	char *key;           /* object, function, offsets in the function */
	char *dso, *symbol;  /* as columns show them: the symbol with its mark "[.] " */
	char *range;         /* "a.c:12 -> a.c:15" or "f+0x4 -> f+0x20" */
	u32 event;           /* index in its file's set */
	u32 image, number;   /* the function's, in the session's tables */
	u64 start, end;      /* offsets in the image: first instruction, the branch that left */
	u64 count;           /* how often it ran with noted cycles */
	double sum, squares; /* sums over cycles */
	VEC(u16) values;
};

struct stream {
	char *key;
	VEC(char *) places; /* newest first */
	u32 event;
	u64 hits;
	double cycles; /* sum over the hits */
};

struct branch_list {
	VEC(u64) list;
};

struct branch_profile {
	struct session *session;
	struct line_store *lines;
	bool streams_wanted;
	VEC(struct block *) blocks;
	VEC(struct stream *) streams;
	struct strmap block_by_key, stream_by_key;  /* event and key -> index */
	struct strmap symbol_period;                /* event, dso, symbol -> period */
	struct branch_list samples, period, cycles; /* by event */
	struct strbuf key, text;                    /* scratch */
	VEC(struct sample_branch) branches;         /* the branches of the sample at hand */
};

/* lines must outlive the profile. */
struct branch_profile *branch_profile_new(struct session *s, struct line_store *lines,
					  bool streams);
void branch_profile_free(struct branch_profile *p);
void branch_profile_add(struct branch_profile *p, const struct session_sample *s);
/* Samples without a branch stack are counted too. */
u64 branch_profile_samples(const struct branch_profile *p, u32 event);
u64 branch_profile_period(const struct branch_profile *p, u32 event);
/* Noted with all branches, whether they end a block or not. */
u64 branch_profile_cycles(const struct branch_profile *p, u32 event);
/* The block that has this key in another recording; NULL: none. */
const struct block *branch_profile_block(const struct branch_profile *p, u32 event,
					 const char *key);

#endif
