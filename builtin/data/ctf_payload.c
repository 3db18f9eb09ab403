// SPDX-License-Identifier: GPL-2.0-or-later
/* An event's bytes, in the order of its fields in the metadata. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "builtin/data/ctf.h"

static void put(struct strbuf *b, enum ctf_type t, u64 v)
{
	const u8 v8 = (u8)v;
	const u16 v16 = (u16)v;
	const u32 v32 = (u32)v;

	switch (ctf_size(t)) {
	case 1:
		strbuf_add(b, &v8, 1);
		break;
	case 2:
		strbuf_add(b, &v16, 2);
		break;
	case 4:
		strbuf_add(b, &v32, 4);
		break;
	default:
		strbuf_add(b, &v, 8);
	}
}

/* Returns the value with the sign extended from a field that is shorter than its type. */
static u64 extended(u64 v, u32 size)
{
	unsigned bits = size * 8;

	if (!bits || bits >= 64)
		return v;
	return (u64)((s64)(v << (64 - bits)) >> (64 - bits));
}

static void put_array(struct strbuf *b, const struct convert *c, const struct tracepoint_field *f,
		      const struct sample *s)
{
	enum ctf_type t = ctf_field_type(f);
	u32 count = ctf_field_count(f), size = f->element_size ? f->element_size : 1, len = 0;
	const char *bytes = tracepoint_get_bytes(c->formats, f, s->raw, s->raw_size, &len);
	u32 have = bytes ? len / size : 0, all = count ? count : have;
	bool swap = data_is_swapped(c->data);

	if (!count)
		put(b, CTF_U32, have);
	for (u32 i = 0; i < all; i++) {
		const char *p = bytes + (size_t)i * size;
		u64 v = 0;

		if (i < have)
			v = size == 8   ? load_u64(p, swap)
			    : size == 4 ? load_u32(p, swap)
			    : size == 2 ? load_u16(p, swap)
					: *(const u8 *)p;
		put(b, t, f->flags & FIELD_SIGNED ? extended(v, size) : v);
	}
}

/* Adds a field's value. A field outside of the sample is 0 or empty. */
static void put_field(struct strbuf *b, const struct convert *c, const struct tracepoint_field *f,
		      const struct sample *s)
{
	u64 v = 0;

	if (f->flags & FIELD_STRING) {
		u32 len = 0;
		const char *text = tracepoint_get_bytes(c->formats, f, s->raw, s->raw_size, &len);
		char *copy = xstrndup(text ? text : "", text ? strnlen(text, len) : 0);

		strbuf_printable(b, copy);
		strbuf_char(b, '\0');
		free(copy);
	} else if (f->flags & (FIELD_ARRAY | FIELD_DYNAMIC)) {
		put_array(b, c, f, s);
	} else {
		tracepoint_get_int(c->formats, f, s->raw, s->raw_size, &v);
		put(b, ctf_field_type(f), f->flags & FIELD_SIGNED ? extended(v, f->size) : v);
	}
}

static void put_generic(struct strbuf *b, const struct sample *s, u64 type)
{
	if (type & PERF_SAMPLE_IP)
		put(b, CTF_X64, s->ip);
	if (type & PERF_SAMPLE_TID) {
		put(b, CTF_S32, s->id.tid);
		put(b, CTF_S32, s->id.pid);
	}
	if (type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER))
		put(b, CTF_U64, s->id.id);
	if (type & PERF_SAMPLE_STREAM_ID)
		put(b, CTF_U64, s->id.stream_id);
	if (type & PERF_SAMPLE_PERIOD)
		put(b, CTF_U64, s->period);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		put(b, CTF_U64, s->weight);
	if (type & PERF_SAMPLE_DATA_SRC)
		put(b, CTF_U64, s->data_src);
	if (type & PERF_SAMPLE_TRANSACTION)
		put(b, CTF_U64, s->transaction);
}

void ctf_payload(struct convert *c, const struct sample *s, struct strbuf *b)
{
	const struct event *ev = s->event;
	bool swap = data_is_swapped(c->data);

	put_generic(b, s, ev->attr.sample_type);
	if (ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN) {
		u32 count = s->chain ? (u32)s->chain_count : 0;

		put(b, CTF_U32, count);
		for (u32 i = 0; i < count; i++)
			put(b, CTF_X64, load_u64(s->chain + 8ULL * i, swap));
	}
	if (event_is_tracepoint(ev) && ev->format && c->formats)
		for (u32 i = 0; i < ev->format->field_count; i++)
			put_field(b, c, &ev->format->fields[i], s);
	if (ctf_is_bpf_output(ev)) {
		u32 words = s->raw ? s->raw_size / 4 : 0;

		put(b, CTF_U32, words);
		for (u32 i = 0; i < words; i++)
			put(b, CTF_X32, load_u32(s->raw + 4ULL * i, swap));
	}
}
