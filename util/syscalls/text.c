// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes as text. */
#include <string.h>

#include "syscalls/internal.h"

static void escaped(u8 c, u8 next, struct strbuf *out)
{
	static const char letters[] = "\tt\nn\vv\ff\rr\"\"\\\\";
	const char *known = c ? memchr(letters, c, sizeof(letters) - 1) : NULL;
	bool digit_follows = next >= '0' && next <= '7';

	strbuf_char(out, '\\');
	if (known && (known - letters) % 2 == 0) {
		strbuf_char(out, known[1]);
		return;
	}
	if (digit_follows || c >= 0100)
		strbuf_char(out, (char)('0' + (c >> 6)));
	if (digit_follows || c >= 010)
		strbuf_char(out, (char)('0' + (c >> 3 & 7)));
	strbuf_char(out, (char)('0' + (c & 7)));
}

bool array_is_full(const struct syscall_style *style, size_t begin, const struct strbuf *out)
{
	return style->text_limit &&
	       out->len - begin >= (u64)style->text_limit * SYSCALL_ARRAY_LIMITS;
}

/*
 * Prints bytes as text; escapes everything but printable ASCII in octal, whatever the terminal is.
 */
void syscall_print_text(const u8 *data, u32 size, u32 limit, bool cut, struct strbuf *out)
{
	u32 n = limit && size > limit ? limit : size;

	strbuf_grow(out, n + 8);
	strbuf_char(out, '"');
	for (u32 i = 0; i < n; i++) {
		if (data[i] >= ' ' && data[i] < 0x7f && data[i] != '"' && data[i] != '\\')
			strbuf_char(out, (char)data[i]);
		else
			escaped(data[i], i + 1 < n ? data[i + 1] : 0, out);
	}
	strbuf_str(out, cut || n < size ? "\".." : "\"");
}
