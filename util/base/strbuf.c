// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/digits.h"

void strbuf_release(struct strbuf *b)
{
	free(b->s);
	*b = (struct strbuf)STRBUF_INIT;
}

void strbuf_clear(struct strbuf *b)
{
	strbuf_truncate(b, 0);
}

void strbuf_truncate(struct strbuf *b, size_t len)
{
	if (len > b->len)
		return;
	b->len = len;
	if (b->s)
		b->s[len] = '\0';
}

const char *strbuf_cstr(const struct strbuf *b)
{
	return b->s ? b->s : "";
}

char *strbuf_detach(struct strbuf *b)
{
	char *s = b->s ? b->s : xstrdup("");

	*b = (struct strbuf)STRBUF_INIT;
	return s;
}

void strbuf_enlarge(struct strbuf *b, size_t n)
{
	size_t space = b->space ? b->space * 2 : 64;

	if (space < b->len + n + 1)
		space = b->len + n + 1;
	b->s = xrealloc(b->s, space);
	b->space = space;
}

static void finish(struct strbuf *b, size_t added)
{
	b->len += added;
	b->s[b->len] = '\0';
}

void strbuf_pad(struct strbuf *b, char c, int n)
{
	if (n <= 0)
		return;
	memset(strbuf_grow(b, (size_t)n), c, (size_t)n);
	finish(b, (size_t)n);
}

void strbuf_vf(struct strbuf *b, const char *fmt, va_list ap)
{
	va_list again;
	char *p = strbuf_grow(b, 80);
	size_t room = b->space - b->len;
	int n;

	va_copy(again, ap);
	n = vsnprintf(p, room, fmt, ap);
	if (n > 0 && (size_t)n >= room) {
		p = strbuf_grow(b, (size_t)n);
		vsnprintf(p, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	finish(b, n > 0 ? (size_t)n : 0);
}

void strbuf_f(struct strbuf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vf(b, fmt, ap);
	va_end(ap);
}

const char digits_pairs[201] =
	"0001020304050607080910111213141516171819202122232425262728293031323334353637383940"
	"4142434445464748495051525354555657585960616263646566676869707172737475767778798081"
	"828384858687888990919293949596979899";

/*
 * Writes n fill bytes. There must be room for 16, which are always written: most columns are
 * narrower and need no call.
 */
static inline void fill_short(char *to, char fill, size_t n)
{
	memset(to, fill, 16);
	if (unlikely(n > 16))
		memset(to + 16, fill, n - 16);
}

static void add_hex(struct strbuf *b, u64 v, int width, char fill)
{
	unsigned digits = digits_hex_count(v);
	size_t more = width > (int)digits ? (size_t)width - digits : 0;
	char *to = strbuf_grow(b, more + DIGITS_ROOM);

	fill_short(to, fill, more);
	digits_hex_exact(to + more, v, digits);
	finish(b, more + digits);
}

static void add_dec(struct strbuf *b, u64 v, int width, char fill)
{
	unsigned digits = digits_dec_count(v);
	size_t more = width > (int)digits ? (size_t)width - digits : 0;
	char *to = strbuf_grow(b, more + DIGITS_ROOM);

	fill_short(to, fill, more);
	digits_dec_exact(to + more, v, digits);
	finish(b, more + digits);
}

void strbuf_hex(struct strbuf *b, u64 v)
{
	char *to = strbuf_grow(b, DIGITS_ROOM);

	finish(b, (size_t)(digits_hex(to, v) - to));
}

void strbuf_hex_pad(struct strbuf *b, u64 v, int width)
{
	add_hex(b, v, width, ' ');
}

void strbuf_hex_zero(struct strbuf *b, u64 v, int width)
{
	add_hex(b, v, width, '0');
}

void strbuf_dec(struct strbuf *b, u64 v)
{
	char *to = strbuf_grow(b, DIGITS_ROOM);

	finish(b, (size_t)(digits_dec(to, v) - to));
}

void strbuf_dec_pad(struct strbuf *b, u64 v, int width)
{
	add_dec(b, v, width, ' ');
}

void strbuf_dec_zero(struct strbuf *b, u64 v, int width)
{
	add_dec(b, v, width, '0');
}

/* ns, below which a double is nearer to them than to anything that is rounded otherwise */
static const u64 EXACT_MILLIS = 1000000000000000;

void strbuf_millis(struct strbuf *b, u64 ns, int width)
{
	/* how the half of a microsecond is rounded depends on how the quotient is represented */
	if (unlikely(ns % 1000 == 500 || ns >= EXACT_MILLIS)) {
		strbuf_f(b, "%*.3f", width, (double)ns / 1e6);
		return;
	}
	ns += 500;
	add_dec(b, ns / 1000000, width - 4, ' ');
	*strbuf_grow(b, 4) = '.';
	b->len++;
	add_dec(b, ns % 1000000 / 1000, 3, '0');
}

void strbuf_grouped(struct strbuf *b, u64 v)
{
	char tmp[32], *end = tmp + sizeof(tmp), *p = end;
	int n = 0;

	do {
		if (n && n % 3 == 0)
			*--p = ',';
		*--p = (char)('0' + v % 10);
		n++;
	} while (v /= 10);
	strbuf_add(b, p, (size_t)(end - p));
}

void strbuf_hex_line(struct strbuf *b, const u8 *data, u32 at, u32 size, u32 width)
{
	for (u32 i = 0; i < width; i++) {
		if (at + i < size) {
			strbuf_char(b, ' ');
			strbuf_hex_zero(b, data[at + i], 2);
		} else {
			strbuf_add(b, "   ", 3);
		}
	}
	strbuf_add(b, "  ", 2);
	for (u32 i = 0; i < width; i++) {
		u8 c = at + i < size ? data[at + i] : ' ';

		strbuf_char(b, c >= ' ' && c < 0x7f ? (char)c : '.');
	}
}
