/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RECORD_SINK_H
#define RECORD_SINK_H

#include "data/writer.h"
#include "live/live.h"

/*
 * A consumer of records between the rings and the file: one that examines samples and passes on
 * something else instead (a chain instead of a stack).
 *
 * With one set, nothing goes from the rings to the file by itself: the consumer writes whole
 * records with data_write(rec->writer), only in turn(). Records that it does not need it writes
 * unchanged. Both calls come from the thread that runs record_run(), which does nothing else
 * meanwhile: rings fill while the calls run. A consumer's own threads must not write. They leave
 * their results for the next turn(), and may wake the loop by loop_wake().
 *
 * Records reach take() as they are in their ring, which is in order of time except for records that
 * a context interrupted. Time: everything taken before a turn() is older than everything taken
 * after the next one, so what was taken before the last but one turn() is complete.
 * Exclusive with reader threads, since those have a file for each ring.
 * Errors: 0 or -errno with a reason; recording then ends, the file is whole.
 */
struct record_sink {
	void *arg;
	/* The recorder's own samples also come: it drops them, as record_own_samples() says. */
	bool drops_own;
	/*
	 * Whole records; memory of the kernel, gone when it returns unless the ring is kept
	 * (live_ring_keep()).
	 */
	int (*take)(void *arg, u32 ring, const struct ring_data *d, struct reason *r);
	/*
	 * Every ring was emptied once (even if nothing came). all: the file ends here (the end, or
	 * a switch of files), write everything and keep nothing back. 1: the file has no room for
	 * all of it; the rest goes into the next one.
	 */
	int (*turn)(void *arg, bool all, struct reason *r);
	/*
	 * Records that were written at a file's begin without passing a ring; NULL: no use for
	 * them.
	 */
	int (*begin)(void *arg, const void *records, size_t size, struct reason *r);
	/* At a file's end, after turn(): adds what belongs in its features; NULL: nothing. */
	void (*end)(void *arg, struct data_writer *w);
};

#endif
