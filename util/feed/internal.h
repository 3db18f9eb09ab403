/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The feed's memory: buffers that are reused, the file for what memory has no room for, and what
 * stays in the rings.
 */
#ifndef FEED_INTERNAL_H
#define FEED_INTERNAL_H

#include <pthread.h>

#include "base/vec.h"
#include "feed/feed.h"

/*
 * Buffers for pieces. Fresh memory costs the reader 250 page faults per megabyte, which take longer
 * than the copy, so buffers are reused when the session is done with them. Threads: any.
 */
struct buffers {
	pthread_mutex_t lock;
	struct buffer *unused;
	size_t unused_bytes, most_unused; /* bytes that are kept */
};
void buffers_init(struct buffers *b, size_t most_unused);
void buffers_release(struct buffers *b);
u8 *piece_bytes(struct buffers *b, size_t size); /* NULL: no memory */
void piece_bytes_put(struct buffers *b, u8 *bytes);

/* An unlinked file in $TMPDIR, created by the first write. One thread writes, another one reads. */
struct spill {
	int fd; /* -1: not created yet */
	u64 end, written;
};
/*
 * Writes straight from the ring, with as few copies as a recording that is written at once. *at is
 * set to its place.
 */
int spill_write(struct spill *s, const struct ring_data *d, u64 *at, struct reason *r);
int spill_read(struct spill *s, u8 *bytes, size_t size, u64 at, struct reason *r);
void spill_release(struct spill *s);

/*
 * Runs of records that stay in their rings while the worker uses them. A ring gets room back up to
 * the first run that has not left it, so each run that was taken has a loan, even if it was copied
 * at once.
 *
 * Threads: the reader's, except for session (session.h), state (atomic) and piece (guarded by the
 * feed's lock). The worker ends a loan without a lock: it may lose its CPU while it holds one, and
 * the reader would wait.
 */
enum loan_state {
	LOAN_WAITS,  /* in a piece of the queue */
	LOAN_PINNED, /* the session sees it for the first time, so it stays */
	LOAN_LENT,   /* the session uses it in the ring */
	LOAN_MOVING, /* the reader is copying it */
	LOAN_MOVED,  /* the session uses the copy and will free it */
	LOAN_OVER,   /* the worker does not use the loan any more */
};
struct loan {
	struct session_loan session; /* what the session sees; must be first */
	struct feed *feed;
	struct loan *next;
	struct piece *piece; /* the piece that waits; NULL: taken already */
	size_t size;
	u8 *moved;
	enum loan_state state;
	bool left; /* its room belongs to the ring again, whatever the state */
};
struct ring_loans {
	struct loan *first, *last; /* oldest first */
	u64 out;                   /* sum of their bytes */
};
struct loans {
	VEC(struct ring_loans) rings;
	struct loan *moved; /* left their rings while the session still had them */
};
void loans_release(struct loans *l);
struct ring_loans *loans_of(struct loans *l, u32 ring);
struct loan *loan_new(struct loans *l, u32 ring, const u8 *bytes, size_t size);
u64 loans_take_back(struct loans *l, u32 ring); /* bytes of the oldest loans, which have left */

#endif
