/* SPDX-License-Identifier: GPL-2.0-or-later */
/* COMPRESSED records, for the writer; inside the data room. */
#ifndef DATA_COMPRESS_H
#define DATA_COMPRESS_H

#include "base/reason.h"
#include "base/strbuf.h"

/* The most bytes in a frame, unless a single record is larger; readers allocate this much. */
enum { COMPRESSOR_MOST_IN = 512 << 10 };

struct compressor;
/* Makes a compressor. Returns -ENOTSUP when built without zstd. */
int compressor_new(int level, struct compressor **out, struct reason *r);
void compressor_free(struct compressor *c);
/* Takes whole records in a, then b (either may be empty); all means to keep nothing back. */
void compressor_add(struct compressor *c, const void *a, size_t an, const void *b, size_t bn,
		    bool all, struct strbuf *out);
/* Returns how many bytes are held back. */
size_t compressor_waiting(const struct compressor *c);

#endif
