/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table that lives on while samples come: perf top's.
 *
 *	samples -> collectors --take--> pool --snapshot--> a finished hist -> ui
 *	                                 ^  |
 *	                                 +--+ decay: old rows weigh less, what is gone is freed
 *
 * The pool keeps rows, frames and the frames' names from one refresh to the next.  At a
 * refresh: hist_pool_decay(), hist_pool_take(), hist_pool_snapshot().  A snapshot is a
 * separate hist, as hist_finish() leaves it: code that draws it need not know about the
 * pool, and the pool can go on while it is drawn.
 * The pool's hist (hist_new, hist_set_keys) says what columns and settings there are; it is
 * never finished, and outlives the pool and the snapshots.  settings.picks must be 0.
 * Threads: one, except for the naming of frames; a snapshot may be another one's. Units: periods as
 * events count them; ns.
 */
#ifndef HIST_POOL_H
#define HIST_POOL_H

#include "base/hash.h"
#include "hist/hist.h"

struct hist_pool;

struct hist_pool *hist_pool_new(struct hist *h, struct symbol_store *symbols);
void hist_pool_free(struct hist_pool *p);

/* Moves the collectors' rows to the pool; the collectors are empty then, and can be used again. */
void hist_pool_take(struct hist_pool *p, struct hist_collector *const *collectors, size_t count);
/*
 * Decays all sums to 7/8 for each two seconds that have passed, whatever the steps. Drops rows of
 * less than half a sample, and the frames, names and texts that no other row needs. What was taken
 * since the last call is no longer fresh.
 */
void hist_pool_decay(struct hist_pool *p, u64 passed);
/* Drops everything (-z, the key z), but keeps the flow's totals of all time. */
void hist_pool_zero(struct hist_pool *p);

/*
 * Returns a snapshot; NULL with a reason if it was cancelled. hist_free() it before the pool.
 * `most` is how many first entries of a view will be looked at; these and the totals are exact.
 * Their call trees are made on demand, see hist_want_tree(). 0 means everything is there.
 */
struct hist *hist_pool_snapshot(struct hist_pool *p, size_t most, struct reason *r) MUST_CHECK;

/* What one event added, and what remains: all - held has decayed, exactly. */
struct hist_flow {
	u64 fresh_samples, fresh_period; /* taken since the last decay */
	u64 held_samples, held_period;   /* in the next snapshot: the base of percentages */
	u64 all_samples, all_period;     /* since the pool was made */
};
void hist_pool_flow(const struct hist_pool *p, const struct event *ev, struct hist_flow *out);

/* The size of a pool. */
struct hist_pool_size {
	size_t rows, frames, chains, keys, texts;
	u64 damaged; /* chains that were dropped, see chains_damaged() */
};
void hist_pool_size(const struct hist_pool *p, struct hist_pool_size *out);
/*
 * What its rows refer to, as numbers of the history and of the image table. Anything else can be
 * forgotten, see session_compact().
 */
struct hist_pool_names {
	struct map64 tasks, comms, images;
};
void hist_pool_names(const struct hist_pool *p, struct hist_pool_names *out);
void hist_pool_names_release(struct hist_pool_names *n);
/*
 * Drops what was read of images that `named`, by image, does not name. Call it before these are
 * dropped.
 */
void hist_pool_sweep(struct hist_pool *p, const bool *named);
/*
 * Gives the frames of these images the names and lines of their new files, after session_renew().
 * Existing snapshots stay valid until this or hist_pool_drop_replaced() is called.
 */
void hist_pool_renew(struct hist_pool *p, const bool *renewed);
/*
 * Frees what earlier snapshots needed of replaced files. No snapshot from before the renewal may
 * exist.
 */
void hist_pool_drop_replaced(struct hist_pool *p);
/* Returns roughly how many bytes were read of images' debug information. */
u64 hist_pool_bytes(const struct hist_pool *p);

#endif
