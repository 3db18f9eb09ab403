/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inflates whole buffers: zlib, zstd, xz (and gzip, for modules). Each returns 0, -ENOSYS when
 * built without the library (the reason names the Debian package), -EINVAL for damaged input,
 * -E2BIG if the result would be larger than limit. *out is malloc'ed; the caller frees it.
 */
#ifndef OBJECT_INFLATE_H
#define OBJECT_INFLATE_H

#include "base/reason.h"

/* The limit of results: sections and modules are much smaller. */
#define INFLATE_LIMIT ((size_t)MIN((u64)1 << 34, SIZE_MAX / 4))

/*
 * Returns the limit for n bytes: 16 MB and 64 times as much, so a small file does not take all
 * memory. Compression makes debug information a few times smaller, and hardly any section thirty
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
/*
 * libdw before 0.189 reads no section that is compressed with zstd. Has the file one?  Then
 * inflate_copy() makes a file in memory in which these sections are plain: its descriptor, or
 * -errno.
 */
bool inflate_has_zstd(const struct elf *e);
int inflate_copy(const struct elf *e, struct reason *r) MUST_CHECK;

/* Inflates a zlib or gzip stream. size_hint is the size that the file promises, or 0 if unknown. */
int inflate_zlib(const u8 *in, size_t n, size_t size_hint, size_t limit, u8 **out, size_t *out_size,
		 struct reason *r) MUST_CHECK;
/*
 * Inflates a zlib stream of exactly `size` bytes, faster. Returns false if it has another size, or
 * perf was built without libdeflate; inflate_zlib() then gives the reason. Several threads may call
 * it.
 */
bool inflate_exactly(const u8 *in, size_t n, u8 *out, size_t size) MUST_CHECK;
int inflate_zstd(const u8 *in, size_t n, size_t size_hint, size_t limit, u8 **out, size_t *out_size,
		 struct reason *r) MUST_CHECK;
int inflate_xz(const u8 *in, size_t n, size_t size_hint, size_t limit, u8 **out, size_t *out_size,
	       struct reason *r) MUST_CHECK;

#endif
