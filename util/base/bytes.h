/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unaligned loads and stores, with byte swapping where a file's byte order is
 * not the host's (swap == true).
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <string.h>

#include "base/types.h"

static inline u16 load_u16(const void *p, bool swap)
{
	u16 v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline u32 load_u32(const void *p, bool swap)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline u64 load_u64(const void *p, bool swap)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

static inline void store_u16(void *p, u16 v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void store_u32(void *p, u32 v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void store_u64(void *p, u64 v)
{
	memcpy(p, &v, sizeof(v));
}

#endif
