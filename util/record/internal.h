/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of record: who reads which rings.
 *
 * begin.c says what stands at a file's begin and end; reader.c empties rings;
 * recorder.c watches the clock, the signals and the targets; features.c fills the
 * header; loss.c counts and explains what is missing.
 */
#ifndef RECORD_INTERNAL_H
#define RECORD_INTERNAL_H

#include <poll.h>

#include "record/record.h"

/*
 * One thread's rings.  Nothing in it is touched by another thread while it runs.
 */
struct record_reader {
	struct recorder *rec;
	VEC(u32) rings; /* of rec->live */
	/* one for each ring, then one that wakes, then one more for the owner's use */
	struct pollfd *fds;
	struct record_counts counts;
	u64 taken, taken_at_round; /* bytes out of rings */
};

void reader_init(struct record_reader *rd, struct recorder *rec, int wake_fd);
void reader_release(struct record_reader *rd);
/*
 * Wait for data, for the wake fd, for the extra one (-1: none) or for so many ms.
 * True when something other than the time ended it.
 */
bool reader_wait(struct record_reader *rd, int extra_fd, int ms);
/* A turn over all of its rings; those with fewer bytes than least may wait. */
int reader_turn(struct record_reader *rd, u64 least, struct reason *r);
/* All that is in them, those that are overwritten too. */
int reader_drain(struct record_reader *rd, struct reason *r);
/* After a wait: does any ring still have a task that feeds it? */
bool reader_alive(struct record_reader *rd);

/* loss.c: walk what is about to be written. */
void record_tally(struct record_counts *c, const struct ring_data *d);
void record_counts_add(struct record_counts *to, const struct record_counts *c);
/* What the counters themselves say is missing, as LOST_SAMPLES records. */
int record_write_lost_samples(struct recorder *rec, struct reason *r);

/* ns of CLOCK_MONOTONIC */
u64 record_now(void);

#endif
