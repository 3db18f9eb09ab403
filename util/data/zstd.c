// SPDX-License-Identifier: GPL-2.0-or-later
/* zstd streams, as perf record -z writes them. */
#include <errno.h>
#include <zstd.h>

#include "data/internal.h"

struct zstd_stream {
	ZSTD_DStream *stream;
};

struct zstd_stream *zstd_stream_new(struct reason *r)
{
	struct zstd_stream *z = xcalloc(1, sizeof(*z));

	z->stream = ZSTD_createDStream();
	if (z->stream)
		return z;
	free(z);
	reason_set(r, ENOMEM, "not enough memory to inflate compressed records");
	return NULL;
}

void zstd_stream_free(struct zstd_stream *z)
{
	if (!z)
		return;
	ZSTD_freeDStream(z->stream);
	free(z);
}

void zstd_stream_reset(struct zstd_stream *z)
{
	ZSTD_DCtx_reset(z->stream, ZSTD_reset_session_only);
}

int zstd_stream_inflate(struct zstd_stream *z, const u8 *in, size_t in_size, size_t *in_at, u8 *out,
			size_t out_size, size_t *out_at, struct reason *r)
{
	ZSTD_inBuffer from = { in, in_size, *in_at };
	ZSTD_outBuffer to = { out, out_size, *out_at };
	int err = 0;

	while (to.pos < to.size) {
		size_t before_in = from.pos, before_out = to.pos;
		size_t left = ZSTD_decompressStream(z->stream, &to, &from);

		if (ZSTD_isError(left)) {
			err = reason_set(r, EINVAL, "no valid zstd data (%s)",
					 ZSTD_getErrorName(left));
			break;
		}
		/* no progress: this input yields no more output */
		if (from.pos == before_in && to.pos == before_out)
			break;
		if (from.pos == from.size && to.pos < to.size)
			break;
	}
	*in_at = from.pos;
	*out_at = to.pos;
	return err;
}

struct zstd_press {
	ZSTD_CCtx *context;
};

struct zstd_press *zstd_press_new(int level, struct reason *r)
{
	struct zstd_press *z;

	if (level < 1 || level > ZSTD_maxCLevel()) {
		reason_set(r, EINVAL, "there is no compression level %d: levels go from 1 to %d",
			   level, ZSTD_maxCLevel());
		reason_hint(r, "-z alone is level 1, which is quick");
		return NULL;
	}
	z = xcalloc(1, sizeof(*z));
	z->context = ZSTD_createCCtx();
	if (z->context &&
	    !ZSTD_isError(ZSTD_CCtx_setParameter(z->context, ZSTD_c_compressionLevel, level)))
		return z;
	zstd_press_free(z);
	reason_set(r, ENOMEM, "not enough memory to compress");
	return NULL;
}

void zstd_press_free(struct zstd_press *z)
{
	if (!z)
		return;
	ZSTD_freeCCtx(z->context);
	free(z);
}

size_t zstd_press(struct zstd_press *z, const void *in, size_t n, void *out, size_t space)
{
	size_t size = ZSTD_compress2(z->context, out, space, in, n);

	return ZSTD_isError(size) ? 0 : size;
}
