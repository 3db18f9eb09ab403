// SPDX-License-Identifier: GPL-2.0-or-later
/* Text on its way out: everything that could still control a terminal is escaped. */
#include "base/guard.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

enum { BLOCK = 64 };

/*
 * Reports whether the block has only ASCII letters, tabs and newlines. Written so that the compiler
 * looks at many bytes at a time.
 */
static bool block_is_plain(const char *s)
{
	u8 other = 0;

	for (size_t i = 0; i < BLOCK; i++)
		other |= (u8)((u8)(s[i] - 0x20) >= 0x5f) & (u8)(s[i] != '\n') & (u8)(s[i] != '\t');
	return !other;
}

/*
 * Returns the length of the code at s, if it is one of ours: a colour, or what clears the screen
 * from its corner on.
 */
static size_t own_code(const char *s, size_t len)
{
	size_t n = 2;

	if (len < 3 || s[0] != '\033' || s[1] != '[')
		return 0;
	while (n < len && ((s[n] >= '0' && s[n] <= '9') || s[n] == ';'))
		n++;
	return n < len && strchr("mHJ", s[n]) && s[n] ? n + 1 : 0;
}

/* Returns how many bytes from the first one on can be written unchanged. */
static size_t harmless(const char *s, size_t len, bool codes)
{
	size_t i = 0;

	while (i < len) {
		size_t end = MIN(i + BLOCK, len);

		if (end - i == BLOCK && block_is_plain(s + i))
			i = end;
		while (i < end) {
			size_t n = codes ? own_code(s + i, len - i) : 0;

			if (!n && s[i] != '\n' && s[i] != '\t' && text_control(s + i, len - i))
				return i;
			i += n ? n : MAX(utf8_letter(s + i, len - i), (size_t)1);
		}
	}
	return len;
}

void strbuf_guard(struct strbuf *b, bool codes)
{
	size_t at = harmless(b->s, b->len, codes), size = b->len;
	char *text;

	if (at == size)
		return;
	text = strbuf_detach(b);
	strbuf_add(b, text, at);
	while (at < size) {
		size_t n = text_control(text + at, size - at);

		for (; n; n--, at++)
			strbuf_f(b, "\\x%02x", (u8)text[at]);
		n = harmless(text + at, size - at, codes);
		strbuf_add(b, text + at, n);
		at += n;
	}
	free(text);
}

void strbuf_printable_names(struct strbuf *b, size_t from)
{
	char *text;

	if (b->len == from || text_plain(b->s + from, b->len - from) == b->len - from)
		return;
	text = xstrndup(b->s + from, b->len - from);
	strbuf_truncate(b, from);
	strbuf_printable(b, text);
	free(text);
}
