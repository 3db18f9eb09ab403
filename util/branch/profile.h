/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes what branch stacks show: cycles of basic blocks, and streams.
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

/* How many cycles of one block are kept for its histogram: the first ones. */
enum { BLOCK_VALUES = 4096 };

struct block {
	char *key;           /* object, function, offsets in the function */
	char *dso, *symbol;  /* as in columns: the symbol with its mark "[.] " */
	char *range;         /* "a.c:12 -> a.c:15" or "f+0x4 -> f+0x20" */
	u32 event;           /* index in its file's set */
	u32 image, number;   /* of the function, in the session's tables */
	u64 start, end;      /* offsets in the image: first instruction, the branch that left */
	u64 count;           /* how often it ran with recorded cycles */
	double sum, squares; /* sums over the cycles */
	VEC(u16) values;
};

struct stream {
	char *key;
	VEC(char *) places; /* newest first */
	u32 event;
	u64 hits;
	double cycles; /* sum over its hits */
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
	VEC(struct sample_branch) branches;         /* branches of the current sample */
};

/* Creates a profile. lines must outlive it. */
struct branch_profile *branch_profile_new(struct session *s, struct line_store *lines,
					  bool streams);
void branch_profile_free(struct branch_profile *p);
void branch_profile_add(struct branch_profile *p, const struct session_sample *s);
/* Returns how many samples there are; it and the period include those without a branch stack. */
u64 branch_profile_samples(const struct branch_profile *p, u32 event);
u64 branch_profile_period(const struct branch_profile *p, u32 event);
/* Returns the cycles of all branches, whether they end a block or not. */
u64 branch_profile_cycles(const struct branch_profile *p, u32 event);
/* Returns the block that has this key in another recording; NULL if there is none. */
const struct block *branch_profile_block(const struct branch_profile *p, u32 event,
					 const char *key);

#endif
