// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rest of a line that is wider than the terminal would take further rows, and a picture that is
 * higher than the screen would push its first lines out.
 */
#include <string.h>

#include "base/text.h"
#include "builtin/top/internal.h"

/* Bytes of the code at s that sets a colour or moves the cursor, or 0. */
static size_t code_length(const char *s, size_t len)
{
	size_t n = 2;

	if (len < n || s[0] != '\033' || s[1] != '[')
		return 0;
	while (n < len && (s[n] < '@' || s[n] > '~'))
		n++;
	return MIN(n + 1, len);
}

void top_fit(struct strbuf *picture, int columns, int rows)
{
	size_t at = 0, kept = 0;
	int column = 0, row = 1;

	while (at < picture->len) {
		const char *s = picture->s + at;
		size_t left = picture->len - at, n = code_length(s, left);
		bool fits = true;

		if (!n && *s == '\n') {
			n = 1;
			column = 0;
			fits = ++row <= rows;
		} else if (!n) {
			n = MAX(utf8_letter(s, left), (size_t)1);
			column += text_columns(s, n);
			fits = column <= columns && row <= rows;
		}
		if (fits) {
			memmove(picture->s + kept, s, n);
			kept += n;
		}
		at += n;
	}
	strbuf_truncate(picture, kept);
}
