// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/inflate.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

/* Returns the first size to allocate. Does not believe promises of more than 1,000 to 1. */
static size_t first_size(size_t n, size_t hint, size_t limit)
{
	size_t most = n > SIZE_MAX / 1040 ? SIZE_MAX : n * 1040 + 64;
	size_t want = hint ? hint : n * 4 + 64;

	if (want > most)
		want = most;
	return want > limit ? limit : want;
}

static int run(z_stream *z, size_t limit, u8 **buf, size_t *space)
{
	for (;;) {
		size_t room = *space - z->total_out;
		int ret;

		z->next_out = *buf + z->total_out;
		z->avail_out = room > UINT32_MAX ? UINT32_MAX : (uInt)room;
		ret = inflate(z, Z_NO_FLUSH);
		if (ret == Z_STREAM_END)
			return 0;
		if (ret != Z_OK && ret != Z_BUF_ERROR)
			return EINVAL;
		if (z->avail_out)
			return EINVAL; /* the input ended early */
		if (*space > z->total_out)
			continue;
		if (*space >= limit)
			return E2BIG;
		*space = *space > limit / 2 ? limit : *space * 2;
		u8 *more = realloc(*buf, *space);

		if (!more)
			return ENOMEM;
		*buf = more;
	}
}

int inflate_zlib(const u8 *in, size_t n, size_t size_hint, size_t limit, u8 **out, size_t *out_size,
		 struct reason *r)
{
	z_stream z = { .next_in = (Bytef *)in, .avail_in = (uInt)n };
	size_t space = first_size(n, size_hint, limit);
	u8 *buf;
	int err;

	if (n > UINT32_MAX)
		return reason_set(r, E2BIG, "compressed data of more than 4 GB");
	buf = malloc(space ? space : 1);
	if (!buf)
		return reason_errno(r, ENOMEM, "cannot inflate %zu bytes", n);
	if (inflateInit2(&z, 15 + 32) != Z_OK) { /* zlib or gzip header */
		free(buf);
		return reason_errno(r, ENOMEM, "cannot inflate %zu bytes", n);
	}
	if (size_hint && space == size_hint && inflate_exactly(in, n, buf, space)) {
		inflateEnd(&z);
		*out = buf;
		*out_size = space;
		return 0;
	}
	err = run(&z, limit, &buf, &space);
	*out_size = z.total_out;
	inflateEnd(&z);
	if (err) {
		free(buf);
		return reason_errno(r, err, "damaged zlib data");
	}
	*out = buf;
	return 0;
}
