// SPDX-License-Identifier: GPL-2.0-or-later
/* -D: the symbol tables that were used, at the end. */
#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "builtin/top/internal.h"

static char binding_letter(const struct symbol *s)
{
	return s->binding == STB_GLOBAL ? 'g' : s->binding == STB_WEAK ? 'w' : 'l';
}

static void put_symbols(const struct symbol_table *table, struct out *out)
{
	for (u32 i = 0; i < symbol_count(table); i++) {
		const struct symbol *s = symbol_get(table, symbol_first(table) + i);

		out_f(out, " %" PRIx64 "-%" PRIx64 " %c ", s->start, symbol_end(s),
		      binding_letter(s));
		strbuf_printable(out_buf(out), s->name);
		out_str(out, "\n");
	}
}

static void put_image(const struct image *img, const struct symbol_table *table, struct out *out)
{
	char id[41];

	out_str(out, "dso: ");
	strbuf_printable(out_buf(out), img->name);
	out_str(out, " (");
	if (strcmp(img->name, img->path)) {
		strbuf_printable(out_buf(out), img->path);
		out_str(out, ", ");
	}
	out_f(out, "%sloaded, %s)\n", table ? "" : "NOT ", build_id_text(&img->build_id, id));
	if (table)
		put_symbols(table, out);
	out_flush(out);
}

void top_dump_symbols(struct top *t)
{
	const struct image_table *images = session_images(t->session);
	struct out out;

	out_init(&out, STDERR_FILENO);
	for (u32 i = 1; i < image_count(images); i++) {
		const struct image *img = image_get(images, i);

		if (img->kind != IMAGE_OTHER)
			put_image(img, symbols_if_loaded(session_symbols(t->session), i), &out);
	}
	out_release(&out); /* there is nowhere left to report that standard error cannot be
			    * written */
}
