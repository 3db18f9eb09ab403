// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/fault.h"

#include <ctype.h>
#include <errno.h>

#include "base/strbuf.h"
#include "base/types.h"

int text_fault(struct reason *r, const char *text, size_t at, size_t n, const char *fmt, va_list ap)
{
	struct strbuf b = STRBUF_INIT;

	if (!r)
		return -EINVAL;
	strbuf_vf(&b, fmt, ap);
	strbuf_char(&b, '\n');
	for (const char *c = text; *c; c++)
		strbuf_char(&b, isspace((unsigned char)*c) ? ' ' : *c);
	strbuf_char(&b, '\n');
	strbuf_pad(&b, ' ', (int)at);
	strbuf_pad(&b, '^', (int)MAX(n, (size_t)1));
	reason_set(r, EINVAL, "%s", b.s);
	strbuf_release(&b);
	return -EINVAL;
}
