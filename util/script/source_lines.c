// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source lines below frames.
 *
 * Where there is no line, perf's words: nothing in a function of a file's own
 * symbols, else the object and the address in it.
 */
#include <string.h>

#include "script/internal.h"

static struct line_store *source_of(struct script *s)
{
	if (!s->source)
		s->source = line_store_new(session_symbols(s->session));
	return s->source;
}

u32 script_source_frames(struct script *s, const struct frame *f, u64 offset,
			 struct source_frame *out, u32 max)
{
	return f->image ? MIN(lines_at(source_of(s), f->image, offset, out, max), max) : 0;
}

static bool of_file(const struct image *im, const struct symbol *sym)
{
	const char *at = sym ? strrchr(sym->name, '@') : NULL;

	return sym && im->kind == IMAGE_ELF && !(at && !strcmp(at, "@plt"));
}

void script_add_source_line(struct script *s, const struct frame *f, const struct symbol *sym,
			    const struct source_frame *source, struct strbuf *b)
{
	const struct image *im = image_get(session_images(s->session), f->image);

	if (source && source->file) {
		strbuf_str(b, "\n  ");
		strbuf_printable(b, s->o->full_source_path ? source->file :
							     path_base(source->file));
		strbuf_char(b, ':');
		strbuf_dec(b, source->line);
		return;
	}
	if (!f->image || of_file(im, sym))
		return;
	strbuf_str(b, "\n  ");
	strbuf_printable(b, path_base(image_script_name(im)));
	strbuf_char(b, '[');
	strbuf_hex(b, im->kernel ? f->addr : lines_address(source_of(s), f->image, f->offset));
	strbuf_char(b, ']');
}
