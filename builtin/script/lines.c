// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames as text, rendered once for each frame and style of line.
 *
 * Addresses: in a chain a user's address is shown as its offset in the object and the kernel's
 * unchanged; alone, as it was recorded. Symbols are those that cover the address itself, also for
 * return addresses (perf 6.1's rule for frame-pointer chains) unless call sites are requested.
 * +offset always counts to the address as recorded, so it can be the size of the function.
 */
#include <stdlib.h>
#include <string.h>

#include "builtin/script/internal.h"

struct line_table *script_lines(struct script *s, unsigned parts)
{
	struct line_table *t;

	vec_for_each(&s->tables, it)
		if ((*it)->parts == parts)
			return *it;
	t = xcalloc(1, sizeof(*t));
	t->parts = parts;
	vec_push_zero(&t->tails);
	vec_push(&s->tables, t);
	return t;
}

void script_lines_release(struct script *s)
{
	vec_for_each(&s->tables, it) {
		struct line_table *t = *it;

		vec_for_each(&t->blocks, block)
			free(*block);
		vec_release(&t->blocks);
		vec_release(&t->units);
		vec_release(&t->tails);
		map64_release(&t->tail_of);
		strbuf_release(&t->long_text);
		strbuf_release(&t->rendered);
		free(t);
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

/*
 * Reports whether the frame is looked up one byte before: its return address can be the start of
 * the next function.
 */
static u64 before_return(const struct script *s, const struct frame *f)
{
	return s->o->call_sites && f->is_return && f->offset;
}

static void add_dso_part(struct script *s, unsigned parts, const struct frame *f, struct strbuf *b)
{
	strbuf_add(b, " (", 2);
	script_add_dso(s, f->image, b);
	if (parts & LINE_DSOFF && f->image) {
		strbuf_add(b, "+0x", 3);
		strbuf_hex(b, f->offset);
	}
	strbuf_char(b, ')');
}

static void render_row(struct script *s, unsigned parts, const struct frame *f,
		       const struct symbol *sym, const struct source_frame *source, bool is_inlined,
		       struct strbuf *b)
{
	struct strbuf text = STRBUF_INIT;
	const char *line = NULL;

	if (parts & LINE_SRCLINE) {
		script_add_source_line(s, f, sym, source, &text);
		if (text.len) /* a line feed and two spaces come first */
			line = strbuf_cstr(&text) + strspn(strbuf_cstr(&text), "\n ");
	}
	script_add_row_frame(s, parts, f, sym ? sym->name : NULL, sym ? f->offset - sym->start : 0,
			     line, is_inlined, b);
	strbuf_release(&text);
}

/* Renders one function of a frame. source is NULL when it is unknown. */
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

/* Renders a frame. Returns true if nothing below it is shown. */
static bool render(struct script *s, unsigned parts, const struct frame *f, struct strbuf *b)
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
	for (u32 i = 0; shows_inlines(parts, f) && i + 1 < count; i++) {
		render_one(s, parts, f, sym, &frames[i], b);
		if (stops_at(s, frames[i].function))
			return true;
	}
	/* a single line is that of the address itself */
	if (count && !shows_inlines(parts, f))
		frames[0].is_inlined = false;
	render_one(s, parts, f, sym,
		   !count ? NULL : &frames[shows_inlines(parts, f) ? count - 1 : 0], b);
	return sym && stops_at(s, sym->name);
}

/* ---- lines that are kept ---- */

static const char LINE_BLANKS[16] = { '\t', ' ', ' ', ' ', ' ', ' ', ' ', ' ',
				      ' ',  ' ', ' ', ' ', ' ', ' ', ' ', ' ' };

/*
 * Adds how lines of frames in an image end and returns its number. Returns 0 if that is too long to
 * share: then each line includes it.
 */
static u32 add_tail(struct script *s, struct line_table *t, u32 image)
{
	struct strbuf text = STRBUF_INIT;
	struct line_tail tail = { .len = 0 };

	if (t->tails.count > MOST_TAILS || !(t->parts & LINE_DSO) ||
	    t->parts & (LINE_JSON | LINE_TSV))
		return 0;
	strbuf_add(&text, " (", 2);
	script_add_dso(s, image, &text);
	strbuf_str(&text, t->parts & LINE_CHAIN ? ")\n" : ")");
	if (text.len <= TAIL_TEXT) {
		tail.len = (u32)text.len;
		memcpy(tail.text, text.s, text.len);
		vec_push(&t->tails, tail);
	}
	strbuf_release(&text);
	return tail.len ? (u32)t->tails.count - 1 : 0;
}

static u32 tail_of(struct script *s, struct line_table *t, u32 image)
{
	bool added;
	u64 *tail = map64_put(&t->tail_of, image, &added);

	if (added)
		*tail = add_tail(s, t, image);
	return (u32)*tail;
}

static u8 count_blanks(const char *text, size_t n)
{
	u8 i = 0;

	while (i < sizeof(LINE_BLANKS) && i < n && text[i] == LINE_BLANKS[i])
		i++;
	return i;
}

static inline struct kept_line *kept_at(const struct line_table *t, u32 unit)
{
	return (struct kept_line *)(t->blocks.items[unit / UNITS_OF_BLOCK] +
				    (size_t)unit % UNITS_OF_BLOCK * LINE_UNIT);
}

/* Takes one unit, or two that share a cache line. Returns the number of the first. */
static u32 take_units(struct line_table *t, u32 count)
{
	u32 at = t->used ? t->used : 1;

	at += at % count;
	if (at / UNITS_OF_BLOCK >= t->blocks.count)
		vec_push(&t->blocks, xcalloc_apart(UNITS_OF_BLOCK, LINE_UNIT));
	t->used = at + count;
	return at;
}

/* Keeps the rendered line in one unit or two, or elsewhere. Returns the unit. */
static u32 keep_line(struct script *s, struct line_table *t, u32 image, bool stop)
{
	const struct strbuf *b = &t->rendered;
	const char *text = strbuf_cstr(b);
	size_t n = b->len;
	u32 tail = tail_of(s, t, image), unit;
	const struct line_tail *end = &t->tails.items[tail];
	struct kept_line line = { .state = stop ? LINE_STOP : 0 };
	struct long_line elsewhere = { .at = t->long_text.len };

	if (n >= end->len && !memcmp(text + n - end->len, end->text, end->len)) {
		line.tail = (u8)tail;
		n -= end->len;
	}
	line.blanks = count_blanks(text, n);
	text += line.blanks;
	n -= line.blanks;
	if (n > 2 * LINE_UNIT - LINE_HEAD) {
		strbuf_add(&t->long_text, text, n);
		elsewhere.len = (u32)n;
		text = (const char *)&elsewhere;
		n = sizeof(elsewhere);
		line.state |= LINE_LONG;
	}
	line.len = (u8)n;
	unit = take_units(t, n > LINE_UNIT - LINE_HEAD ? 2 : 1);
	*kept_at(t, unit) = line;
	memcpy(kept_at(t, unit)->text, text, n);
	return unit;
}

static __attribute__((noinline)) u32 make_line(struct script *s, struct line_table *t, frame_id id)
{
	const struct frame *f = chain_frame(s->chains, id);
	bool stop;

	if (t->units.count <= id) {
		size_t old = t->units.count;

		vec_reserve(&t->units, (size_t)id + 1);
		t->units.count = t->units.space;
		memset(t->units.items + old, 0, (t->units.count - old) * sizeof(*t->units.items));
	}
	strbuf_clear(&t->rendered);
	stop = render(s, t->parts, f, &t->rendered);
	t->units.items[id] = keep_line(s, t, f->image, stop);
	return t->units.items[id];
}

/* Returns a frame's unit, or 0 if it is not known yet. */
static inline u32 unit_of(const struct line_table *t, frame_id id)
{
	return likely(id < t->units.count) ? t->units.items[id] : 0;
}

static inline const struct kept_line *line_of(struct script *s, struct line_table *t, frame_id id)
{
	u32 unit = unit_of(t, id);

	return kept_at(t, likely(unit) ? unit : make_line(s, t, id));
}

static void add_long(const struct line_table *t, const struct kept_line *line, struct strbuf *b)
{
	const struct line_tail *tail = &t->tails.items[line->tail];
	struct long_line l;

	memcpy(&l, line->text, sizeof(l));
	strbuf_add(b, LINE_BLANKS, line->blanks);
	strbuf_add(b, t->long_text.s + l.at, l.len);
	strbuf_add(b, tail->text, tail->len);
}

/*
 * Adds a line. Each part is copied with all the bytes that it may have, and what is too much is
 * overwritten by the next part.
 */
static inline void add_line(const struct line_table *t, const struct kept_line *line,
			    struct strbuf *b)
{
	enum { ONE = LINE_UNIT - LINE_HEAD, HALF_TAIL = TAIL_TEXT / 2 };
	const struct line_tail *tail = &t->tails.items[line->tail];
	char *to;

	if (unlikely(line->state & LINE_LONG)) {
		add_long(t, line, b);
		return;
	}
	to = strbuf_grow(b, sizeof(LINE_BLANKS) + 2 * LINE_UNIT + TAIL_TEXT);
	memcpy(to, LINE_BLANKS, sizeof(LINE_BLANKS));
	to += line->blanks;
	memcpy(to, line->text, ONE);
	if (line->len > ONE)
		memcpy(to + ONE, line->text + ONE, LINE_UNIT);
	to += line->len;
	memcpy(to, tail->text, HALF_TAIL);
	if (unlikely(tail->len > HALF_TAIL))
		memcpy(to + HALF_TAIL, tail->text + HALF_TAIL, HALF_TAIL);
	to += tail->len;
	b->len = (size_t)(to - b->s);
	*to = '\0';
}

void script_add_frame(struct script *s, struct line_table *t, frame_id id, struct strbuf *b)
{
	add_line(t, line_of(s, t, id), b);
}

enum { LINES_AHEAD = 24 };

/*
 * Loads a line's memory early. A prefetch would be dropped where the processor lacks the page's
 * translation.
 */
static inline void fetch_line(const struct line_table *t, frame_id id)
{
	u32 unit = unit_of(t, id);

	if (unit)
		(void)*(const volatile u8 *)kept_at(t, unit);
}

/* Adds the lines of a chain. They are scattered in memory, so each is loaded some frames ahead. */
void script_add_frames(struct script *s, struct line_table *t, const frame_id *frames, size_t count,
		       struct strbuf *b)
{
	for (size_t i = 0; i < MIN(count, (size_t)LINES_AHEAD); i++)
		fetch_line(t, frames[i]);
	for (size_t i = 0; i < count; i++) {
		const struct kept_line *line;

		if (i + LINES_AHEAD < count)
			fetch_line(t, frames[i + LINES_AHEAD]);
		line = line_of(s, t, frames[i]);
		add_line(t, line, b);
		if (unlikely(line->state & LINE_STOP))
			break;
	}
}

frame_id script_frame_of(struct script *s, u64 addr, u8 cpumode, const struct location *l)
{
	struct frame f = {
		.addr = addr,
		.offset = l->image ? l->offset : addr,
		.image = l->image,
		.cpumode = cpumode,
		.symbol = NO_SYMBOL,
	};

	return frame_add(s->chains, &f);
}
