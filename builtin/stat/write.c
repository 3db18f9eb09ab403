// SPDX-License-Identifier: GPL-2.0-or-later
/* The one way to the output, in any form. */
#include <unistd.h>

#include "base/guard.h"
#include "base/out.h"
#include "builtin/stat/internal.h"

/*
 * Copies the text without the spaces that end its rows. Programs may rely on them, but on a
 * terminal they would wrap.
 */
static void strip_trailing_spaces(struct strbuf *out, const struct strbuf *b)
{
	size_t start = 0;

	for (size_t i = 0; i < b->len; i++) {
		size_t end = i;

		if (b->s[i] != '\n')
			continue;
		while (end > start && b->s[end - 1] == ' ')
			end--;
		strbuf_add(out, b->s + start, end - start);
		strbuf_char(out, '\n');
		start = i + 1;
	}
	strbuf_add(out, b->s + start, b->len - start);
}

void stat_write(struct stat_printer *p, const struct strbuf *b)
{
	struct strbuf shown = STRBUF_INIT;
	int err;

	if (stat_for_people(p->ask) && isatty(p->fd))
		strip_trailing_spaces(&shown, b);
	else
		strbuf_add(&shown, b->s, b->len);
	err = out_text(p->fd, strbuf_cstr(&shown), shown.len);
	strbuf_release(&shown);

	if (err && !p->write_err)
		p->write_err = err;
}
