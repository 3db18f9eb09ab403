// SPDX-License-Identifier: GPL-2.0-or-later
/* Builds records that the kernel does not write. */
#include <string.h>

#include "base/bytes.h"
#include "synth/internal.h"

#define HEADER_BYTES 8

size_t record_begin(struct strbuf *out, u32 type, u16 misc)
{
	size_t start = out->len;
	char *p = strbuf_grow(out, HEADER_BYTES);

	store_u32(p, type);
	store_u16(p + 4, misc);
	store_u16(p + 6, 0);
	out->len += HEADER_BYTES;
	return start;
}

static void add_zeros(struct strbuf *out, size_t n)
{
	memset(strbuf_grow(out, n), 0, n);
	out->len += n;
}

bool record_end(struct strbuf *out, size_t start, size_t id_size)
{
	size_t size = out->len - start;

	add_zeros(out, ALIGN_UP(size, (size_t)8) - size + id_size);
	size = out->len - start;
	if (size > UINT16_MAX) {
		strbuf_truncate(out, start);
		return false;
	}
	store_u16(out->s + start + 6, (u16)size);
	return true;
}

void record_u64(struct strbuf *out, u64 v)
{
	store_u64(strbuf_grow(out, sizeof(v)), v);
	out->len += sizeof(v);
}

void record_u32(struct strbuf *out, u32 v)
{
	store_u32(strbuf_grow(out, sizeof(v)), v);
	out->len += sizeof(v);
}

void record_string(struct strbuf *out, const char *s, size_t len)
{
	strbuf_add(out, s, len);
	add_zeros(out, ALIGN_UP(len + 1, (size_t)8) - len);
}
