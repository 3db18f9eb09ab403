/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Made-up compressed files; see synth.h. */
#ifndef TESTS_SYNTH_ZSTD_H
#define TESTS_SYNTH_ZSTD_H

#include <zstd.h>

#include "synth.h"

/*
 * Replaces all records so far by one zstd stream, cut into COMPRESSED records of at most piece
 * bytes.
 */
static inline void synth_compress(struct synth *s, size_t piece)
{
	size_t room = ZSTD_compressBound(s->data.len), size;
	char *out = xmalloc(room);

	size = ZSTD_compress(out, room, s->data.s, s->data.len, 1);
	if (ZSTD_isError(size))
		abort();
	strbuf_clear(&s->data);
	vec_clear(&s->at);
	for (size_t at = 0; at < size; at += piece) {
		synth_begin(s, PERF_RECORD_COMPRESSED, 0);
		strbuf_add(&s->data, out + at, MIN(piece, size - at));
		synth_end(s);
	}
	free(out);
}

#endif
