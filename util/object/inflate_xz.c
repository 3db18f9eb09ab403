// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/inflate.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

/* The largest dictionary accepted: xz -9 needs 65 MB. */
#define XZ_MEMORY ((u64)256 << 20)

static int run(lzma_stream *z, size_t limit, u8 **buf, size_t *space)
{
	for (;;) {
		lzma_ret ret;
		u8 *more;

		z->next_out = *buf + z->total_out;
		z->avail_out = *space - z->total_out;
		ret = lzma_code(z, LZMA_FINISH);
		if (ret == LZMA_STREAM_END)
			return 0;
		if (ret != LZMA_OK && ret != LZMA_BUF_ERROR)
			return ret == LZMA_MEM_ERROR || ret == LZMA_MEMLIMIT_ERROR ? ENOMEM
										   : EINVAL;
		if (z->avail_out)
			return EINVAL; /* the input ended early */
		if (*space >= limit)
			return E2BIG;
		*space = *space > limit / 2 ? limit : *space * 2;
		more = realloc(*buf, *space);
		if (!more)
			return ENOMEM;
		*buf = more;
	}
}

int inflate_xz(const u8 *in, size_t n, size_t size_hint, size_t limit, u8 **out, size_t *out_size,
	       struct reason *r)
{
	lzma_stream z = LZMA_STREAM_INIT;
	size_t space = size_hint && size_hint / 64 <= n ? size_hint : n * 4 + 64;
	u8 *buf;
	int err = ENOMEM;

	if (space > limit)
		space = limit;
	buf = malloc(space);
	z.next_in = in;
	z.avail_in = n;
	if (buf && lzma_stream_decoder(&z, XZ_MEMORY, 0) == LZMA_OK)
		err = run(&z, limit, &buf, &space);
	*out_size = z.total_out;
	lzma_end(&z);
	if (err) {
		free(buf);
		return reason_errno(r, err, "damaged xz data");
	}
	*out = buf;
	return 0;
}
