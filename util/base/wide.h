/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PERF_BASE_WIDE_H
#define PERF_BASE_WIDE_H
/* Numbers of 128 bits, which 32-bit machines have no type for. */
#include "base/types.h"

struct wide {
	u64 high, low;
};

/*
 * Returns the product of two numbers, computed from those of their halves as wide_product() does it
 * on a 32-bit machine.
 */
static inline struct wide wide_product_by_halves(u64 a, u64 b)
{
	u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32;
	u64 low = al * bl, left = ah * bl, right = al * bh;
	u64 middle = (low >> 32) + (u32)left + (u32)right;

	return (struct wide){ ah * bh + (left >> 32) + (right >> 32) + (middle >> 32),
			      middle << 32 | (u32)low };
}

/*
 * Returns the low 64 bits of N / D, computed bit by bit as wide_quotient() does on a 32-bit
 * machine.
 */
static inline u64 wide_quotient_by_bits(struct wide n, u64 d)
{
	u64 rest = n.high % d, quotient = 0;

	for (int bit = 63; bit >= 0; bit--) {
		bool carry = rest >> 63;

		rest = rest << 1 | (n.low >> bit & 1);
		quotient <<= 1;
		if (carry || rest >= d) {
			rest -= d;
			quotient |= 1;
		}
	}
	return quotient;
}

static inline struct wide wide_product(u64 a, u64 b)
{
#ifdef __SIZEOF_INT128__
	__extension__ unsigned __int128 m = (unsigned __int128)a * b;

	return (struct wide){ (u64)(m >> 64), (u64)m };
#else
	return wide_product_by_halves(a, b);
#endif
}

/* Returns the low 64 bits of N / D; D is not zero. */
static inline u64 wide_quotient(struct wide n, u64 d)
{
#ifdef __SIZEOF_INT128__
	__extension__ unsigned __int128 m = (unsigned __int128)n.high << 64 | n.low;

	return (u64)(m / d);
#else
	return wide_quotient_by_bits(n, d);
#endif
}

/* Returns A << SHIFT without losing a bit, for SHIFT below 64. */
static inline struct wide wide_left(u64 a, unsigned shift)
{
	return (struct wide){ shift ? a >> (64 - shift) : 0, a << shift };
}

/* Returns the low 64 bits of N >> SHIFT, for SHIFT below 64. */
static inline u64 wide_right(struct wide n, unsigned shift)
{
	return shift ? n.high << (64 - shift) | n.low >> shift : n.low;
}

#endif
