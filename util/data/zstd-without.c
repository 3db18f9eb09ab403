// SPDX-License-Identifier: GPL-2.0-or-later
/* Built instead of zstd.c when the library is missing. */
#include <errno.h>

#include "sys/obstacles.h"

#include "data/internal.h"

struct zstd_stream *zstd_stream_new(struct reason *r)
{
	reason_set(r, ENOTSUP, "the file is compressed, and this perf was built without zstd");
	obstacle_hint(OBSTACLE_LIBRARY, &(struct obstacle_words){ .needs = "libzstd-dev" }, r);
	return NULL;
}

void zstd_stream_free(struct zstd_stream *z)
{
	(void)z;
}

void zstd_stream_reset(struct zstd_stream *z)
{
	(void)z;
}

int zstd_stream_inflate(struct zstd_stream *z, const u8 *in, size_t in_size, size_t *in_at, u8 *out,
			size_t out_size, size_t *out_at, struct reason *r)
{
	(void)z;
	(void)in;
	(void)in_size;
	(void)in_at;
	(void)out;
	(void)out_size;
	(void)out_at;
	return reason_set(r, ENOTSUP, "built without zstd");
}

struct zstd_press *zstd_press_new(int level, struct reason *r)
{
	(void)level;
	reason_set(r, ENOTSUP, "this perf was built without zstd: it cannot compress");
	reason_hint(r, "record without -z, or use a build with zstd ('perf check feature zstd')");
	return NULL;
}

void zstd_press_free(struct zstd_press *z)
{
	(void)z;
}

size_t zstd_press(struct zstd_press *z, const void *in, size_t n, void *out, size_t space)
{
	(void)z;
	(void)in;
	(void)n;
	(void)out;
	(void)space;
	return 0;
}
