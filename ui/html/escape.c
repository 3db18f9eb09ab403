// SPDX-License-Identifier: GPL-2.0-or-later
#include "ui/html/escape.h"

size_t utf8_letter(const char *s, size_t len)
{
	const u8 *p = (const u8 *)s;
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3
		 : p[0] < 0xf5 ? 4 : 0;

	if (!n || n > len)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

void html_escape(struct strbuf *b, const char *s, size_t len)
{
	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		n = utf8_letter(s + i, len - i);
		if (!n || (u8)s[i] < 0x20 || s[i] == 0x7f)
			strbuf_str(b, "\xef\xbf\xbd");
		else if (s[i] == '&')
			strbuf_str(b, "&amp;");
		else if (s[i] == '<')
			strbuf_str(b, "&lt;");
		else if (s[i] == '>')
			strbuf_str(b, "&gt;");
		else if (s[i] == '"')
			strbuf_str(b, "&quot;");
		else
			strbuf_add(b, s + i, n);
	}
}

size_t html_whole_letters(const char *s, size_t len)
{
	while (len && ((u8)s[len] & 0xc0) == 0x80)
		len--;
	return len;
}
