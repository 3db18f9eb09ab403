// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms as plain text. */
#include "ui/stdio/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/self_profile.h"
#include "base/text_table.h"
#include "cli/color.h"

u32 stdio_cells_of(const struct stdio_layout *l, const struct hist_field *f)
{
	return f->column->flags & HIST_PER_MEMBER ? l->v->member_count : 1;
}

/* Gives a copy its own buffers for what a thread writes. */
static void stdio_layout_fork(struct stdio_layout *l)
{
	l->cell = (struct strbuf)STRBUF_INIT;
	l->percents = xcalloc(l->count + 1, sizeof(*l->percents));
}

static void stdio_layout_join(struct stdio_layout *l)
{
	strbuf_release(&l->cell);
	free(l->percents);
}

/*
 * How many entries a thread formats at a time, and how many such pieces are kept until they are
 * written.
 */
enum { PIECE = 256, ROUND = 64 };

/*
 * Reports whether threads may draw the rows. Source lines are looked up while they are drawn, which
 * only one thread may do.
 */
static bool by_pieces(const struct hist_view *v)
{
	const struct call_graph_settings *g = &hist_settings(v->hist)->graph;

	return v->entry_count > PIECE && !g->by_address && !g->by_line;
}

static size_t pieces_of(const struct hist_view *v)
{
	return (v->entry_count + PIECE - 1) / PIECE;
}

static size_t measured_entries(const struct stdio_layout *l)
{
	return l->set->measured ? l->set->measured : l->v->entry_count;
}

static bool is_last(const struct stdio_layout *l, size_t i)
{
	while (++i < l->count)
		if (hist_field_shown(l->v, &l->fields[i]))
			return false;
	return true;
}

/* Measures the columns: as wide as the widest text; -w applies to heads and cells. */
static void measure(struct stdio_layout *l)
{
	size_t shown = 0;

	for (size_t i = 0; i < l->count; i++) {
		const struct hist_field *f = &l->fields[i];
		int head = (int)strlen(hist_header(l->v->hist, f));
		int width = MAX(head, f->column->min_width);

		if (!hist_field_shown(l->v, f))
			continue;
		if (shown < l->set->width_count)
			l->asked[i] = (int)l->set->widths[shown];
		shown++;
		if (stdio_is_value(f)) {
			/*
			 * a percentage is not cut: the columns after it would move from row to row
			 */
			if (f->column->flags & HIST_PERCENT)
				head = MAX(head, f->column->min_width);
			l->width[i] = l->asked[i] ? MAX(l->asked[i], head) : width;
			continue;
		}
		l->width[i] =
			l->asked[i]
				? l->asked[i]
				: MAX(width, hist_widest(l->v, f, measured_entries(l), l->limit));
		/* its rows are not filled up */
		if (!l->asked[i] && f->column->flags & HIST_NO_PAD && is_last(l, i))
			l->width[i] = MIN(l->width[i], TEXT_TABLE_LAST_HEAD);
	}
}

/* Returns the column where the text of the symbol starts, or -1 if no symbol is shown. */
static int before_symbol(const struct stdio_layout *l, size_t *symbol)
{
	int columns = 0;

	for (*symbol = 0; *symbol < l->count; ++*symbol) {
		const struct hist_field *f = &l->fields[*symbol];

		if (!hist_field_shown(l->v, f))
			continue;
		columns += 2;
		if (f->column->flags & HIST_SYMBOL)
			return columns;
		columns += l->width[*symbol] * (int)stdio_cells_of(l, f);
	}
	return -1;
}

/*
 * Returns the widest key among the first fields that may become narrower, with whole heads or cut
 * ones, or count if there is none.
 */
static size_t widest_key(const struct stdio_layout *l, size_t count, bool whole_heads)
{
	enum { LEAST = 8 };
	size_t widest = count;

	for (size_t i = 0; i < count; i++) {
		const struct hist_field *f = &l->fields[i];
		int least =
			whole_heads ? MAX(LEAST, (int)strlen(hist_header(l->v->hist, f))) : LEAST;

		if (hist_field_shown(l->v, f) && !stdio_is_value(f) && l->width[i] > least &&
		    (widest == count || l->width[i] > l->width[widest]))
			widest = i;
	}
	return widest;
}

/*
 * Cuts the widest keys until the screen has room for 30 columns of the symbol; -w decides by
 * itself.
 */
static void fit_to_screen(struct stdio_layout *l)
{
	enum { SYMBOL = 30 };
	size_t symbol, key;
	int before = before_symbol(l, &symbol), over;

	if (before < 0 || !l->set->columns || l->set->width_count)
		return;
	over = before + MIN(l->width[symbol], SYMBOL) - l->set->columns;
	for (; over > 0; over--) {
		key = widest_key(l, symbol, true);
		if (key == symbol)
			key = widest_key(l, symbol, false);
		if (key == symbol)
			return;
		l->asked[key] = --l->width[key];
	}
}

void stdio_layout_init(struct stdio_layout *l, const struct stdio_settings *set,
		       const struct hist_view *v, double limit)
{
	*l = (struct stdio_layout){ .set = set, .v = v, .limit = limit };
	l->fields = hist_fields(v->hist, &l->count);
	l->width = xcalloc(l->count + 1, sizeof(*l->width));
	l->asked = xcalloc(l->count + 1, sizeof(*l->asked));
	l->percents = xcalloc(l->count + 1, sizeof(*l->percents));
	measure(l);
	fit_to_screen(l);
}

void stdio_layout_release(struct stdio_layout *l)
{
	stdio_layout_join(l);
	free(l->width);
	free(l->asked);
}

static bool is_right(const struct hist_field *f)
{
	return f->column->flags & (HIST_VALUE | HIST_RIGHT);
}

void stdio_put_quoted(struct strbuf *b, const char *text, size_t len, const char *sep)
{
	const char *begin = text;
	bool plain = true;

	for (size_t i = 0; i < len; i++)
		plain &= text[i] != *sep && text[i] != '"' && text[i] != '\n';
	if (plain) {
		while (len && *begin == ' ') {
			begin++;
			len--;
		}
		while (len && begin[len - 1] == ' ')
			len--;
		strbuf_add(b, begin, len);
		return;
	}
	strbuf_char(b, '"');
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"')
			strbuf_char(b, '"');
		strbuf_char(b, text[i]);
	}
	strbuf_char(b, '"');
}

void stdio_layout_head(const struct stdio_layout *l, struct strbuf *b)
{
	const char *sep = l->set->separator;
	bool first = true;

	for (size_t i = 0; i < l->count; i++) {
		const struct hist_field *f = &l->fields[i];
		const char *head = hist_header(l->v->hist, f);
		size_t len = strlen(head);

		if (!hist_field_shown(l->v, f))
			continue;
		if (!first)
			strbuf_str(b, sep ? sep : "  ");
		first = false;
		if (!stdio_is_value(f))
			len = MIN(len, (size_t)l->width[i]);
		if (sep)
			stdio_put_quoted(b, head, len, sep);
		else
			strbuf_aligned(b, head, len,
				       (is_right(f) ? 1 : -1) * l->width[i] *
					       (int)stdio_cells_of(l, f));
	}
}

static void put_heads(struct stdio_layout *l, struct strbuf *b)
{
	bool first = true;

	strbuf_str(b, "# ");
	stdio_layout_head(l, b);
	strbuf_char(b, '\n');
	if (l->set->separator)
		return;
	strbuf_char(b, '#');
	for (size_t i = 0; i < l->count; i++) {
		if (!hist_field_shown(l->v, &l->fields[i]))
			continue;
		strbuf_str(b, first ? " " : "  ");
		first = false;
		strbuf_pad(b, '.', l->width[i] * (int)stdio_cells_of(l, &l->fields[i]));
	}
	strbuf_str(b, "\n#\n");
}

static const char *value_color(const struct stdio_layout *l, const struct hist_field *f,
			       const struct hist_entry *e, u32 member)
{
	u64 of, value;

	if (!l->set->color || !(f->column->flags & HIST_PERCENT))
		return "";
	value = f->column->value(l->v, e, member, &of);
	return stdio_percent_color(of ? (double)value * 100.0 / (double)of : 0.0);
}

/* Adds the values of a group, each as a field. */
static void put_values(struct stdio_layout *l, const struct hist_field *f,
		       const struct hist_entry *e, struct strbuf *b)
{
	for (u32 m = 0; m < stdio_cells_of(l, f); m++) {
		if (m)
			strbuf_str(b, l->set->separator);
		strbuf_clear(&l->cell);
		f->column->format(l->v, f, e, m, &l->cell);
		stdio_put_quoted(b, strbuf_cstr(&l->cell), l->cell.len, l->set->separator);
	}
}

/*
 * Formats a value into l->cell. The text of a percentage depends only on the value, and is
 * formatted again only if that changes.
 */
static void format_value(struct stdio_layout *l, size_t i, const struct hist_entry *e, u32 m)
{
	const struct hist_field *f = &l->fields[i];
	struct stdio_percent *p = &l->percents[i];
	u64 of, value;

	strbuf_clear(&l->cell);
	if (!(f->column->flags & HIST_PERCENT)) {
		f->column->format(l->v, f, e, m, &l->cell);
		return;
	}
	value = f->column->value(l->v, e, m, &of);
	if (p->len && p->value == value && p->of == of) {
		strbuf_add(&l->cell, p->text, p->len);
		return;
	}
	f->column->format(l->v, f, e, m, &l->cell);
	*p = (struct stdio_percent){ .value = value, .of = of };
	if (l->cell.len <= sizeof(p->text)) {
		p->len = (u32)l->cell.len;
		memcpy(p->text, l->cell.s, l->cell.len);
	}
}

/* Adds " 12.34%", with at least one space in front, and right-aligned if there is a width. */
void stdio_put_value(struct stdio_layout *l, size_t i, const struct hist_entry *e, struct strbuf *b)
{
	const struct hist_field *f = &l->fields[i];
	int left = l->width[i] * (int)stdio_cells_of(l, f);

	if (l->set->separator) {
		put_values(l, f, e, b);
		return;
	}
	for (u32 m = 0; m < stdio_cells_of(l, f); m++) {
		const char *color = value_color(l, f, e, m);
		int blanks;

		format_value(l, i, e, m);
		blanks = MAX(l->width[i] - (int)l->cell.len, 1);
		strbuf_str(b, color);
		strbuf_pad(b, ' ', blanks);
		strbuf_add(b, l->cell.s, l->cell.len);
		strbuf_str(b, *color ? COLOR_RESET : "");
		left -= blanks + (int)l->cell.len;
	}
	strbuf_pad(b, ' ', left);
}

/* Adds a key left-aligned and uncut, so its text is made directly in b. */
static void put_whole_key(const struct stdio_layout *l, size_t i, const struct hist_entry *e,
			  bool last, struct strbuf *b)
{
	const struct hist_field *f = &l->fields[i];
	size_t start = b->len;

	f->column->format(l->v, f, e, 0, b);
	if (!(last && f->column->flags & HIST_NO_PAD))
		strbuf_pad(b, ' ', l->width[i] - text_columns(b->s + start, b->len - start));
}

void stdio_put_key(struct stdio_layout *l, size_t i, const struct hist_entry *e, bool last,
		   struct strbuf *b)
{
	const struct hist_field *f = &l->fields[i];
	size_t len;

	if (!l->asked[i] && !l->set->separator && !(f->column->flags & HIST_RIGHT)) {
		put_whole_key(l, i, e, last, b);
		return;
	}
	strbuf_clear(&l->cell);
	f->column->format(l->v, f, e, 0, &l->cell);
	len = l->cell.len;
	if (l->asked[i])
		len = text_fit(strbuf_cstr(&l->cell), len, l->asked[i]);
	if (l->set->separator) {
		stdio_put_quoted(b, strbuf_cstr(&l->cell), len, l->set->separator);
		return;
	}
	if (f->column->flags & HIST_RIGHT)
		strbuf_aligned(b, strbuf_cstr(&l->cell), len, l->width[i]);
	else
		strbuf_aligned(b, strbuf_cstr(&l->cell), len,
			       last && f->column->flags & HIST_NO_PAD ? 0 : -l->width[i]);
}

void stdio_layout_row(struct stdio_layout *l, const struct hist_entry *e, struct strbuf *b,
		      size_t *ends)
{
	const char *sep = l->set->separator;
	bool first = true;

	for (size_t i = 0; i < l->count; i++) {
		if (ends)
			ends[i] = b->len;
		if (!hist_field_shown(l->v, &l->fields[i]))
			continue;
		if (!sep)
			strbuf_str(b, "  ");
		else if (!first)
			strbuf_str(b, sep);
		first = false;
		if (stdio_is_value(&l->fields[i]))
			stdio_put_value(l, i, e, b);
		else
			stdio_put_key(l, i, e, is_last(l, i), b);
		if (ends)
			ends[i] = b->len;
	}
}

bool stdio_above_limit(const struct hist_view *v, const struct hist_entry *e)
{
	return hist_above_limit(v, e, hist_settings(v->hist)->percent_limit);
}

static void put_event_name(const struct hist_view *v, struct strbuf *b)
{
	const struct event *leader = v->members[0];
	bool forced = hist_settings(v->hist)->forced_group;

	if (v->member_count == 1) {
		strbuf_f(b, "event '%s'", leader->name);
		return;
	}
	strbuf_str(b, "events '");
	if (!forced)
		strbuf_f(b, "%s { ", leader->group_name ? leader->group_name : "anon group");
	for (u32 m = 0; m < v->member_count; m++)
		strbuf_f(b, "%s%s", m ? ", " : "", v->members[m]->name);
	strbuf_str(b, forced ? "'" : " }'");
}

u64 stdio_hist_event(const struct hist_view *v, struct strbuf *b)
{
	static const char units[] = " KMG";
	bool relative = hist_settings(v->hist)->relative;
	u64 samples = 0, period = 0;
	size_t unit = 0;

	for (u32 m = 0; m < v->member_count; m++) {
		const struct hist_totals *t = &v->totals[m];

		samples += relative ? t->shown_samples : t->samples;
		period += relative ? t->shown_period : t->period;
	}
	for (; samples > 1000 && unit < 3; unit++)
		samples /= 1000;
	strbuf_f(b, "Samples: %" PRIu64 "%c of ", samples, units[unit]);
	put_event_name(v, b);
	return period;
}

void stdio_hist_title(const struct hist_view *v, const char *times, struct strbuf *b)
{
	u64 period;

	strbuf_str(b, "# ");
	period = stdio_hist_event(v, b);
	if (times)
		strbuf_f(b, " (time slices: %s)", times);
	if (hist_settings(v->hist)->expansion == HIST_ACCESSES)
		strbuf_f(b, "\n# Total weight : %" PRIu64 "\n# Sort order   : %s\n#\n", period,
			 hist_sort_text(v->hist));
	else
		strbuf_f(b, "\n# Event count (approx.): %" PRIu64 "\n#\n", period);
}

struct stdio_layout *stdio_layout_new(const struct stdio_settings *set, const struct hist_view *v)
{
	struct stdio_layout *l = xcalloc(1, sizeof(*l));

	stdio_layout_init(l, set, v, 0);
	return l;
}

void stdio_layout_free(struct stdio_layout *l)
{
	if (!l)
		return;
	stdio_layout_release(l);
	free(l);
}

void stdio_picks(const struct hist_view *v, const struct hist_entry *e, struct strbuf *b)
{
	for (u32 i = 0; i < e->pick_count; i++) {
		const struct hist_pick *p = &e->picks[i];

		strbuf_pad(b, ' ', 12);
		strbuf_printable(b, hist_comm_text(v->hist, p->comm));
		strbuf_f(b, " %d", (s32)p->tid);
		if (p->cpu != UINT32_MAX)
			strbuf_f(b, " [%03u]", p->cpu);
		strbuf_f(b, " %" PRIu64 ".", p->time / 1000000000);
		if (hist_settings(v->hist)->nanoseconds)
			strbuf_f(b, "%09" PRIu64 ":\n", p->time % 1000000000);
		else
			strbuf_f(b, "%06" PRIu64 ":\n", p->time % 1000000000 / 1000);
	}
	if (e->pick_count)
		strbuf_char(b, '\n');
}

static void put_entry(struct stdio_layout *l, const struct hist_entry *e, struct strbuf *b)
{
	if (!stdio_above_limit(l->v, e))
		return;
	stdio_layout_row(l, e, b, NULL);
	strbuf_char(b, '\n');
	stdio_call_tree(l->set, l->v, e, b);
	stdio_picks(l->v, e, b);
}

struct drawing {
	const struct stdio_layout *l;
	size_t first; /* piece of this round */
	struct strbuf texts[ROUND];
};

static void draw_piece(void *arg, size_t piece)
{
	struct drawing *d = arg;
	struct stdio_layout own = *d->l;
	size_t from = (d->first + piece) * PIECE, end = MIN(from + PIECE, own.v->entry_count);
	/* beside those that other threads write simultaneously */
	struct strbuf text = d->texts[piece];

	stdio_layout_fork(&own);
	for (size_t i = from; i < end; i++) {
		hist_fetch_ahead(own.v, i);
		put_entry(&own, own.v->entries[i], &text);
	}
	stdio_layout_join(&own);
	d->texts[piece] = text;
}

static void draw_pieces(const struct stdio_layout *l, struct out *out)
{
	struct drawing *d = xcalloc(1, sizeof(*d));
	size_t pieces = pieces_of(l->v);

	d->l = l;
	for (; d->first < pieces; d->first += ROUND) {
		size_t count = MIN(pieces - d->first, (size_t)ROUND);

		hist_in_pieces(l->v->hist, count, draw_piece, d);
		for (size_t i = 0; i < count; i++) {
			strbuf_add(out_buf(out), d->texts[i].s, d->texts[i].len);
			strbuf_clear(&d->texts[i]);
			out_done(out);
		}
	}
	for (size_t i = 0; i < ROUND; i++)
		strbuf_release(&d->texts[i]);
	free(d);
}

void stdio_hist(const struct stdio_settings *set, const struct hist_view *v, struct out *out)
{
	struct stdio_layout l;

	phase_begin("widths of the columns");
	stdio_layout_init(&l, set, v, hist_settings(v->hist)->percent_limit);
	phase_end();
	if (!set->no_heads)
		put_heads(&l, out_buf(out));
	if (by_pieces(v))
		draw_pieces(&l, out);
	for (size_t i = 0; !by_pieces(v) && i < v->entry_count; i++) {
		put_entry(&l, v->entries[i], out_buf(out));
		out_done(out);
	}
	out_str(out, "\n\n");
	stdio_layout_release(&l);
}
