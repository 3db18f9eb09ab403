/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The feed's memory: buffers that are used again, the file for what memory has no room for, and
 * what lies in rings.
 */
#ifndef FEED_INTERNAL_H
#define FEED_INTERNAL_H

#include <pthread.h>

#include "base/vec.h"
#include "feed/feed.h"

/*
 * Buffers for pieces.  A fresh megabyte costs the reader 250 page faults, which take longer
 * than the copy; so buffers come back when the session is done with them.
 * Threads: any.
 */
struct buffers {
	pthread_mutex_t lock;
	struct buffer *unused;
	size_t unused_bytes, most_unused; /* kept for later */
};
void buffers_init(struct buffers *b, size_t most_unused);
void buffers_release(struct buffers *b);
u8 *piece_bytes(struct buffers *b, size_t size); /* NULL: no memory */
void piece_bytes_put(struct buffers *b, u8 *bytes);

/*
 * An unlinked file in $TMPDIR, made when first written to. One thread writes, another one reads.
 */
struct spill {
	int fd; /* -1: not made yet */
	u64 end, written;
};
/* Straight from the ring: one copy, as a recording that is written at once has. */
int spill_write(struct spill *s, const struct ring_data *d, u64 *at, struct reason *r);
int spill_read(struct spill *s, u8 *bytes, size_t size, u64 at, struct reason *r);
void spill_release(struct spill *s);

/*
 * Runs of records that stay in their rings while the worker uses them. A ring has room again up to
 * the first run that has not left it, so there is a loan for each run that was taken, even if it
 * was copied at once.
 * Threads: the reader's, but for session (session.h), state (atomic) and piece (the feed's lock
 * guards it). The worker ends a loan without a lock: it may lose its processor while it holds one,
 * and the reader would wait.
 */
enum loan_state {
	LOAN_WAITS,  /* in a piece */
	LOAN_PINNED, /* the session is looking at it for the first time: it stays */
	LOAN_LENT,   /* the session has it */
	LOAN_MOVING, /* the reader is copying it */
	LOAN_MOVED,  /* the session has the copy, which is its own to free */
	LOAN_OVER,   /* the worker does not look at the loan any more */
};
struct loan {
	struct session_loan session; /* what the session sees; first */
	struct feed *feed;
	struct loan *next;
	struct piece *piece; /* that waits; NULL: none any more */
	size_t size;
	u8 *moved;
	enum loan_state state;
	bool left; /* the ring has its room again, whatever the state */
};
struct ring_loans {
	struct loan *first, *last; /* oldest first */
	u64 out;                   /* bytes of them */
};
struct loans {
	VEC(struct ring_loans) rings;
	struct loan *moved; /* of no ring any more, while the session has them */
};
void loans_release(struct loans *l);
struct ring_loans *loans_of(struct loans *l, u32 ring);
struct loan *loan_new(struct loans *l, u32 ring, const u8 *bytes, size_t size);
u64 loans_take_back(struct loans *l, u32 ring); /* the oldest that left the ring: bytes */

#endif
