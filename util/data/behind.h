/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that writes, for the writer; inside the data room. */
#ifndef DATA_BEHIND_H
#define DATA_BEHIND_H

#include <sys/uio.h>

#include "base/reason.h"

struct behind;
/* At most this many pieces wait: then behind_write() does. */
int behind_new(int fd, unsigned buffers, struct behind **out, struct reason *r);
/* From here on what is given is of a file whose data.size lies there (0: of none). */
void behind_begin(struct behind *b, u64 size_at);
/* Copies. -errno of a piece that failed before; what comes after that is dropped. */
int behind_write(struct behind *b, const struct iovec *v, int n, bool records);
/* Wait until all is written; *written: bytes of records that are whole in the file. */
int behind_drain(struct behind *b, u64 *written);
void behind_free(struct behind *b);

/* How many of the first limit bytes of a, then b, are whole records. */
u64 whole_records(const u8 *a, size_t an, const u8 *b, u64 limit);

#endif
