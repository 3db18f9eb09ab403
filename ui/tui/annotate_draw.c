// SPDX-License-Identifier: GPL-2.0-or-later
/* What the annotate screen shows: rows, their values, labels, arrows. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ui/stdio/annotate.h"
#include "ui/tui/annotate_browser.h"
#include "ui/tui/screen.h"

struct glyphs {
	const char *bar, *down, *up, *right, *left, *from_down, *from_up, *to_down, *to_up;
};

static const struct glyphs *glyphs(void)
{
	static const struct glyphs utf8 = { "│", "↓", "↑", "→", "←", "┌", "└", "└", "┌" };
	static const struct glyphs ascii = { "|", "v", "^", ">", "<", "+", "+", "+", "+" };

	return screen_utf8() ? &utf8 : &ascii;
}

const struct annotate_line *annotate_browser_line(const struct annotate_browser *b)
{
	return b->list.at < b->rows.count ? &b->n->lines[b->rows.items[b->list.at]] : NULL;
}

void annotate_browser_select(struct annotate_browser *b, u32 line)
{
	for (size_t i = 0; i < b->rows.count; i++) {
		if (b->rows.items[i] >= line) {
			list_select(&b->list, i);
			return;
		}
	}
}

static double annotate_browser_percent(const struct annotate_browser *b,
				       const struct annotate_line *l)
{
	double most = 0;

	for (u32 c = 0; c < b->n->columns; c++) {
		double v = annotation_percent(b->n, l, c, b->set->percent, b->set->all);

		most = v > most ? v : most;
	}
	return most;
}

static bool is_least(const struct annotate_browser *b, const struct annotate_line *l)
{
	return l->counts && annotate_browser_percent(b, l) >= b->set->least;
}

/*
 * Reports whether a line is above the least share. Source lines are shown for the instructions that
 * follow them.
 */
static bool is_above_least(const struct annotate_browser *b, u32 i)
{
	const struct annotate_line *lines = b->n->lines;

	if (b->set->least <= 0)
		return true;
	if (lines[i].kind == ANNOTATE_CODE)
		return is_least(b, &lines[i]);
	while (i < b->n->count && lines[i].kind != ANNOTATE_CODE)
		i++;
	for (; i < b->n->count && lines[i].kind == ANNOTATE_CODE; i++)
		if (is_least(b, &lines[i]))
			return true;
	return false;
}

/* Lists the lines to show, without the headings of a disassembly, which repeat the title. */
void annotate_browser_rows(struct annotate_browser *b, u32 line)
{
	b->rows.count = 0;
	for (u32 i = 0; i < b->n->count; i++) {
		const struct annotate_line *l = &b->n->lines[i];

		if ((l->kind == ANNOTATE_CODE || !b->set->no_source) && is_above_least(b, i))
			vec_push(&b->rows, i);
	}
	annotate_browser_select(b, line);
}

static int hottest_first(const void *pa, const void *pb, void *arg)
{
	const struct annotate_browser *b = arg;
	u32 x = *(const u32 *)pa, y = *(const u32 *)pb;
	double p = annotate_browser_percent(b, &b->n->lines[x]);
	double q = annotate_browser_percent(b, &b->n->lines[y]);

	if (p > q || p < q)
		return p > q ? -1 : 1;
	return x < y ? -1 : x > y;
}

void annotate_browser_hot(struct annotate_browser *b)
{
	b->hot.count = 0;
	for (u32 i = 0; i < b->n->count; i++)
		if (b->n->lines[i].counts)
			vec_push(&b->hot, i);
	if (b->hot.count)
		qsort_r(b->hot.items, b->hot.count, sizeof(*b->hot.items), hottest_first, b);
	b->hot_at = 0;
}

static void title(void *arg, struct strbuf *out)
{
	const struct annotate_browser *b = arg;

	strbuf_str(out, b->set->title);
}

static void head(void *arg, struct strbuf *out)
{
	const struct annotate_browser *b = arg;

	strbuf_printable(out, b->n->name);
	strbuf_str(out, "  ");
	strbuf_printable(out, b->n->object);
	strbuf_str(out, " [Percent: ");
	for (const char *p = annotate_percent_name(b->set->percent); *p; p++)
		strbuf_char(out, *p == '-' ? ' ' : *p);
	strbuf_str(out, b->n->has_cycles ? "] " : "]");
	stdio_put_ipc(b->n, out);
}

static u64 count(void *arg)
{
	const struct annotate_browser *b = arg;

	return b->rows.count;
}

static void put_values(const struct annotate_browser *b, const struct annotate_line *l,
		       struct strbuf *out)
{
	bool any = l->kind == ANNOTATE_CODE && l->counts && annotate_browser_percent(b, l) > 0;

	for (u32 c = 0; c < b->n->columns; c++) {
		if (b->set->show_period)
			any ? strbuf_f(out, "%11" PRIu64 " ", l->counts[c].period)
			    : strbuf_pad(out, ' ', 12);
		else if (b->set->show_samples)
			any ? strbuf_f(out, "%6" PRIu64 " ", l->counts[c].samples)
			    : strbuf_pad(out, ' ', 7);
		else if (any)
			strbuf_f(out, "%6.2f ",
				 annotation_percent(b->n, l, c, b->set->percent, b->set->all));
		else
			strbuf_pad(out, ' ', 7);
	}
	stdio_put_cycles(b->n, l, b->set->cycle_range, out);
}

static void put_value_head(const struct annotate_browser *b, struct strbuf *out)
{
	const struct tui_annotate *t = b->set;
	int width = (t->show_period ? 12 : 7) * (int)b->n->columns;

	strbuf_f(out, "%-*s", width,
		 t->show_period    ? "Period"
		 : t->show_samples ? "Samples"
				   : "Percent");
	stdio_put_cycles(b->n, NULL, t->cycle_range, out);
}

/*
 * Returns the part of the arrow from the selected jump to its target that is on this line, in the
 * space after the labels.
 */
static const char *jump_line(const struct annotate_browser *b, u32 line)
{
	const struct annotate_line *from = annotate_browser_line(b);
	u32 here, to;

	if (b->no_arrows || !from || from->kind != ANNOTATE_CODE || from->target_line == NO_LINE)
		return " ";
	here = b->rows.items[b->list.at];
	to = from->target_line;
	if (line == here)
		return to > here ? glyphs()->from_down : glyphs()->from_up;
	if (line == to)
		return to > here ? glyphs()->to_down : glyphs()->to_up;
	return line > MIN(here, to) && line < MAX(here, to) ? glyphs()->bar : " ";
}

/* Gives a colour to what was added since the last mark. */
static void mark(struct annotate_pieces *p, enum screen_color color, const struct strbuf *out)
{
	if (p->count < ARRAY_SIZE(p->list))
		p->list[p->count++] = (struct list_piece){ out->len, color };
}

static void put_label(const struct annotate_browser *b, const struct annotate_line *l, u32 line,
		      struct strbuf *out, struct annotate_pieces *p)
{
	int width = b->full_addresses || b->raw_text ? b->address_width : b->target_width;
	u64 place = b->full_addresses || b->raw_text ? l->address : l->offset;
	bool labelled = b->raw_text || b->offsets == OFFSET_ALL || l->jumps_here ||
			(b->offsets == OFFSET_CALLS && l->flow == FLOW_CALL);

	if (b->show_jumps && l->jumps_here)
		strbuf_f(out, "%*u ", b->jumps_width, l->jumps_here);
	else if (b->show_jumps)
		strbuf_pad(out, ' ', b->jumps_width + 1);
	mark(p, SCREEN_NORMAL, out);
	if (labelled)
		strbuf_f(out, "%*" PRIx64 ":", width, place);
	else
		strbuf_pad(out, ' ', width + 1);
	mark(p, SCREEN_ADDRESS, out);
	strbuf_str(out, jump_line(b, line));
	mark(p, SCREEN_ARROW, out);
}

static const char *arrow(const struct annotate_browser *b, const struct annotate_line *l)
{
	bool inside = l->target >= b->n->address && l->target < b->n->address + b->n->size;

	switch (l->flow) {
	case FLOW_JUMP:
	case FLOW_BRANCH:
		return !l->has_target           ? " "
		       : !inside                ? glyphs()->right
		       : l->target > l->address ? glyphs()->down
						: glyphs()->up;
	case FLOW_CALL:
		return glyphs()->right;
	case FLOW_RETURN:
		return glyphs()->left;
	default:
		return " ";
	}
}

static void put_code(const struct annotate_browser *b, const struct annotate_line *l, u32 line,
		     struct strbuf *out, struct annotate_pieces *p)
{
	put_label(b, l, line, out, p);
	if (b->set->asm_raw) {
		enum { SHOWN = 8 };

		for (u8 i = 0; i < MIN(l->size, SHOWN); i++)
			strbuf_f(out, "%02x ", l->bytes[i]);
		strbuf_pad(out, ' ', 3 * (SHOWN - MIN(l->size, SHOWN)));
		strbuf_str(out, l->size > SHOWN ? ".." : "  ");
	}
	if (b->raw_text) {
		strbuf_str(out, "  ");
		strbuf_str(out, l->text);
	} else {
		mark(p, SCREEN_NORMAL, out);
		strbuf_str(out, arrow(b, l));
		mark(p, SCREEN_ARROW, out);
		strbuf_char(out, ' ');
		stdio_code_text(b->n, l, b->name_width, out);
	}
	if (b->set->show_types && b->types && b->types[line])
		strbuf_str(out, b->types[line]);
}

static void put_text(const struct annotate_browser *b, const struct annotate_line *l, u32 line,
		     struct strbuf *out, struct annotate_pieces *p)
{
	int width = b->full_addresses || b->raw_text ? b->address_width : b->target_width;

	if (b->show_jumps)
		strbuf_pad(out, ' ', b->jumps_width + 1);
	if (b->show_numbers && l->kind == ANNOTATE_SOURCE && l->line)
		strbuf_f(out, "%-*u", width + 1, l->line);
	else
		strbuf_pad(out, ' ', width + 1);
	mark(p, SCREEN_NORMAL, out);
	strbuf_str(out, jump_line(b, line));
	mark(p, SCREEN_ARROW, out);
	strbuf_str(out, l->text);
}

void annotate_browser_text(const struct annotate_browser *b, u64 row, struct strbuf *out,
			   struct annotate_pieces *p)
{
	u32 line = b->rows.items[row];
	const struct annotate_line *l = &b->n->lines[line];
	double percent = l->counts ? annotate_browser_percent(b, l) : 0;

	if (!row && !l->counts)
		put_value_head(b, out);
	else
		put_values(b, l, out);
	p->count = 0;
	mark(p, percent >= 5 ? SCREEN_HOT : percent > 0.5 ? SCREEN_WARM : SCREEN_NORMAL, out);
	strbuf_str(out, glyphs()->bar);
	if (l->kind == ANNOTATE_CODE)
		put_code(b, l, line, out, p);
	else
		put_text(b, l, line, out, p);
}

/*
 * Draws values, the bar and the text in pieces, since the characters between them have several
 * bytes.
 */
static void draw_row(const struct annotate_browser *b, const struct list *l, u64 row)
{
	struct strbuf text = STRBUF_INIT;
	struct annotate_pieces pieces;

	annotate_browser_text(b, row, &text, &pieces);
	list_colored_row(l, row, &text, pieces.list, pieces.count);
	strbuf_release(&text);
}

static void draw(void *arg, const struct list *l, u64 first, u64 n)
{
	for (u64 i = first; i < first + n; i++)
		draw_row(arg, l, i);
}

const struct list_ops annotate_ops = { .title = title, .head = head, .count = count, .draw = draw };
