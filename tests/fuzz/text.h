/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For targets whose input is text. */
#ifndef TESTS_FUZZ_TEXT_H
#define TESTS_FUZZ_TEXT_H

#include "fuzz.h"

/*
 * The input up to its first NUL, at its exact size so that a byte too far is found; the caller
 * frees it.
 */
static inline char *fuzz_text(const u8 *data, size_t size)
{
	return xstrndup((const char *)data, strnlen((const char *)data, size));
}

/* What follows that NUL; the caller frees it. */
static inline u8 *fuzz_rest(const u8 *data, size_t size, size_t *left)
{
	size_t used = strnlen((const char *)data, size);

	used += used < size;
	*left = size - used;
	return xmemdup(data + used, *left);
}

#endif
