// SPDX-License-Identifier: GPL-2.0-or-later
/* Source lines below frames. */
#include <string.h>

#include "builtin/script/internal.h"

struct line_store *script_source(struct script *s)
{
	if (!s->source)
		s->source = line_store_new(session_symbols(s->session), &s->o->lines);
	return s->source;
}

u32 script_source_frames(struct script *s, const struct frame *f, u64 offset,
			 struct source_frame *out, u32 max)
{
	return f->image ? MIN(lines_at(script_source(s), f->image, offset, out, max), max) : 0;
}

void script_add_source_line(struct script *s, const struct frame *f, const struct symbol *sym,
			    const struct source_frame *source, struct strbuf *b)
{
	size_t before = b->len, start;
	const struct line_place place = {
		.file = source ? source->file : NULL,
		.line = source ? source->line : 0,
		.image = f->image,
		.offset = f->offset,
		.addr = f->addr,
		.symbol = sym,
	};

	strbuf_str(b, "\n  ");
	start = b->len;
	line_text(script_source(s), &place, LINE_BELOW, b);
	if (b->len == start)
		strbuf_truncate(b, before);
}

void script_add_line_behind(struct script *s, u64 addr, const struct location *l,
			    const struct symbol *sym, struct strbuf *b)
{
	const struct frame f = { .image = l->image, .offset = l->offset };
	struct source_frame frame = { 0 };
	bool known = script_source_frames(s, &f, l->offset, &frame, 1);
	const struct line_place place = {
		.file = known ? frame.file : NULL,
		.line = known ? frame.line : 0,
		.image = l->image,
		.offset = l->offset,
		.addr = addr,
		.symbol = sym,
	};
	size_t before = b->len;

	strbuf_char(b, '\t');
	line_text(script_source(s), &place, LINE_BELOW, b);
	if (b->len == before + 1)
		strbuf_truncate(b, before);
}
