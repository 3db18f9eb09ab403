/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing string, always NUL-terminated after the first add.
 *
 * The number writers avoid printf, for text that is made once per sample.
 */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdarg.h>
#include <string.h>

#include "base/types.h"

struct strbuf {
	char *s; /* NULL until something was added; use strbuf_cstr() */
	size_t len, space;
};
#define STRBUF_INIT                                                                                \
	{                                                                                          \
		NULL, 0, 0                                                                         \
	}

void strbuf_release(struct strbuf *b);
/* Keeps the memory. */
void strbuf_clear(struct strbuf *b);
void strbuf_truncate(struct strbuf *b, size_t len);
/* Returns the text, never NULL, which b owns. */
const char *strbuf_cstr(const struct strbuf *b);
/* Returns the text, which the caller frees (never NULL). b is empty afterwards. */
char *strbuf_detach(struct strbuf *b);
void strbuf_enlarge(struct strbuf *b, size_t n); /* makes room for n more bytes */
/* Makes room for n more bytes and returns a pointer to the end. The caller advances b->len. */
static inline char *strbuf_grow(struct strbuf *b, size_t n)
{
	if (unlikely(b->len + n + 1 > b->space))
		strbuf_enlarge(b, n);
	return b->s + b->len;
}

/* Adds are inline: text is made byte by byte, millions of times. */
static inline void strbuf_add(struct strbuf *b, const void *data, size_t len)
{
	char *p = strbuf_grow(b, len);

	if (len)
		memcpy(p, data, len);
	b->len += len;
	b->s[b->len] = '\0';
}
static inline void strbuf_str(struct strbuf *b, const char *s)
{
	strbuf_add(b, s, strlen(s));
}
static inline void strbuf_char(struct strbuf *b, char c)
{
	*strbuf_grow(b, 1) = c;
	b->s[++b->len] = '\0';
}
void strbuf_pad(struct strbuf *b, char c, int n); /* n <= 0: nothing */
void strbuf_f(struct strbuf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void strbuf_vf(struct strbuf *b, const char *fmt, va_list ap);
/*
 * Adds a number in lower-case hexadecimal without 0x; the next two right-align it in width with
 * spaces and zeros.
 */
void strbuf_hex(struct strbuf *b, u64 v);
void strbuf_hex_pad(struct strbuf *b, u64 v, int width);
void strbuf_hex_zero(struct strbuf *b, u64 v, int width);
void strbuf_dec(struct strbuf *b, u64 v);
void strbuf_dec_pad(struct strbuf *b, u64 v, int width);
void strbuf_dec_zero(struct strbuf *b, u64 v, int width);
/*
 * Adds ns as milliseconds with three decimals, right-aligned, as "%*.3f" prints (double)ns / 1e6.
 */
void strbuf_millis(struct strbuf *b, u64 ns, int width);
/*
 * Adds the bytes at .. at + width - 1 of size: " 0a 0b ..", two spaces, and those that can be
 * printed. Spaces replace those after the end.
 */
void strbuf_hex_line(struct strbuf *b, const u8 *data, u32 at, u32 size, u32 width);
/* Adds a number as 1,234,567. */
void strbuf_grouped(struct strbuf *b, u64 v);

#endif
