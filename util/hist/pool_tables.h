/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of a pool, for the files that are about it: pool.c, pool_rows.c, pool_frames.c,
 * pool_truth.c, and pool_compact.c, which takes out what has faded.
 */
#ifndef HIST_POOL_TABLES_H
#define HIST_POOL_TABLES_H

#include "hist/internal.h"

struct held_sums {
	double samples, period, weight;
	double latency, weight2, weight3, squares;
};

/* Parallel to the rows, of which there are tens of thousands: most have only these two sums. */
struct held_few {
	double samples, period;
};
struct held_more {
	double weight, latency, weight2, weight3, squares;
};

struct pool_event {
	u64 fresh_samples, fresh_period, all_samples, all_period;
	/* samples that a filter of tasks refused: they count in totals, but have no row */
	struct held_sums refused;
};

/* Numbers + 1 in the pool's tables; 0 if not added yet. */
typedef VEC(u32) number_map;

/* Maps the numbers of a collector's tables to the pool's; filled when a row needs them. */
struct origin {
	struct hist_pool *pool;
	const struct hist_collector *collector;
	const struct key_table *keys;
	const struct strtab *texts;
	const struct chains *chains;
	u64 cleared; /* the collector's when the numbers were found */
	u64 damaged; /* damaged chains that are counted already */
	number_map rows, key_numbers, frame_numbers, chain_numbers;
	VEC(frame_id) path;
	u64 *key; /* scratch */
};

struct hist_pool {
	struct hist *like;
	bool by_function; /* the output cannot distinguish two places of one function */
	struct symbol_store *symbols;
	struct line_store *lines; /* NULL until needed */
	/* of changed files, for the table that is shown; or NULL */
	struct line_store *old_lines;
	struct chains *chains;
	struct key_table keys;
	struct strtab texts;
	VEC(struct row_ids) rows; /* the identities of the rows; their sums are in held */
	u32 *row_slots;           /* index + 1 */
	size_t row_space;
	VEC(u32) hashes;        /* by frame, so far as they were asked for: see first.c */
	struct map64 functions; /* a function, as hist_pool_function_key() has it -> its frame */
	VEC(u64) chain_ends;    /* by chain, why it ends; 0: not known.  Empty if nobody asks */
	VEC(struct held_few) held;
	VEC(struct held_more) more; /* likewise; empty until a row has any of these sums */
	struct pool_event *events;  /* by event */
	size_t dropped;             /* rows under half a sample */
	u64 damaged;
	VEC(struct origin *) origins; /* of the collectors whose rows were taken */
};

/*
 * Makes a key of everything that distinguishes a function's frame. Returns false if the key cannot
 * hold it.
 */
bool hist_pool_function_key(const struct hist_pool *p, const struct frame *f, u64 *key);
/*
 * Returns the pool's frame for one of a collector, whose object and symbol have the same numbers;
 * adds it if it is new.
 */
frame_id hist_pool_find_frame(struct hist_pool *p, const struct frame *f);
/* Returns the number of a row, and adds it without sums if it is new (pool_rows.c). */
u32 hist_pool_row(struct hist_pool *p, const struct row_ids *r);
/* Rebuilds the slots after rows were removed or renumbered. */
void hist_pool_find_rows_again(struct hist_pool *p);
void hist_pool_rows_release(struct hist_pool *p);
/* Rounds a sum that fades, as a snapshot shows it. */
static inline u64 hist_pool_whole(double v)
{
	return v < 0.5 ? 0 : (u64)(v + 0.5);
}

/* pool_truth.c: chain `to` of the pool has come, which is `from` in a collector's chains. */
void hist_pool_note_end(struct hist_pool *p, chain_id to, const struct chains *c, chain_id from);
/* Chains have new numbers, less 1; 0: it is gone. */
void hist_pool_move_ends(struct hist_pool *p, const u32 *numbers);
/* Before h, a snapshot, is finished. */
void hist_pool_count_truth(const struct hist_pool *p, struct hist *h);

/* Rows under half a sample go, and what no other one names. */
void hist_pool_compact(struct hist_pool *p);

#endif
