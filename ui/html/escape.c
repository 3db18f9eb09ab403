// SPDX-License-Identifier: GPL-2.0-or-later
#include "ui/html/escape.h"

#include "base/text.h"

void html_escape(struct strbuf *b, const char *s, size_t len)
{
	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		n = utf8_letter(s + i, len - i);
		if (!n || text_control(s + i, len - i))
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
