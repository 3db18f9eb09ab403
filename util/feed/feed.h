/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moves records from rings to a live session, so emptying the rings never waits for the analysis.
 *
 *	reader's thread                            worker
 *	---------------                            ------
 *	ring -> feed_take()   copies the bytes     session_push()   order, history,
 *	        into a piece, frees the ring  ==>                   stacks, callbacks
 *	turn -> feed_round()  over all rings  ==>  session_round(), session_compact()
 *	end  -> feed_end()    of a file       ==>  session_flush()
 *
 * The worker is a thread of the feed's (feed_start()), at a lower priority than the reader, or
 * the caller's own (feed_work(), for programs that want their callbacks on their own thread).
 *
 * Phases: feed_new(); feed_start() or nothing; take, round and end in any number; feed_free().
 * The session and its callbacks are the worker's from the first feed_take() on, and the caller's
 * again after feed_free().
 *
 * feed_take_ring() copies nothing as long as the worker keeps up: records stay in their ring until
 * the session is done with them. When more of a ring would be in use than the caller allows, all of
 * it that waits is copied, and what comes is as well, until the worker has caught up; so the kernel
 * has the rest of the ring to write to.
 *
 * Priority: the feed's worker runs at a lower one than the reader. It gets its original priority
 * back when more than half of the bytes that a ring may have in use are, when an eighth of
 * most_waiting waits in memory, or when anything waits on disk, and keeps it until nothing waits;
 * where the system does not allow that, it stays at the lower one.
 *
 * Bounds: pieces wait in memory up to most_waiting bytes, and beyond them the one of a ring that
 * the worker wants next.
 * What comes then is either put aside in an unlinked file (FEED_SPILL: nothing is lost, as long as
 * the disk has room; the worker goes on meanwhile with what is in memory), or its samples are
 * dropped by the rule of session_sheds() and counted (FEED_SHED: for screens, which must not fall
 * behind). Side-band is never dropped, and order never given up.
 *
 * Errors: feed_take() returns -errno with a reason when there is no memory or no disk.  An error
 * of a callback or of reading back goes to settings.after; the pieces after it are dropped.
 */
#ifndef FEED_FEED_H
#define FEED_FEED_H

#include "live/live.h"
#include "session/session.h"

enum feed_piece { FEED_RECORDS, FEED_ROUND, FEED_END };
enum feed_overload { FEED_SPILL, FEED_SHED };

struct feed_settings {
	const struct session_ops *ops; /* callbacks of the session; ordered */
	void *arg;                     /* passed to ops */
	u64 most_waiting;              /* bytes; 0: 64 MB */
	enum feed_overload overload;
	/*
	 * What the program still refers to at a compaction (session_compact(), session_trim());
	 * zero: nothing.
	 */
	struct session_keep keep;
	/* the program itself calls session_compact() and session_trim(), between two steps */
	bool remembers;
	/*
	 * Called by the worker after each piece, and for each FEED_END even after an error. err and
	 * why: those of this piece; err is 0 if all went well. why may be moved away. NULL: use
	 * feed_error() instead.
	 */
	void (*after)(void *arg, enum feed_piece piece, int err, struct reason *why);
	/*
	 * Called by the reader with the bytes of a piece before they wait. Pieces are numbered from
	 * 1. NULL: not called.
	 */
	void (*taken)(void *arg, const u8 *data, size_t size, u64 piece);
	/*
	 * For the reader of a watch: after so many ns it empties rings that are below their
	 * watermark; 0: 100 ms.
	 */
	u64 quiet;
};

struct feed;
/*
 * Creates a feed. It copies the settings; the session and what they point to must outlive the feed.
 */
struct feed *feed_new(struct session *s, const struct feed_settings *settings);
/* Starts a worker thread, which blocks all signals. */
int feed_start(struct feed *f, struct reason *r);
/*
 * Stops the worker after its current piece, drops the pieces that still wait and frees the feed.
 * NULL is fine.
 */
void feed_free(struct feed *f);

/* Takes a copy of the whole records that a ring holds. For the reader. */
int feed_take(struct feed *f, const struct ring_data *d, struct reason *r);
/*
 * Takes records that stay in their ring until feed_returned() says that its oldest bytes (so many
 * since the last call) are not in use any more. Rings are numbered from 0. most: bytes of the ring
 * that may be in use; 0: copy.
 */
int feed_take_ring(struct feed *f, u32 ring, const struct ring_data *d, u64 most, struct reason *r);
u64 feed_returned(struct feed *f, u32 ring);
void feed_round(struct feed *f); /* does nothing if nothing was taken since the last but one */
void feed_end(struct feed *f);

/*
 * Does what waits on the caller's thread, instead of feed_start(). It waits for more until `until`
 * (ns of CLOCK_MONOTONIC; 0: do not wait; a time that has passed: at most one piece). The end or a
 * cancelled context ends the wait, too.
 *
 * Returns 1 to go on, 0 after a FEED_END, -errno of a callback, or -EINTR when cancelled.
 */
int feed_work(struct feed *f, u64 until, struct reason *r);

/* Reports whether a piece is waiting. For any thread. */
bool feed_has_work(struct feed *f);
/* Returns the number of the last piece that the session has seen. For the worker. */
u64 feed_done(const struct feed *f);
/* Returns a count, as the functions below do; for any thread. */
u64 feed_waiting(struct feed *f); /* bytes in memory */
u64 feed_spilled(struct feed *f); /* bytes put aside so far */
u64 feed_dropped(struct feed *f); /* samples of FEED_SHED */
u64 feed_lent(struct feed *f);    /* bytes that the worker read from a ring without a copy */
u64 feed_hurries(struct feed *f); /* how often the worker's priority was raised */

#endif
