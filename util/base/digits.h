/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Digits of numbers, written in place. Each function writes to memory of which the caller owns
 * DIGITS_ROOM bytes, and as many as the requested width. It returns the end of what it wrote; bytes
 * after that end may also change.
 */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <string.h>

#include "base/types.h"

enum { DIGITS_ROOM = 24 };

extern const char digits_pairs[201]; /* "00", "01", ... "99" */

/* Returns how many decimal digits the number has, at least one. */
static inline unsigned digits_dec_count(u64 v)
{
	/* clang-format off */
	static const u64 tens[] = { 0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
				    10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
				    1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
				    10000000000000000000U };
	/* clang-format on */
	/* 1233 / 4096 is a little more than the logarithm of 2 */
	unsigned less = (64 - (unsigned)__builtin_clzll(v | 1)) * 1233 >> 12;

	return less + (!less || v >= tens[less]);
}

static inline unsigned digits_hex_count(u64 v)
{
	return (67 - (unsigned)__builtin_clzll(v | 1)) / 4;
}

/* Writes exactly count digits, which v must not exceed. */
static inline char *digits_dec_exact(char *to, u64 v, unsigned count)
{
	char *p = to + count;

	for (; v >= 100; v /= 100) {
		p -= 2;
		memcpy(p, digits_pairs + 2 * (v % 100), 2);
	}
	if (v >= 10) {
		p -= 2;
		memcpy(p, digits_pairs + 2 * v, 2);
	} else {
		*--p = (char)('0' + v);
	}
	while (p > to)
		*--p = '0';
	return to + count;
}

static inline char *digits_dec(char *to, u64 v)
{
	if (v < 10) {
		*to = (char)('0' + v);
		return to + 1;
	}
	return digits_dec_exact(to, v, digits_dec_count(v));
}

/* Writes a number below a million as six digits. Returns the end. */
static inline char *digits_six(char *to, u32 v)
{
	memcpy(to, digits_pairs + 2 * (v / 10000), 2);
	memcpy(to + 2, digits_pairs + 2 * (v / 100 % 100), 2);
	memcpy(to + 4, digits_pairs + 2 * (v % 100), 2);
	return to + 6;
}

/* Writes eight hexadecimal digits, computed in parallel in one 64-bit number. */
static inline void digits_hex_eight(char *to, u32 v)
{
	const u64 ones = 0x0101010101010101ULL;
	u64 x = v, letters;

	x = (x << 16 | x) & 0x0000ffff0000ffffULL;
	x = (x << 8 | x) & 0x00ff00ff00ff00ffULL;
	x = (x << 4 | x) & 0x0f0f0f0f0f0f0f0fULL;
	letters = (x + 6 * ones) >> 4 & ones;
	x += '0' * ones + ('a' - '0' - 10) * letters;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	memcpy(to, &x, 8);
}

/* Writes exactly count digits, 1 to 16, which v must not exceed. */
static inline char *digits_hex_exact(char *to, u64 v, unsigned count)
{
	v <<= 64 - 4 * count;
	digits_hex_eight(to, (u32)(v >> 32));
	if (count > 8)
		digits_hex_eight(to + 8, (u32)v);
	return to + count;
}

static inline char *digits_hex(char *to, u64 v)
{
	return digits_hex_exact(to, v, digits_hex_count(v));
}

#endif
