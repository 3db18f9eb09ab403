/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The feed's memory: buffers that are used again, and the file for what memory has no room for. */
#ifndef FEED_INTERNAL_H
#define FEED_INTERNAL_H

#include <pthread.h>

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

/* An unlinked file in $TMPDIR, made when first written to.  One thread writes, another one reads. */
struct spill {
	int fd; /* -1: not made yet */
	u64 end, written;
};
/* Straight from the ring: one copy, as a recording that is written at once has. */
int spill_write(struct spill *s, const struct ring_data *d, u64 *at, struct reason *r);
int spill_read(struct spill *s, u8 *bytes, size_t size, u64 at, struct reason *r);
void spill_release(struct spill *s);

#endif
