/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole buffers inflated: zlib, zstd, xz (and gzip, for modules).
 *
 * Each returns 0, -ENOSYS when built without the library (the reason names the
 * Debian package), -EINVAL for damaged input, -E2BIG when the result would be
 * larger than limit.  *out is malloc'ed; the caller frees it.
 */
#ifndef OBJECT_INFLATE_H
#define OBJECT_INFLATE_H

#include "base/reason.h"

/* Larger results are refused: no section or module comes near it. */
#define INFLATE_LIMIT ((size_t)MIN((u64)1 << 34, SIZE_MAX / 4))

/*
 * What n bytes may inflate to: 16 MB and 64 times as much, so that a small file does not take all
 * memory. Debug information is a few times smaller when compressed, and hardly any section thirty
 * times.
 */
static inline size_t inflate_limit(size_t n)
{
	return n > (INFLATE_LIMIT - (16 << 20)) / 64 ? INFLATE_LIMIT : n * 64 + (16 << 20);
}

struct elf;
/*
 * Refuses a file with a debug section that promises more, for readers that would inflate it all the
 * same (libdw).
 */
int inflate_check(const struct elf *e, struct reason *r) MUST_CHECK;

/* size_hint: the size that the file promises, 0: not known. gzip: also a gzip header. */
int inflate_zlib(const u8 *in, size_t n, size_t size_hint, size_t limit, u8 **out, size_t *out_size,
		 struct reason *r) MUST_CHECK;
/*
 * A zlib stream that gives exactly so many bytes, quicker. False: it does not, or perf was built
 * without libdeflate, and inflate_zlib() says what there is to say. Several threads may call it.
 */
bool inflate_exactly(const u8 *in, size_t n, u8 *out, size_t size) MUST_CHECK;
int inflate_zstd(const u8 *in, size_t n, size_t size_hint, size_t limit, u8 **out, size_t *out_size,
		 struct reason *r) MUST_CHECK;
int inflate_xz(const u8 *in, size_t n, size_t size_hint, size_t limit, u8 **out, size_t *out_size,
	       struct reason *r) MUST_CHECK;

#endif
