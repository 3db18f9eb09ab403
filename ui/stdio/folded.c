// SPDX-License-Identifier: GPL-2.0-or-later
/* Folded stacks: "comm;outer;..;inner COUNT", a line for each chain. */
#include <string.h>

#include "ui/stdio/folded.h"

/* The line's frames so far are in line; every node adds its own and takes it off again. */
static void put_node(const struct hist_stacks *f, u32 at, bool periods, struct strbuf *line,
		     struct out *out)
{
	const struct stack_node *n = &f->nodes.items[at];
	size_t before = line->len;

	if (at) {
		if (line->len)
			strbuf_char(line, ';');
		strbuf_str(line, strtab_get(&f->names, n->name));
	}
	if (n->own_samples) {
		struct strbuf *b = out_buf(out);

		strbuf_add(b, strbuf_cstr(line), line->len);
		strbuf_char(b, ' ');
		strbuf_dec(b, periods ? n->own_period : n->own_samples);
		strbuf_char(b, '\n');
		out_done(out);
	}
	for (u32 c = n->child; c; c = f->nodes.items[c].next)
		put_node(f, c, periods, line, out);
	strbuf_truncate(line, before);
}

void stdio_folded(const struct hist_stacks *f, const char *root, bool periods, struct out *out)
{
	struct strbuf line = STRBUF_INIT;

	if (root)
		strbuf_printable(&line, root);
	put_node(f, 0, periods, &line, out);
	strbuf_release(&line);
}
