/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cursor over untrusted bytes (DWARF, CFI).
 *
 * Reads never leave [p, end): the first that would sets bad, and it and all later reads return 0,
 * so a caller may check once after a run of reads. Copies are cheap; threads share nothing.
 */
#ifndef OBJECT_CURSOR_H
#define OBJECT_CURSOR_H

#include "base/bytes.h"

struct cursor {
	const u8 *p, *end;
	bool swap; /* byte order differs from the host's */
	bool bad;
};

/* Returns a cursor at an offset; it is bad from the start if the offset exceeds size. */
static inline struct cursor cursor_at(const u8 *data, size_t size, u64 at, bool swap)
{
	bool bad = at > size;

	return (struct cursor){ data + (bad ? size : at), data + size, swap, bad };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

static inline bool cursor_has(struct cursor *c, u64 n)
{
	if (likely(n <= cursor_left(c)))
		return true;
	c->bad = true;
	c->p = c->end;
	return false;
}

static inline void cursor_skip(struct cursor *c, u64 n)
{
	if (cursor_has(c, n))
		c->p += n;
}

static inline u8 cursor_u8(struct cursor *c)
{
	return cursor_has(c, 1) ? *c->p++ : 0;
}

static inline u16 cursor_u16(struct cursor *c)
{
	u16 v = cursor_has(c, 2) ? load_u16(c->p, c->swap) : 0;

	c->p += c->bad ? 0 : 2;
	return v;
}

static inline u32 cursor_u32(struct cursor *c)
{
	u32 v = cursor_has(c, 4) ? load_u32(c->p, c->swap) : 0;

	c->p += c->bad ? 0 : 4;
	return v;
}

static inline u64 cursor_u64(struct cursor *c)
{
	u64 v = cursor_has(c, 8) ? load_u64(c->p, c->swap) : 0;

	c->p += c->bad ? 0 : 8;
	return v;
}

/* Reads an unsigned number of 1, 2, 3, 4 or 8 bytes; sets bad for other sizes. */
static inline u64 cursor_uint(struct cursor *c, unsigned size)
{
	u8 b[3];

	switch (size) {
	case 1:
		return cursor_u8(c);
	case 2:
		return cursor_u16(c);
	case 3:
		b[0] = cursor_u8(c);
		b[1] = cursor_u8(c);
		b[2] = cursor_u8(c);
		if (c->swap == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
			return b[0] | (u64)b[1] << 8 | (u64)b[2] << 16;
		return b[2] | (u64)b[1] << 8 | (u64)b[0] << 16;
	case 4:
		return cursor_u32(c);
	case 8:
		return cursor_u64(c);
	default:
		c->bad = true;
		c->p = c->end;
		return 0;
	}
}

/* Bits beyond the 64th are dropped, as long as the encoding ends. */
static inline u64 cursor_uleb(struct cursor *c)
{
	u64 v = 0;
	unsigned shift = 0;

	while (c->p < c->end) {
		u8 b = *c->p++;

		if (shift < 64)
			v |= (u64)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
		shift += 7;
	}
	c->bad = true;
	return 0;
}

static inline s64 cursor_sleb(struct cursor *c)
{
	u64 v = 0;
	unsigned shift = 0;

	while (c->p < c->end) {
		u8 b = *c->p++;

		if (shift < 64)
			v |= (u64)(b & 0x7f) << shift;
		shift += 7;
		if (!(b & 0x80)) {
			if (shift < 64 && b & 0x40)
				v |= ~0ULL << shift;
			return (s64)v;
		}
	}
	c->bad = true;
	return 0;
}

/* Reads a string; returns "" and sets bad if no NUL ends it. */
static inline const char *cursor_string(struct cursor *c)
{
	const u8 *s = c->p, *nul = memchr(s, 0, cursor_left(c));

	if (!nul) {
		c->bad = true;
		c->p = c->end;
		return "";
	}
	c->p = nul + 1;
	return (const char *)s;
}

#endif
