// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/inflate.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

/* Grows the buffer when the output is full. Returns 0 or an errno. */
static int more_room(ZSTD_outBuffer *o, size_t limit)
{
	size_t space = o->size > limit / 2 ? limit : o->size * 2;
	void *p;

	if (o->size >= limit)
		return E2BIG;
	p = realloc(o->dst, space);
	if (!p)
		return ENOMEM;
	o->dst = p;
	o->size = space;
	return 0;
}

static int run(ZSTD_DStream *d, ZSTD_inBuffer *i, ZSTD_outBuffer *o, size_t limit)
{
	for (;;) {
		size_t ret = ZSTD_decompressStream(d, o, i);
		int err;

		if (ZSTD_isError(ret))
			return EINVAL;
		if (!ret && i->pos == i->size)
			return 0;
		if (o->pos < o->size) {
			if (i->pos == i->size)
				return EINVAL; /* the input ended early */
			continue;
		}
		err = more_room(o, limit);
		if (err)
			return err;
	}
}

int inflate_zstd(const u8 *in, size_t n, size_t size_hint, size_t limit, u8 **out, size_t *out_size,
		 struct reason *r)
{
	/* start small whatever the file promises: only real output grows it */
	size_t space = size_hint && size_hint / 64 <= n ? size_hint : n * 4 + 64;
	ZSTD_inBuffer i = { .src = in, .size = n };
	ZSTD_outBuffer o = { .size = space > limit ? limit : space };
	ZSTD_DStream *d = ZSTD_createDStream();
	int err = ENOMEM;

	o.dst = malloc(o.size);
	if (d && o.dst)
		err = run(d, &i, &o, limit);
	ZSTD_freeDStream(d);
	if (err) {
		free(o.dst);
		return reason_errno(r, err, "damaged zstd data");
	}
	*out = o.dst;
	*out_size = o.pos;
	return 0;
}
