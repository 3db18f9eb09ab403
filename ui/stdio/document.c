// SPDX-License-Identifier: GPL-2.0-or-later
#include "ui/stdio/document.h"

#include <string.h>

#include "base/json.h"
#include "base/text.h"

/*
 * Adds "# NAME : VALUE" of the header's text as {"name":, "value":}. Other lines have only a value.
 */
static void header_json_line(struct strbuf *b, const char *line, size_t len)
{
	const char *parts[] = { " : ", ": " };
	struct strbuf part = STRBUF_INIT;
	const char *value = NULL;

	line += MIN(len, (size_t)2);
	len -= MIN(len, (size_t)2);
	for (size_t i = 0; i < ARRAY_SIZE(parts) && !value; i++)
		value = memmem(line, len, parts[i], strlen(parts[i]));
	strbuf_char(b, '{');
	if (value) {
		size_t name = (size_t)(value - line), mark = value[0] == ' ' ? 3 : 2;

		while (name && line[name - 1] == ' ')
			name--;
		strbuf_add(&part, line, name);
		strbuf_str(b, "\"name\":");
		json_text(b, strbuf_cstr(&part));
		strbuf_char(b, ',');
		strbuf_clear(&part);
		len -= (size_t)(value - line) + mark;
		line = value + mark;
	}
	while (len && line[len - 1] == ' ')
		len--;
	strbuf_add(&part, line, len);
	strbuf_str(b, "\"value\":");
	json_text(b, strbuf_cstr(&part));
	strbuf_char(b, '}');
	strbuf_release(&part);
}

void json_header(const char *text, struct strbuf *b)
{
	const char *at, *end, *between = "\n";

	strbuf_str(b, ",\n\"header\":[");
	for (at = text; *at; at = end + 1) {
		end = strchrnul(at, '\n');
		if (end - at > 2 && !str_starts(at, "# ===")) {
			strbuf_str(b, between);
			header_json_line(b, at, (size_t)(end - at));
			between = ",\n";
		}
		if (!*end)
			break;
	}
	strbuf_char(b, ']');
}
