/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ordered reading by several threads, inside the session component: the reader puts records in
 * order; the calling thread, and workers beside it where the command takes pieces, run the
 * callbacks. With workers, the reader is the second of them. Without, it makes jobs of the
 * callbacks when it is far enough ahead (jobs.h).
 *
 *	ahead_init -> ahead_run(read) -> ahead_release
 *	read()	fills ahead_batch() with turns and finished blocks, and calls ahead_pass_on().
 *		Then ahead_batch() is another batch, whose finished blocks are no longer in
 *		use.  ahead_run() passes the last batch on.
 */
#ifndef SESSION_AHEAD_H
#define SESSION_AHEAD_H

#include "session/internal.h"
#include "session/jobs.h"

enum {
	AHEAD_TURNS = 3072,
	AHEAD_BATCHES = 4,
	AHEAD_LEAST = 128,      /* turns: fewer are not worth passing on */
	AHEAD_FIRST = 512,      /* turns, until it is known how much is made of them */
	AHEAD_MADE = 256 << 10, /* bytes that should be made of a batch */
	/* blocks that fill a batch; a single thread still has them in its cache */
	AHEAD_DONE = 1,
	AHEAD_DONE_THREADED = 2,
};

struct turn_batch {
	u32 count;
	struct turn turns[AHEAD_TURNS];
	VEC(struct loaded *) done;
};

/* A piece that was finished before its turn. */
struct made_piece {
	bool is;
	void *piece;
	int err; /* of its callbacks, or 0 */
	struct reason why;
};

struct ahead {
	struct deliver *deliverers; /* of each worker: the calling thread, the reader, others */
	unsigned workers;
	int (*read)(void *arg, struct reason *r);
	void *arg;
	bool threaded;
	struct turn_batch *batches; /* batch n is at n % AHEAD_BATCHES */
	u32 most;                   /* turns of a batch; atomic */
	u32 ending;                 /* turns of the batch that is ending */
	int err;                    /* -errno of read(), or 0 */
	struct reason reason;
	pthread_mutex_t lock; /* guards what follows */
	/* for workers, for the reader, for workers that are ahead */
	pthread_cond_t more, less, turn;
	u64 wake_at; /* the reader waits for this many to be done */
	/* numbers: batches before them were passed on, are with a worker, are done */
	u64 filled, taken, done;
	struct made_piece made[AHEAD_BATCHES]; /* batch n at n % AHEAD_BATCHES */
	bool passing; /* a worker ends pieces, its own and those that others hand over meanwhile */
	bool ended, stop;
	int failed; /* what a callback returned, if not 0 */
	struct reason why;
	struct jobs jobs;
};

void ahead_init(struct ahead *a, struct deliver *deliverers, unsigned workers);
void ahead_release(struct ahead *a);
/*
 * Runs read() and the callbacks. Returns 0, or the -errno of read() or of a callback. With threaded
 * false, the calling thread does everything.
 */
int ahead_run(struct ahead *a, bool threaded, int (*read)(void *arg, struct reason *r), void *arg,
	      struct reason *r);

/* Adapts the size of later pieces; called from piece_end(). See session_piece_made(). */
void ahead_piece_made(struct ahead *a, size_t bytes);

/* Gives a job away from a callback, while ahead_run() runs. */
void ahead_give_job(struct ahead *a, struct session_job *job);

/* ---- for read() ---- */

struct turn_batch *ahead_batch(struct ahead *a);
/* Returns the most turns that a batch may hold. */
static inline u32 ahead_most(const struct ahead *a)
{
	return __atomic_load_n(&a->most, __ATOMIC_RELAXED);
}
/* Reports whether the batch holds so much that it should be passed on. */
bool ahead_is_full(struct ahead *a);
/*
 * Passes the batch on and waits until at most `most` batches are not delivered yet. Returns a
 * callback's -errno, or -ECANCELED when one has failed on the other thread.
 */
int ahead_pass_on(struct ahead *a, unsigned most, struct reason *r);

#endif
