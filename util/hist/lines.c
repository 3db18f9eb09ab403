// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds source lines and inlined functions of frames, where columns or call graphs show them. */

#include "hist/internal.h"

static bool columns_show_lines(const struct hist *h)
{
	vec_for_each(&h->fields, f)
		if (f->column->flags & HIST_LINES)
			return true;
	return false;
}

static bool graph_shows_lines(const struct hist *h)
{
	return h->set.chains && (h->set.graph.by_address || h->set.graph.by_line);
}

static bool wants_inlines(const struct hist *h)
{
	return h->set.inlines && h->set.chains;
}

bool hist_shows_lines(const struct hist *h)
{
	return columns_show_lines(h) || graph_shows_lines(h) || wants_inlines(h);
}

struct line_store *hist_lines(struct hist *h)
{
	if (!h->lines && hist_shows_lines(h))
		h->lines = line_store_new(h->symbols, &h->set.lines);
	return h->lines;
}

void hist_find_lines(struct hist *h, struct chains *all, struct frame_runs *runs)
{
	bool lines = columns_show_lines(h) || graph_shows_lines(h);
	const struct frame_lines o = {
		.correct = h->set.call_sites,
		.inlines = wants_inlines(h),
		.sources = lines,
		.kernel = lines,
	};

	*runs = (struct frame_runs){ 0 };
	if (!lines && !o.inlines)
		return;
	chains_lines(all, h->ctx, hist_lines(h), h->symbols, &o, runs);
}

void hist_frame_line(const struct hist *h, const struct frame *f, enum line_style style,
		     struct strbuf *out)
{
	const struct frame_source *s = chain_source(h->chains, f);
	const struct line_place place = {
		.file = s ? s->file : NULL,
		.line = s ? s->line : 0,
		.image = f->image,
		.offset = f->offset,
		.addr = f->addr,
		.symbol = hist_frame_symbol(h, f),
	};

	if (h->lines)
		line_text(h->lines, &place, style, out);
}

void hist_render_lines(struct hist *h)
{
	u32 count = frames_count(h->chains);
	struct strbuf b = STRBUF_INIT;

	if (!columns_show_lines(h))
		return;
	h->line_texts = xcalloc(count + 1, sizeof(*h->line_texts));
	h->file_texts = xcalloc(count + 1, sizeof(*h->file_texts));
	for (u32 i = 0; i < count; i++) {
		const struct frame *f = chain_frame(h->chains, i);
		const struct frame_source *s = chain_source(h->chains, f);

		hist_frame_line(h, f, LINE_KEY, &b);
		h->line_texts[i] = strtab_add(&h->texts, strbuf_cstr(&b));
		strbuf_clear(&b);
		line_file_text(h->lines, s ? s->file : NULL, &b);
		h->file_texts[i] = strtab_add(&h->texts, strbuf_cstr(&b));
		strbuf_clear(&b);
	}
	strbuf_release(&b);
}

void hist_frame_text(const struct hist *h, frame_id id, struct strbuf *out)
{
	const struct frame *f = hist_frame(h, id);
	const struct symbol *s = hist_named_symbol(h, f);

	/*
	 * the address that the column symbol shows: the offset in the object, wherever that was
	 * mapped
	 */
	if (!s) {
		strbuf_f(out, "%#" PRIx64, f->offset);
		return;
	}
	strbuf_printable(out, s->name);
	if (h->set.graph.by_address || h->set.graph.by_line) {
		size_t before = out->len, start;

		strbuf_char(out, ' ');
		start = out->len;
		hist_frame_line(h, f, h->set.graph.by_address ? LINE_ADDRESS : LINE_BEHIND, out);
		if (out->len == start)
			strbuf_truncate(out, before);
	}
	if (f->inlined)
		strbuf_str(out, " (inlined)");
}
