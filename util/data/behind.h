/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that writes, for the writer; inside the data room. */
#ifndef DATA_BEHIND_H
#define DATA_BEHIND_H

#include <sys/uio.h>

#include "base/reason.h"

struct behind;
/* Starts a thread that writes to fd. When buffers pieces wait, behind_write() waits. */
int behind_new(int fd, unsigned buffers, struct behind **out, struct reason *r);
/*
 * Notes that what is written from now on belongs to a file whose data.size is at this offset (0
 * means none).
 */
void behind_begin(struct behind *b, u64 size_at);
/*
 * Queues a copy. Returns the -errno of an earlier piece that failed; everything after that is
 * dropped.
 */
int behind_write(struct behind *b, const struct iovec *v, int n, bool records);
/* Waits until everything is written; *written: bytes of whole records in the file. */
int behind_drain(struct behind *b, u64 *written);
void behind_free(struct behind *b);

/* Returns how many of the first limit bytes of a, then b, are whole records. */
u64 whole_records(const u8 *a, size_t an, const u8 *b, u64 limit);

#endif
