// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

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

/* Digits are made backwards into a small array that ends at 'end'. */
static char *hex_backwards(char *end, u64 v)
{
	static const char digits[] = "0123456789abcdef";

	do
		*--end = digits[v & 15];
	while (v >>= 4);
	return end;
}

static char *dec_backwards(char *end, u64 v)
{
	static const char pairs[] =
		"0001020304050607080910111213141516171819202122232425262728293031323334353637383940"
		"4142434445464748495051525354555657585960616263646566676869707172737475767778798081"
		"828384858687888990919293949596979899";

	for (; v >= 100; v /= 100) {
		end -= 2;
		memcpy(end, pairs + 2 * (v % 100), 2);
	}
	if (v >= 10) {
		end -= 2;
		memcpy(end, pairs + 2 * v, 2);
	} else {
		*--end = (char)('0' + v);
	}
	return end;
}

static void add_aligned(struct strbuf *b, const char *p, size_t len, int width,
			char fill)
{
	size_t more = width > (int)len ? (size_t)width - len : 0;
	char *to = strbuf_grow(b, more + len);

	for (size_t i = 0; i < more; i++)
		to[i] = fill;
	memcpy(to + more, p, len);
	finish(b, more + len);
}

static void add_hex(struct strbuf *b, u64 v, int width, char fill)
{
	char tmp[24], *end = tmp + sizeof(tmp), *p = hex_backwards(end, v);

	add_aligned(b, p, (size_t)(end - p), width, fill);
}

static unsigned dec_digits(u64 v)
{
	static const u64 tens[] = { 0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
				    10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
				    1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
				    10000000000000000000U };
	/* 1233 / 4096 is a little more than the logarithm of 2 */
	unsigned less = (64 - (unsigned)__builtin_clzll(v | 1)) * 1233 >> 12;

	return less + (v >= tens[less]);
}

/* Where they are to stand, since a copy of a few bytes costs more than they do. */
static void add_dec(struct strbuf *b, u64 v, int width, char fill)
{
	size_t digits = MAX(dec_digits(v), 1U), len = MAX((size_t)MAX(width, 0), digits);
	char *to = strbuf_grow(b, len);

	for (size_t i = 0; i < len - digits; i++)
		to[i] = fill;
	dec_backwards(to + len, v);
	finish(b, len);
}

void strbuf_hex(struct strbuf *b, u64 v)
{
	add_hex(b, v, 0, ' ');
}

void strbuf_hex_pad(struct strbuf *b, u64 v, int width)
{
	add_hex(b, v, width, ' ');
}

void strbuf_hex_zero(struct strbuf *b, u64 v, int width)
{
	add_hex(b, v, width, '0');
}

/* The most frequent number: copied as a whole, since its length is not known to the compiler. */
void strbuf_dec(struct strbuf *b, u64 v)
{
	enum { MOST = 20 };
	char tmp[2 * MOST], *end = tmp + MOST, *p;

	memset(end, 0, MOST);
	p = dec_backwards(end, v);
	memcpy(strbuf_grow(b, MOST), p, MOST);
	finish(b, (size_t)(end - p));
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
