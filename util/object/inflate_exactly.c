// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls libdeflate, which takes a third of zlib's time, but only works on whole buffers of a known
 * size. It is opened when the first compressed section is read.
 */
#include <libdeflate.h>
#include <pthread.h>

#include "base/library.h"
#include "object/inflate.h"

static struct {
	__typeof__(libdeflate_alloc_decompressor) *alloc;
	__typeof__(libdeflate_zlib_decompress) *decompress;
	__typeof__(libdeflate_free_decompressor) *free;
	bool open;
} lib;

static void open_library(void)
{
	static const struct library_symbol symbols[] = {
		{ "libdeflate_alloc_decompressor", (void **)&lib.alloc },
		{ "libdeflate_zlib_decompress", (void **)&lib.decompress },
		{ "libdeflate_free_decompressor", (void **)&lib.free },
	};

	lib.open = library_open("libdeflate.so.0", symbols, ARRAY_SIZE(symbols));
}

bool inflate_exactly(const u8 *in, size_t n, u8 *out, size_t size)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct libdeflate_decompressor *d;
	bool done;

	pthread_once(&once, open_library);
	d = lib.open ? lib.alloc() : NULL;
	if (!d)
		return false;
	done = lib.decompress(d, in, n, out, size, NULL) == LIBDEFLATE_SUCCESS;
	lib.free(d);
	return done;
}
