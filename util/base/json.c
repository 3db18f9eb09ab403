// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/json.h"

#include <string.h>

#include "base/text.h"

void json_text(struct strbuf *b, const char *s)
{
	size_t len = strlen(s);

	strbuf_char(b, '"');
	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		n = utf8_letter(s + i, len - i);
		if (!n)
			strbuf_str(b, "\xef\xbf\xbd");
		else if (s[i] == '"' || s[i] == '\\')
			strbuf_f(b, "\\%c", s[i]);
		else if (text_control(s + i, len - i)) /* for C1, the second byte is the number */
			strbuf_f(b, "\\u%04x", (u8)s[i + n - 1]);
		else
			strbuf_add(b, s + i, n);
	}
	strbuf_char(b, '"');
}
