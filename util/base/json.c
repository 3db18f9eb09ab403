// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/guard.h"
#include "base/json.h"

#include <string.h>

#include "base/text.h"

bool json_text(struct strbuf *b, const char *s)
{
	size_t len = strlen(s);
	bool whole = true;

	strbuf_char(b, '"');
	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		n = utf8_letter(s + i, len - i);
		if (!n) {
			strbuf_str(b, "\xef\xbf\xbd");
			whole = false;
		} else if (s[i] == '"' || s[i] == '\\')
			strbuf_f(b, "\\%c", s[i]);
		else if (text_control(s + i, len - i))
			strbuf_f(b, "\\u%04x", utf8_value(s + i, n));
		else
			strbuf_add(b, s + i, n);
	}
	strbuf_char(b, '"');
	return whole;
}

void json_bytes(struct strbuf *b, const void *bytes, size_t size)
{
	const u8 *p = bytes;

	strbuf_char(b, '"');
	for (size_t i = 0; i < size; i++)
		strbuf_hex_zero(b, p[i], 2);
	strbuf_char(b, '"');
}
