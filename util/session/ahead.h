/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ordered reading by several threads, inside the session component: one puts records in order, the
 * calling one, and workers beside it where the command takes pieces, run the callbacks. With
 * workers the one that puts in order is the second of them. Without, it makes jobs of the callbacks
 * when it is far enough ahead (jobs.h).
 *
 *	ahead_init -> ahead_run(read) -> ahead_release
 *	read()	fills ahead_batch() with turns and with blocks that are done with, and calls
 *		ahead_pass_on(): then ahead_batch() is another one, whose done blocks nobody
 *		looks at any more.  The last batch is passed on by ahead_run().
 */
#ifndef SESSION_AHEAD_H
#define SESSION_AHEAD_H

#include "session/internal.h"
#include "session/jobs.h"

enum {
	AHEAD_TURNS = 3072,
	AHEAD_BATCHES = 4,
	AHEAD_LEAST = 128,      /* turns: fewer are not worth the passing on */
	AHEAD_FIRST = 512,      /* turns, until it is known what is made of them */
	AHEAD_MADE = 256 << 10, /* bytes that should be made of a batch */
	/* blocks: when a batch has this many it is passed on; one thread finds them in its cache */
	AHEAD_DONE = 1,
	AHEAD_DONE_THREADED = 2,
};

struct turn_batch {
	u32 count;
	struct turn turns[AHEAD_TURNS];
	VEC(struct loaded *) done;
};

/* What was taken of a batch whose turn has not come. */
struct made_piece {
	bool is;
	void *piece;
	int err; /* of its callbacks */
	struct reason why;
};

struct ahead {
	struct deliver *deliverers; /* of each worker: the calling thread, the reader, others */
	unsigned workers;
	int (*read)(void *arg, struct reason *r);
	void *arg;
	bool threaded;
	struct turn_batch *batches; /* batch n lies at n % AHEAD_BATCHES */
	u32 most;                   /* turns of a batch; atomic */
	u32 ending;                 /* turns of the batch that is ending */
	int err;                    /* what read() failed with */
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
/* 0, or -errno of read() or of a callback; threaded false: all by the calling thread. */
int ahead_run(struct ahead *a, bool threaded, int (*read)(void *arg, struct reason *r), void *arg,
	      struct reason *r);

/* From piece_end(): see session_piece_made(). */
void ahead_piece_made(struct ahead *a, size_t bytes);

/* From a callback, while it runs. */
void ahead_give_job(struct ahead *a, struct session_job *job);

/* ---- for read() ---- */

struct turn_batch *ahead_batch(struct ahead *a);
/* How many turns it has room for, at most. */
static inline u32 ahead_most(const struct ahead *a)
{
	return __atomic_load_n(&a->most, __ATOMIC_RELAXED);
}
/* Has it so much that it should be passed on? */
bool ahead_is_full(struct ahead *a);
/*
 * Waits until this many batches at most are not delivered yet.  A callback's -errno, or -ECANCELED
 * when one has failed on the other thread.
 */
int ahead_pass_on(struct ahead *a, unsigned most, struct reason *r);

#endif
