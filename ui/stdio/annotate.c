// SPDX-License-Identifier: GPL-2.0-or-later
/* perf annotate --stdio and --stdio2. */
#include "ui/stdio/annotate.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/vec.h"
#include "cli/color.h"
#include "cli/config.h"
#include "ui/stdio/hist.h"

/* Source lines of at most this share are not in the summary. */
#define SUMMARY_PERCENT 0.5
#define RULE_LENGTH     207 /* as long as perf's line of dashes */

static unsigned hex_width(u64 v)
{
	unsigned n = 1;

	while (v >>= 4)
		n++;
	return n;
}

static double percent_of(const struct stdio_annotate *s, const struct annotate_line *l, u32 column)
{
	return annotation_percent(s->n, l, column, s->percent, s->all);
}

static double most_of(const struct stdio_annotate *s, const struct annotate_line *l)
{
	double most = 0;

	for (u32 c = 0; c < s->n->columns; c++) {
		double v = percent_of(s, l, c);

		most = v > most ? v : most;
	}
	return most;
}

/* ---- summary of source lines ---- */

struct line_sum {
	char *name;
	double *percents;
	size_t order;
};

static int hottest_line(const void *pa, const void *pb, void *arg)
{
	const struct line_sum *a = pa, *b = pb;
	u32 columns = *(const u32 *)arg;

	for (u32 c = 0; c < columns; c++)
		if (a->percents[c] != b->percents[c])
			return a->percents[c] > b->percents[c] ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

struct line_sums {
	VEC(struct line_sum) list;
};

/* Adds up all instructions of each line, also those whose own share is small. */
static void add_lines(const struct stdio_annotate *s, struct line_sums *sums)
{
	struct strbuf name = STRBUF_INIT;
	struct strmap known = { 0 };
	u32 columns = s->n->columns;

	for (u32 i = 0; i < s->n->count; i++) {
		const struct annotate_line *l = &s->n->lines[i];
		bool added;
		u64 *slot;

		if (l->kind != ANNOTATE_CODE || most_of(s, l) <= 0)
			continue;
		strbuf_clear(&name);
		stdio_line_name(s->n, l, s->full_paths, &name);
		slot = strmap_put(&known, strbuf_cstr(&name), &added);
		if (added) {
			*slot = sums->list.count;
			vec_push(&sums->list, (struct line_sum){ xstrdup(strbuf_cstr(&name)),
								 xcalloc(columns, sizeof(double)),
								 sums->list.count });
		}
		for (u32 c = 0; c < columns; c++)
			sums->list.items[*slot].percents[c] += percent_of(s, l, c);
	}
	if (sums->list.count)
		qsort_r(sums->list.items, sums->list.count, sizeof(*sums->list.items), hottest_line,
			&columns);
	strmap_release(&known);
	strbuf_release(&name);
}

static double most_of_sum(const struct line_sum *sum, u32 columns)
{
	double most = 0;

	for (u32 c = 0; c < columns; c++)
		most = sum->percents[c] > most ? sum->percents[c] : most;
	return most;
}

static void print_sum(const struct stdio_annotate *s, const struct line_sum *sum, double most,
		      struct out *out)
{
	const char *color;

	for (u32 c = 0; c < s->n->columns; c++) {
		color = s->color ? stdio_percent_color(sum->percents[c]) : "";
		out_f(out, "%s %7.2f%s", color, sum->percents[c], *color ? COLOR_RESET : "");
	}
	color = s->color ? stdio_percent_color(most) : "";
	out_f(out, "%s %s%s\n", color, sum->name, *color ? COLOR_RESET : "");
}

static void print_summary(const struct stdio_annotate *s, struct out *out)
{
	struct line_sums sums = { VEC_INIT };
	bool any = false;

	add_lines(s, &sums);
	out_str(out, "\nSorted summary for file ");
	strbuf_printable(out_buf(out), s->n->object);
	out_str(out, "\n");
	out_str(out, "----------------------------------------------\n\n");
	vec_for_each(&sums.list, sum) {
		double most = most_of_sum(sum, s->n->columns);

		if (most > SUMMARY_PERCENT)
			print_sum(s, sum, most, out);
		any |= most > SUMMARY_PERCENT;
		free(sum->name);
		free(sum->percents);
	}
	if (!any)
		out_f(out, " Nothing higher than %1.1f%%\n", SUMMARY_PERCENT);
	vec_release(&sums.list);
}

/* ---- --stdio ---- */

static const char *value_head(const struct stdio_annotate *s)
{
	return s->show_period ? "Period" : s->show_samples ? "Samples" : "Percent";
}

static void percent_words(const struct stdio_annotate *s, struct strbuf *b)
{
	for (const char *p = annotate_percent_name(s->percent); *p; p++)
		strbuf_char(b, *p == '-' ? ' ' : *p);
}

static void print_head(const struct stdio_annotate *s, struct out *out)
{
	struct strbuf *b = out_buf(out);
	size_t from = b->len, len;
	int width = (s->show_period ? 12 : 8) * (int)s->n->columns;

	strbuf_f(b, " %-*.*s|\tSource code & Disassembly of ", width, width, value_head(s));
	strbuf_printable(b, s->full_paths ? s->n->object : path_base(s->n->object));
	strbuf_f(b, " for %s (%" PRIu64 " samples, percent: ", s->event, s->samples);
	percent_words(s, b);
	strbuf_str(b, ")\n");
	len = b->len - from;
	strbuf_pad(b, '-', (int)MIN(len, RULE_LENGTH) + 4);
	strbuf_char(b, '\n');
}

static void put_values(const struct stdio_annotate *s, const struct annotate_line *l,
		       struct strbuf *b)
{
	static const struct annotate_count none;

	for (u32 c = 0; c < s->n->columns; c++) {
		const struct annotate_count *count = l->counts ? &l->counts[c] : &none;
		double percent;
		const char *color;

		/* most lines of most functions */
		if (!l->counts && !s->show_period && !s->show_samples) {
			strbuf_str(b, "    0.00");
			continue;
		}
		percent = percent_of(s, l, c);
		color = s->color ? stdio_percent_color(percent) : "";
		strbuf_str(b, color);
		if (s->show_period)
			strbuf_f(b, " %11" PRIu64, count->period);
		else if (s->show_samples)
			strbuf_f(b, " %7" PRIu64, count->samples);
		else
			strbuf_f(b, " %7.2f", percent);
		strbuf_str(b, *color ? COLOR_RESET : "");
	}
}

static void put_line_name(const struct stdio_annotate *s, const struct annotate_line *l,
			  char **last, struct strbuf *b)
{
	struct strbuf name = STRBUF_INIT;
	double most = most_of(s, l);
	const char *color;

	if (!s->print_line || most <= SUMMARY_PERCENT)
		return;
	stdio_line_name(s->n, l, s->full_paths, &name);
	if (*last && !strcmp(*last, strbuf_cstr(&name))) {
		strbuf_release(&name);
		return;
	}
	color = s->color ? stdio_percent_color(most) : "";
	strbuf_f(b, "%s // %s%s", color, strbuf_cstr(&name), *color ? COLOR_RESET : "");
	free(*last);
	*last = strbuf_detach(&name);
}

static void print_code(const struct stdio_annotate *s, const struct annotate_line *l,
		       int addr_width, char **last, struct out *out)
{
	static const struct annotate_line empty = { .kind = ANNOTATE_CODE };
	struct strbuf *b = out_buf(out);
	u32 rows = s->asm_raw ? stdio_raw_lines(l) : 1;

	for (u32 row = 0; row < rows; row++) {
		put_values(s, row ? &empty : l, b);
		strbuf_str(b, " :   ");
		strbuf_hex_pad(b, l->address + row * 7u, addr_width);
		strbuf_char(b, ':');
		strbuf_pad(b, ' ', 8 - (int)((hex_width(l->address) + 1) % 8)); /* objdump's tab */
		if (s->asm_raw)
			stdio_raw_text(l, row, b);
		else
			strbuf_str(b, l->text);
		if (!row)
			put_line_name(s, l, last, b);
		if (!row && s->note)
			s->note(s->note_arg, s->n, (u32)(l - s->n->lines), b);
		strbuf_char(b, '\n');
	}
}

/* Prints a line that is not code. */
static void print_text(const struct annotate_line *l, int width, int addr_width, struct strbuf *b)
{
	size_t from;

	strbuf_pad(b, ' ', width + 1);
	strbuf_char(b, ':');
	if (l->text[0]) {
		strbuf_char(b, ' ');
		from = b->len;
		strbuf_dec(b, l->number);
		strbuf_pad(b, ' ', addr_width - (int)(b->len - from));
		strbuf_char(b, ' ');
		strbuf_str(b, l->text);
	}
	strbuf_char(b, '\n');
}

static bool is_least(const struct stdio_annotate *s, const struct annotate_line *l)
{
	return l->counts && most_of(s, l) >= s->least;
}

/* Reports whether a line is shown. Source lines are shown for the instructions that follow them. */
static bool is_shown(const struct stdio_annotate *s, u32 i)
{
	const struct annotate_line *lines = s->n->lines;

	if (s->least <= 0)
		return true;
	if (lines[i].kind == ANNOTATE_CODE)
		return is_least(s, &lines[i]);
	while (i < s->n->count && lines[i].kind != ANNOTATE_CODE)
		i++;
	for (; i < s->n->count && lines[i].kind == ANNOTATE_CODE; i++)
		if (is_least(s, &lines[i]))
			return true;
	return false;
}

void stdio_annotate(const struct stdio_annotate *s, char **last, struct out *out)
{
	int addr_width = (int)hex_width(s->n->address + (s->n->size ? s->n->size - 1 : 0));
	int width = (s->show_period ? 12 : 8) * (int)s->n->columns;

	if (s->print_line)
		print_summary(s, out);
	print_head(s, out);
	for (u32 i = 0; i < s->n->count; i++) {
		const struct annotate_line *l = &s->n->lines[i];

		if (!is_shown(s, i))
			continue;
		if (l->kind == ANNOTATE_CODE)
			print_code(s, l, addr_width, last, out);
		else
			print_text(l, width, addr_width, out_buf(out));
		out_done(out);
	}
}

/* ---- --stdio2 ---- */

struct layout2 {
	const struct stdio_annotate *s;
	u32 name_width;
	int value_width; /* the width of all columns together */
	int target_width;
	int jumps_width; /* of the numbers of jumps; 0: they are not shown */
	bool first;
};

void stdio_annotate2_configure(struct stdio_annotate *s, const struct context *ctx)
{
	s->full_addresses = !config_bool(ctx, "annotate.use_offset", true);
	s->show_numbers = config_bool(ctx, "annotate.show_linenr", false);
	s->show_jumps = config_bool(ctx, "annotate.show_nr_jumps", false);
	s->offset_level = (unsigned)MIN(config_u64(ctx, "annotate.offset_level", 1), 3);
}

static int jumps_width(const struct stdio_annotate *s)
{
	u32 most = 0;
	int width = 1;

	for (u32 i = 0; i < s->n->count; i++)
		most = MAX(most, s->n->lines[i].jumps_here);
	for (; most >= 10; most /= 10)
		width++;
	return s->show_jumps ? width + 1 : 0;
}

/* Adds "1 22: ": how many jumps lead to an instruction, and where it is. */
static void put_place2(const struct layout2 *y, const struct annotate_line *l, struct strbuf *b)
{
	const struct stdio_annotate *s = y->s;

	if (s->show_jumps && l->jumps_here)
		strbuf_f(b, "%*u ", y->jumps_width - 1, l->jumps_here);
	else
		strbuf_pad(b, ' ', y->jumps_width);
	if (s->full_addresses)
		strbuf_f(b, "%*" PRIx64 ": ", y->target_width, l->address);
	else if (l->jumps_here || s->offset_level > 2 ||
		 (s->offset_level == 2 && l->flow == FLOW_CALL))
		strbuf_f(b, "%*" PRIx64 ": ", y->target_width, l->offset);
	else
		strbuf_pad(b, ' ', y->target_width + 2);
}

static void put_values2(const struct layout2 *y, const struct annotate_line *l, struct strbuf *b)
{
	const struct stdio_annotate *s = y->s;

	if (l->kind != ANNOTATE_CODE || !l->counts || most_of(s, l) == 0) {
		strbuf_f(b, "%-*s", y->value_width, y->first ? value_head(s) : " ");
		stdio_put_cycles(s->n, y->first ? NULL : l, false, b);
		return;
	}
	for (u32 c = 0; c < s->n->columns; c++) {
		double percent = percent_of(s, l, c);
		const char *color = s->color ? stdio_percent_color(percent) : "";

		strbuf_str(b, color);
		if (s->show_period)
			strbuf_f(b, "%11" PRIu64 " ", l->counts[c].period);
		else if (s->show_samples)
			strbuf_f(b, "%6" PRIu64 " ", l->counts[c].samples);
		else
			strbuf_f(b, "%6.2f ", percent);
		strbuf_str(b, *color ? COLOR_RESET : "");
	}
	stdio_put_cycles(s->n, l, false, b);
}

static const char *arrow_of(const struct annotation *n, const struct annotate_line *l)
{
	bool inside = l->target >= n->address && l->target < n->address + n->size;

	switch (l->flow) {
	case FLOW_JUMP:
	case FLOW_BRANCH:
		if (!l->has_target)
			return "  ";
		return !inside ? "→ " : l->target > l->address ? "↓ " : "↑ ";
	case FLOW_CALL:
		return "→ ";
	case FLOW_RETURN:
		return "← ";
	default:
		return "  ";
	}
}

/* Adds the text, padded to a width. */
static void put_filled(struct strbuf *b, const struct strbuf *text, int width)
{
	strbuf_add(b, strbuf_cstr(text), text->len);
	strbuf_pad(b, ' ', width - text_columns(strbuf_cstr(text), text->len));
}

static void print_code2(const struct layout2 *y, const struct annotate_line *l, struct out *out)
{
	const struct stdio_annotate *s = y->s;
	struct strbuf *b = out_buf(out), text = STRBUF_INIT;
	int room = y->value_width + 3 + y->jumps_width + y->target_width + 2;
	u32 rows = s->asm_raw ? stdio_raw_lines(l) : 1;

	for (u32 row = 0; row < rows; row++) {
		strbuf_clear(&text);
		if (row)
			strbuf_pad(b, ' ', y->value_width + stdio_cycles_width(s->n, false));
		else
			put_values2(y, l, b);
		strbuf_char(b, ' ');
		if (!row && !s->asm_raw)
			put_place2(y, l, b);
		else
			strbuf_pad(b, ' ', y->jumps_width + y->target_width + 2);
		if (s->asm_raw) {
			strbuf_str(b, "  ");
			stdio_raw_text(l, row, &text);
		} else {
			strbuf_str(b, arrow_of(s->n, l));
		}
		if (!s->asm_raw && s->full_addresses) {
			stdio_operands_text(l, y->name_width, &text);
		} else if (!s->asm_raw) {
			stdio_code_text(s->n, l, y->name_width, &text);
		}
		if (!row && s->note)
			s->note(s->note_arg, s->n, (u32)(l - s->n->lines), &text);
		put_filled(b, &text, room);
		strbuf_char(b, '\n');
	}
	strbuf_release(&text);
}

/* Adds what comes before a source line: its number, or nothing. */
static void put_number2(const struct layout2 *y, const struct annotate_line *l, struct strbuf *b)
{
	int width = y->jumps_width + MAX(y->target_width, 1) + 2;

	if (y->s->show_numbers && l->kind == ANNOTATE_SOURCE && l->line)
		strbuf_f(b, "%-*u", width, l->line);
	else
		strbuf_pad(b, ' ', width);
}

void stdio_annotate2(const struct stdio_annotate *s, struct out *out)
{
	struct layout2 y = {
		.s = s,
		.name_width = stdio_name_width(s->n),
		.first = true,
		.value_width = (s->show_period ? 12 : 7) * (int)s->n->columns,
		.target_width =
			(int)hex_width(s->full_addresses ? s->n->address + s->n->size : s->n->size),
		.jumps_width = jumps_width(s),
	};
	struct strbuf *b = out_buf(out);

	for (u32 i = 0; i < s->n->count; i++) {
		const struct annotate_line *l = &s->n->lines[i];

		if (!is_shown(s, i))
			continue;
		int room = y.value_width + y.jumps_width + y.target_width + 1;

		if (l->kind == ANNOTATE_CODE) {
			print_code2(&y, l, out);
		} else {
			put_values2(&y, l, b);
			strbuf_char(b, ' ');
			if (!l->text[0] && y.first && s->n->has_cycles) {
				stdio_put_ipc(s->n, b);
			} else if (!l->text[0]) {
				strbuf_pad(b, ' ', y.value_width);
			} else {
				put_number2(&y, l, b);
				strbuf_aligned(b, l->text, strlen(l->text), -room);
			}
			strbuf_char(b, '\n');
		}
		y.first = false;
		out_done(out);
	}
}
