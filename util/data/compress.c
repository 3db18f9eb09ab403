// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records in, COMPRESSED records out: each has one zstd frame of whole records, so a damaged one
 * costs only its own contents.
 *
 * A COMPRESSED record has 64 kB at most. How much goes into one is guessed from how well the last
 * one did; a guess that was too bold is halved.
 */
#include <string.h>

#include "base/bytes.h"
#include "data/compress.h"
#include "data/internal.h"

enum {
	HEAD = sizeof(struct record_header),
	MOST_OUT = UINT16_MAX - HEAD,
	AIM_OUT = 56000, /* leaves room for what compresses worse than the last */
	LEAST_IN = 16 << 10,
};

struct compressor {
	struct zstd_press *press;
	struct strbuf in; /* whole records that wait */
	size_t aim;       /* bytes that should go into the next frame */
};

int compressor_new(int level, struct compressor **out, struct reason *r)
{
	struct zstd_press *press = zstd_press_new(level, r);

	if (!press)
		return -r->err;
	*out = xcalloc(1, sizeof(**out));
	(*out)->press = press;
	(*out)->aim = AIM_OUT;
	return 0;
}

void compressor_free(struct compressor *c)
{
	if (!c)
		return;
	zstd_press_free(c->press);
	strbuf_release(&c->in);
	free(c);
}

size_t compressor_waiting(const struct compressor *c)
{
	return c->in.len;
}

/* Returns the size of the whole records in the first limit bytes at p, at least one record. */
static size_t cut(const char *p, size_t n, size_t limit)
{
	size_t at = 0;

	while (n - at >= HEAD) {
		u16 size = load_u16(p + at + 6, false);

		if (size < HEAD || size > n - at || (at && at + size > limit))
			break;
		at += size;
	}
	return at ? at : n;
}

static void set_head(char *p, size_t size)
{
	const struct record_header h = {
		.type = PERF_RECORD_COMPRESSED,
		.size = (u16)(HEAD + size),
	};

	memcpy(p, &h, sizeof(h));
}

/* Adds one record to out. Returns how many bytes of p it contains. */
static size_t compress_one(struct compressor *c, const char *p, size_t n, struct strbuf *out)
{
	size_t in = cut(p, n, c->aim), size;

	for (;;) {
		char *to = strbuf_grow(out, HEAD + MOST_OUT);

		size = zstd_press(c->press, p, in, to + HEAD, MOST_OUT);
		if (size) {
			set_head(to, size);
			out->len += HEAD + size;
			break;
		}
		if (in == cut(p, n, 0)) { /* one record that does not shrink stays as it is */
			strbuf_add(out, p, in);
			return in;
		}
		in = cut(p, n, in / 2);
	}
	c->aim = MAX(LEAST_IN, MIN(in * AIM_OUT / size, (size_t)COMPRESSOR_MOST_IN));
	return in;
}

void compressor_add(struct compressor *c, const void *a, size_t an, const void *b, size_t bn,
		    bool all, struct strbuf *out)
{
	size_t at = 0;

	strbuf_add(&c->in, a, an);
	strbuf_add(&c->in, b, bn);
	while (c->in.len - at >= COMPRESSOR_MOST_IN || (all && at < c->in.len))
		at += compress_one(c, c->in.s + at, c->in.len - at, out);
	if (!at)
		return;
	memmove(c->in.s, c->in.s + at, c->in.len - at);
	strbuf_truncate(&c->in, c->in.len - at);
}
