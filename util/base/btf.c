// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/btf.h"
#include "base/bytes.h"

enum {
	MAGIC = 0xeb9f,
	HEADER = 24, /* magic, version, flags; header's size; types, strings: offset and size */
	TYPE = 12,   /* name, info, size or type */
	KINDS = 32,  /* info: number of members in 16 bits, the kind in bits 24 to 28 */
};

/* Bytes that follow a type: once, and for each member. */
static const struct {
	u8 once, each;
} tails[KINDS] = {
	[1] = { 4, 0 },   /* INT */
	[3] = { 12, 0 },  /* ARRAY */
	[4] = { 0, 12 },  /* STRUCT */
	[5] = { 0, 12 },  /* UNION */
	[6] = { 0, 8 },   /* ENUM */
	[13] = { 0, 8 },  /* FUNC_PROTO */
	[14] = { 4, 0 },  /* VAR */
	[15] = { 0, 12 }, /* DATASEC */
	[17] = { 4, 0 },  /* DECL_TAG */
	[19] = { 0, 12 }, /* ENUM64 */
};

const char *btf_type_name(const void *data, size_t size, bool swap, u32 type)
{
	const u8 *p = data, *names, *at, *end;
	u32 header, types, types_size, strings, strings_size, name;

	if (size < HEADER || load_u16(p, swap) != MAGIC || !type)
		return NULL;
	header = load_u32(p + 4, swap);
	types = load_u32(p + 8, swap);
	types_size = load_u32(p + 12, swap);
	strings = load_u32(p + 16, swap);
	strings_size = load_u32(p + 20, swap);
	if (header < HEADER || (u64)header + types + types_size > size ||
	    (u64)header + strings + strings_size > size)
		return NULL;
	at = p + header + types;
	end = at + types_size;
	for (u32 i = 1; end - at >= TYPE; i++) {
		u32 info = load_u32(at + 4, swap);
		unsigned kind = info >> 24 & (KINDS - 1);
		size_t more = tails[kind].once + (size_t)tails[kind].each * (info & 0xffff);

		if (i == type) {
			name = load_u32(at, swap);
			names = p + header + strings;
			return name < strings_size && memchr(names + name, 0, strings_size - name)
				       ? (const char *)names + name
				       : NULL;
		}
		if ((size_t)(end - at) - TYPE < more)
			return NULL;
		at += TYPE + more;
	}
	return NULL;
}
