/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of raw data and names of handlers, for the engines: a plugin links nothing of perf. */
#ifndef PLUGINS_FIELDS_H
#define PLUGINS_FIELDS_H

#include <string.h>

#include "plugins/plugin.h"

/* Loads a number whose size is 1, 2, 4 or 8; returns 0 for other sizes. */
static inline uint64_t field_load(const uint8_t *p, uint32_t size, bool swap)
{
	uint64_t v8;
	uint32_t v4;
	uint16_t v2;

	switch (size) {
	case 1:
		return *p;
	case 2:
		memcpy(&v2, p, 2);
		return swap ? __builtin_bswap16(v2) : v2;
	case 4:
		memcpy(&v4, p, 4);
		return swap ? __builtin_bswap32(v4) : v4;
	case 8:
		memcpy(&v8, p, 8);
		return swap ? __builtin_bswap64(v8) : v8;
	default:
		return 0;
	}
}

/* Returns the number in a field, with the sign of a signed one in all 64 bits. */
static inline uint64_t field_number(const struct engine_field *f, const uint8_t *raw, bool swap)
{
	uint64_t v = field_load(raw + f->offset, f->size, swap);

	if (f->flags & ENGINE_SIGNED) {
		if (f->size == 4)
			return (uint64_t)(int64_t)(int32_t)v;
		if (f->size == 2)
			return (uint64_t)(int64_t)(int16_t)v;
		if (f->size == 1)
			return (uint64_t)(int64_t)(int8_t)v;
	}
	return v;
}

/*
 * Returns the bytes of an array and sets *len, to 0 where a dynamic one points outside of the raw
 * data.
 */
static inline const uint8_t *field_bytes(const struct engine_field *f,
					 const struct engine_sample *s, bool swap, uint32_t *len)
{
	uint32_t word, at;

	*len = f->size;
	if (!(f->flags & ENGINE_DYNAMIC))
		return s->raw + f->offset;
	word = (uint32_t)field_load(s->raw + f->offset, f->size, swap);
	at = word & 0xffff;
	*len = word >> 16;
	if (f->flags & ENGINE_RELATIVE)
		at += f->offset + f->size;
	if (at > s->raw_size || *len > s->raw_size - at)
		*len = 0;
	return *len ? s->raw + at : s->raw;
}

/*
 * Reports whether the bytes are text. Perf's rule: the last byte is NUL, and all bytes up to the
 * first NUL can be printed; bytes of other alphabets count as such.
 */
static inline bool field_is_text(const uint8_t *p, uint32_t len)
{
	if (!len || p[len - 1])
		return false;
	for (; *p; p++)
		if ((*p < ' ' && !(*p >= '\t' && *p <= '\r')) || *p == 0x7f)
			return false;
	return true;
}

/*
 * Returns whether text from a recording may be (part of) the name of a handler:
 * [A-Za-z_][A-Za-z0-9_]*.
 * Nothing else may reach an interpreter's tables of names, where "File::Path" is another package.
 */
static inline bool field_names_handler(const char *s)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
	size_t n = s ? strspn(s, letters) : 0;

	return n && !s[n] && !(*s >= '0' && *s <= '9');
}

#endif
