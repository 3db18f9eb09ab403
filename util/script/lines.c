// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames as text, rendered once for each frame and style of line.
 *
 * Addresses: in a chain a user's address is shown as its offset in the object
 * and the kernel's as it is; alone, as it was recorded.  Symbols are those that
 * cover the address itself, for return addresses too (perf 6.1's rule for
 * frame-pointer chains) unless call sites are asked for; +offset always counts
 * to the address as recorded, so it can be the size of the function.
 */
#include <stdlib.h>
#include <string.h>

#include "script/internal.h"

struct line_table *script_lines(struct script *s, unsigned parts)
{
	struct line_table *t;

	vec_for_each(&s->tables, it)
		if ((*it)->parts == parts)
			return *it;
	t = xcalloc(1, sizeof(*t));
	t->parts = parts;
	vec_push(&s->tables, t);
	return t;
}

void script_lines_release(struct script *s)
{
	vec_for_each(&s->tables, it) {
		vec_release(&(*it)->lines);
		strbuf_release(&(*it)->text);
		free(*it);
	}
	vec_release(&s->tables);
}

const struct symbol *script_symbol_at(struct script *s, u32 image, u64 offset)
{
	const struct symbol_table *t;
	u32 number;

	if (!image)
		return NULL;
	t = symbols_of(session_symbols(s->session), image);
	number = symbol_find(t, offset);
	return number == NO_SYMBOL ? NULL : symbol_get(t, number);
}

const char *script_symbol_name(struct script *s, const struct location *l)
{
	const struct symbol *sym = script_symbol_at(s, l->image, l->offset);

	return sym ? sym->name : NULL;
}

static void add_symbol(const struct symbol *sym, u64 offset, bool with_offset, struct strbuf *b)
{
	if (!sym) {
		strbuf_str(b, "[unknown]");
		return;
	}
	strbuf_printable(b, sym->name);
	if (with_offset) {
		strbuf_add(b, "+0x", 3);
		strbuf_hex(b, offset - sym->start);
	}
}

void script_add_symbol(struct script *s, const struct location *l, bool offset, struct strbuf *b)
{
	add_symbol(script_symbol_at(s, l->image, l->offset), l->offset, offset, b);
}

/* A return address can be the start of the next function: its call is one byte before. */
static u64 before_return(const struct script *s, const struct frame *f)
{
	return s->o->call_sites && f->is_return && f->offset;
}

static void add_dso_part(struct script *s, unsigned parts, const struct frame *f,
			 struct strbuf *b)
{
	strbuf_add(b, " (", 2);
	script_add_dso(s, f->image, b);
	if (parts & LINE_DSOFF && f->image) {
		strbuf_add(b, "+0x", 3);
		strbuf_hex(b, f->offset);
	}
	strbuf_char(b, ')');
}

static void render_row(struct script *s, unsigned parts, const struct frame *f, const struct symbol *sym,
		       const struct source_frame *source, bool is_inlined, struct strbuf *b)
{
	struct strbuf text = STRBUF_INIT;
	const char *line = NULL;

	if (parts & LINE_SRCLINE) {
		script_add_source_line(s, f, sym, source, &text);
		if (text.len) /* a line feed and two blanks come first */
			line = strbuf_cstr(&text) + strspn(strbuf_cstr(&text), "\n ");
	}
	script_add_row_frame(s, parts, f, sym ? sym->name : NULL, sym ? f->offset - sym->start : 0, line,
			     is_inlined, b);
	strbuf_release(&text);
}

/* source: NULL when nothing is known of it. */
static void render_one(struct script *s, unsigned parts, const struct frame *f,
		       const struct symbol *sym, const struct source_frame *source,
		       struct strbuf *b)
{
	bool object_offset = f->image && !image_get(session_images(s->session), f->image)->kernel;
	bool is_inlined = source && source->is_inlined;
	struct symbol shown;

	if (is_inlined) { /* it has the place of the function around it */
		shown = sym ? *sym : (struct symbol){ .name = "[unknown]" };
		shown.name = source->function ? source->function : shown.name;
	}
	if (parts & (LINE_JSON | LINE_TSV)) {
		render_row(s, parts, f, is_inlined ? &shown : sym, source, is_inlined, b);
		return;
	}
	if (parts & LINE_IP) {
		if (parts & LINE_CHAIN)
			strbuf_char(b, '\t');
		strbuf_hex_pad(b, parts & LINE_CHAIN && object_offset ? f->offset : f->addr, 16);
	}
	if (parts & LINE_SYM) {
		strbuf_char(b, ' ');
		add_symbol(is_inlined ? &shown : sym, f->offset, parts & LINE_SYMOFF, b);
	}
	if (parts & LINE_DSO && !is_inlined)
		add_dso_part(s, parts, f, b);
	if (parts & LINE_SRCLINE)
		script_add_source_line(s, f, sym, source, b);
	if (is_inlined)
		strbuf_str(b, " (inlined)");
	if (parts & LINE_CHAIN)
		strbuf_char(b, '\n');
}

static bool shows_inlines(unsigned parts, const struct frame *f)
{
	return parts & LINE_INLINES && f->cpumode == PERF_RECORD_MISC_USER;
}

static bool stops_at(const struct script *s, const char *name)
{
	return name && strlist_has(&s->o->stop_at, name);
}

static void render(struct script *s, unsigned parts, const struct frame *f, struct line *line,
		   struct strbuf *b)
{
	enum { MOST = 64 }; /* how deep functions may be inlined into one another */
	struct source_frame frames[MOST];
	const struct symbol *sym = NULL;
	u64 offset = f->offset - before_return(s, f);
	u32 count = 0;

	if (parts & (LINE_SYM | LINE_SRCLINE) || s->o->stop_at.list.count)
		sym = script_symbol_at(s, f->image, offset);
	if (parts & LINE_SRCLINE || shows_inlines(parts, f))
		count = script_source_frames(s, f, offset, frames, MOST);
	for (u32 i = 0; shows_inlines(parts, f) && i + 1 < count && !line->stop; i++) {
		render_one(s, parts, f, sym, &frames[i], b);
		line->stop = stops_at(s, frames[i].function);
	}
	if (line->stop)
		return;
	/* if only one line is shown, it is that of the address itself */
	if (count && !shows_inlines(parts, f))
		frames[0].is_inlined = false;
	render_one(s, parts, f, sym,
		   !count ? NULL : &frames[shows_inlines(parts, f) ? count - 1 : 0], b);
	line->stop = sym && stops_at(s, sym->name);
}

static const struct line *line_of(struct script *s, struct line_table *t, frame_id id)
{
	struct line *line;

	while (unlikely(t->lines.count <= id)) {
		size_t old = t->lines.count, more = MAX((size_t)id + 1 - old, old);

		vec_reserve(&t->lines, old + more);
		memset(t->lines.items + old, 0, more * sizeof(*t->lines.items));
		t->lines.count = old + more;
	}
	line = &t->lines.items[id];
	if (unlikely(!line->len)) {
		line->at = t->text.len;
		render(s, t->parts, chain_frame(s->chains, id), line, &t->text);
		line->len = (u32)(t->text.len - line->at);
	}
	return line;
}

void script_add_frame(struct script *s, struct line_table *t, frame_id id, struct strbuf *b)
{
	const struct line *line = line_of(s, t, id);

	strbuf_add(b, t->text.s + line->at, line->len);
}

enum { LINES_AHEAD = 16, TEXTS_AHEAD = 6 };

static inline void fetch_line(const struct line_table *t, frame_id id)
{
	if (id < t->lines.count)
		__builtin_prefetch(&t->lines.items[id]);
}

static inline void fetch_text(const struct line_table *t, frame_id id)
{
	const char *text;

	if (id >= t->lines.count)
		return;
	text = t->text.s + t->lines.items[id].at;
	__builtin_prefetch(text);
	__builtin_prefetch(text + 64);
}

/* The lines of a chain lie here and there: where they are, and then their texts, is asked for from memory ahead. */
void script_add_frames(struct script *s, struct line_table *t, const frame_id *frames,
		       size_t count, struct strbuf *b)
{
	for (size_t i = 0; i < MIN(count, (size_t)LINES_AHEAD); i++)
		fetch_line(t, frames[i]);
	for (size_t i = 0; i < MIN(count, (size_t)TEXTS_AHEAD); i++)
		fetch_text(t, frames[i]);
	for (size_t i = 0; i < count; i++) {
		const struct line *line;

		if (i + LINES_AHEAD < count)
			fetch_line(t, frames[i + LINES_AHEAD]);
		if (i + TEXTS_AHEAD < count)
			fetch_text(t, frames[i + TEXTS_AHEAD]);
		line = line_of(s, t, frames[i]);
		strbuf_add(b, t->text.s + line->at, line->len);
		if (unlikely(line->stop))
			break;
	}
}

frame_id script_frame_of(struct script *s, u64 addr, u8 cpumode, const struct location *l)
{
	struct frame f = {
		.addr = addr, .offset = l->image ? l->offset : addr, .image = l->image,
		.cpumode = cpumode, .symbol = NO_SYMBOL,
	};

	return frame_add(s->chains, &f);
}
