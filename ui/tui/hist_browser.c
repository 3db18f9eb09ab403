// SPDX-License-Identifier: GPL-2.0-or-later
/* What the report browser shows. */
#include "ui/tui/hist_browser.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "ui/tui/screen.h"

#define INDENT      3
#define MOST_PRINTS 8192

/* ---- rows ---- */

static enum screen_color heat(double percent)
{
	if (percent >= 5.0)
		return SCREEN_HOT;
	return percent > 0.5 ? SCREEN_WARM : SCREEN_NORMAL;
}

static double percent_of(u64 part, u64 of)
{
	return of ? (double)part * 100.0 / (double)of : 0.0;
}

static void put_value(const struct browser *b, const struct hist_row *row, struct strbuf *out)
{
	const struct call_graph_settings *g = &hist_settings(b->view->hist)->graph;
	u64 of = row->of ? row->of : hist_view_period(b->view, 0);

	if (g->value == CALL_GRAPH_PERIOD)
		strbuf_dec(out, row->tree->period);
	else if (g->value == CALL_GRAPH_COUNT)
		strbuf_dec(out, row->tree->samples);
	else
		strbuf_f(out, "%.2f%%", percent_of(row->tree->period, of));
	strbuf_char(out, ' ');
}

/* Adds the text of a branch. Returns where the value ends, or 0 without one. */
static size_t branch_text(const struct browser *b, const struct hist_row *row, struct strbuf *out)
{
	const struct hist *h = b->view->hist;
	frame_id id = row->tree->frames.items[row->frame];
	size_t value_end = 0;

	strbuf_pad(out, ' ', (int)row->indent * INDENT);
	strbuf_char(out, row->sign);
	strbuf_char(out, ' ');
	if (row->with_value) {
		put_value(b, row, out);
		value_end = out->len;
	}
	hist_frame_text(h, id, out);
	if (b->verbose) {
		const struct image *image = hist_frame_image(h, hist_frame(h, id));

		strbuf_char(out, ' ');
		strbuf_printable(out, image->name ? image->name : "[unknown]");
	}
	return value_end;
}

static void entry_text(struct browser *b, const struct hist_row *row, struct strbuf *out,
		       size_t *ends)
{
	if (b->set->hierarchy)
		ends[0] = stdio_hierarchy_row(b->layout, row->level, row->entry, out);
	else
		stdio_layout_row(b->layout, row->entry, out, ends);
	if (out->len)
		out->s[0] = row->sign;
}

/* Adds a row as it is shown. */
static void browser_row_text(struct browser *b, const struct hist_row *row, struct strbuf *out)
{
	size_t count, *ends;

	if (row->branch) {
		branch_text(b, row, out);
		return;
	}
	hist_fields(b->view->hist, &count);
	ends = xcalloc(count + 1, sizeof(*ends));
	entry_text(b, row, out, ends);
	free(ends);
}

/* Draws a row of a hierarchy. Its values have one colour, that of the entry's own share. */
static void draw_node(struct browser *b, const struct list *l, u64 number,
		      const struct hist_row *row, struct strbuf *text)
{
	struct list_piece piece = { .color = SCREEN_NORMAL };

	entry_text(b, row, text, &piece.end);
	piece.color = heat(percent_of(row->entry->self[0].period, hist_view_period(b->view, 0)));
	list_colored_row(l, number, text, &piece, 1);
}

static void draw_entry(struct browser *b, const struct list *l, u64 number,
		       const struct hist_row *row, struct strbuf *text)
{
	size_t count;
	const struct hist_field *fields = hist_fields(b->view->hist, &count);
	size_t *ends = xcalloc(count + 1, sizeof(*ends));
	struct list_piece *pieces = xcalloc(count + 1, sizeof(*pieces));

	entry_text(b, row, text, ends);
	for (size_t i = 0; i < count; i++) {
		u64 of, value;

		pieces[i] = (struct list_piece){ ends[i], SCREEN_NORMAL };
		if (!(fields[i].column->flags & HIST_PERCENT))
			continue;
		value = fields[i].column->value(b->view, row->entry, 0, &of);
		pieces[i].color = heat(percent_of(value, of));
	}
	list_colored_row(l, number, text, pieces, count);
	free(ends);
	free(pieces);
}

static void draw_branch(struct browser *b, const struct list *l, u64 number,
			const struct hist_row *row, struct strbuf *text)
{
	struct list_piece piece = { branch_text(b, row, text), SCREEN_NORMAL };

	piece.color = heat(percent_of(row->tree->period, hist_view_period(b->view, 0)));
	list_colored_row(l, number, text, &piece, piece.end ? 1 : 0);
}

static void draw(void *arg, const struct list *l, u64 first, u64 n)
{
	struct browser *b = arg;
	struct strbuf text = STRBUF_INIT;

	for (u64 i = first; i < first + n; i++) {
		struct hist_row row;

		hist_rows_at(b->rows, i, &row);
		strbuf_clear(&text);
		if (row.branch)
			draw_branch(b, l, i, &row, &text);
		else if (b->set->hierarchy)
			draw_node(b, l, i, &row, &text);
		else
			draw_entry(b, l, i, &row, &text);
	}
	strbuf_release(&text);
}

static u64 count(void *arg)
{
	const struct browser *b = arg;

	return hist_rows_count(b->rows);
}

static void put_crumbs(const struct browser *b, struct strbuf *out)
{
	vec_for_each(&b->crumbs, c)
		strbuf_f(out, ", %s", c->label);
	if (b->percent_limit > 0)
		strbuf_f(out, ", over %g%%", b->percent_limit);
	if (b->relative)
		strbuf_str(out, " [relative]");
	if (b->pinned)
		strbuf_str(out, " [order pinned]");
}

/* Adds the truth if the line has room for it. */
static void put_truth(const struct browser *b, struct strbuf *out)
{
	size_t before = out->len;

	if (!b->set->truth)
		return;
	strbuf_str(out, ", ");
	b->set->truth(b->set->arg, b->view, out);
	if (text_columns(out->s, out->len) > screen_columns())
		strbuf_truncate(out, before);
}

/* Adds the title. Where the line is too short, the zooms matter more than the count. */
void browser_title(void *arg, struct strbuf *out)
{
	const struct browser *b = arg;
	size_t name, with_count;
	u64 period;

	if (b->set->live) {
		struct strbuf zooms = STRBUF_INIT;

		put_crumbs(b, &zooms);
		b->set->live->title(b->set->arg, b->view, strbuf_cstr(&zooms), out);
		strbuf_release(&zooms);
		return;
	}
	period = stdio_hist_event(b->view, out);
	name = out->len;

	strbuf_f(out, ", Event count (approx.): %" PRIu64, period);
	with_count = out->len;
	put_crumbs(b, out);
	if (out->len != with_count && out->len > (size_t)screen_columns()) {
		strbuf_truncate(out, name);
		put_crumbs(b, out);
	}
	put_truth(b, out);
}

/* Returns how many rows fit between the title and the status line. */
static size_t rows_of_screen(void)
{
	return (size_t)MAX(screen_rows() - 2, 1);
}

/*
 * Lays out the columns. In a live table they are as wide as the rows down to the end of the screen
 * need, since rows that have almost faded away would keep them wide for minutes.
 */
static void lay_out(struct browser *b, int columns)
{
	b->draw = *b->set->draw;
	/* keys of a hierarchy are below each other, and -v shows all of them */
	b->draw.columns = b->set->hierarchy || b->verbose ? 0 : columns;
	b->draw.color = false; /* the screen has its own colours */
	if (b->set->live && !b->set->hierarchy)
		b->draw.measured = (size_t)b->list.top + rows_of_screen();
	stdio_layout_free(b->layout);
	b->layout = stdio_layout_new(&b->draw, b->view);
}

static void head(void *arg, struct strbuf *out)
{
	struct browser *b = arg;

	if ((b->draw.measured && b->list.top + rows_of_screen() > b->draw.measured) ||
	    (b->draw.columns && b->draw.columns != screen_columns()))
		lay_out(b,
			screen_columns()); /* it was scrolled, or the terminal has another size */
	if (b->no_heads)
		return;
	strbuf_str(out, "  ");
	if (b->set->hierarchy)
		stdio_hierarchy_head(b->layout, out);
	else
		stdio_layout_head(b->layout, out);
}

const struct list_ops hist_browser_ops = {
	.title = browser_title,
	.head = head,
	.count = count,
	.draw = draw,
};

bool browser_row(const struct browser *b, struct hist_row *row)
{
	if (b->list.at >= hist_rows_count(b->rows))
		return false;
	hist_rows_at(b->rows, b->list.at, row);
	return true;
}

/* ---- what is shown ---- */

static void select_entry(struct browser *b, const struct hist_entry *e)
{
	size_t index;

	if (e && hist_rows_find(b->rows, e, &index))
		list_select(&b->list, hist_rows_of_entry(b->rows, index));
	else
		b->list.at = b->list.top = 0;
}

void browser_narrow(struct browser *b, const struct hist_entry *keep)
{
	VEC(struct hist_zoom) zooms = VEC_INIT;
	struct hist_narrowing n = {
		.percent_limit = b->set->hierarchy ? 0 : b->percent_limit,
		.relative = b->relative,
		.sort_member = b->sort_member,
		.sums = b->set->hierarchy,
	};

	vec_for_each(&b->crumbs, c) {
		if (c->zoom.field)
			vec_push(&zooms, c->zoom);
		if (c->part)
			n.symbol_part = c->part;
	}
	n.zooms = zooms.items;
	n.zoom_count = zooms.count;
	if (b->set->live)
		b->set->live->limits(b->set->arg, &n.least_samples, &n.most_entries);
	if (b->pinned) {
		n.place = browser_place;
		n.place_arg = b;
	}
	hist_narrow(b->set->hist, &n);
	vec_release(&zooms);
	hist_rows_limit(b->rows, b->percent_limit);
	hist_rows_show(b->rows, b->view);
	select_entry(b, keep);
	lay_out(b, screen_columns());
}

/* ---- into a file ---- */

static int print_to(struct browser *b, int fd)
{
	struct out out;
	struct strbuf *text;
	u64 rows = hist_rows_count(b->rows);

	out_init(&out, fd);
	text = out_buf(&out);
	browser_title(b, text);
	strbuf_char(text, '\n');
	if (!b->no_heads) {
		head(b, text);
		strbuf_char(text, '\n');
	}
	for (u64 i = 0; i < rows; i++) {
		struct hist_row row;
		struct strbuf line = STRBUF_INIT;

		hist_rows_at(b->rows, i, &row);
		browser_row_text(b, &row, &line);
		strbuf_add(text, strbuf_cstr(&line), line.len);
		strbuf_char(text, '\n');
		strbuf_release(&line);
		out_done(&out);
	}
	return out_release(&out);
}

void browser_print(struct browser *b)
{
	char name[32];
	int fd = -1, err;

	for (int i = 0; i < MOST_PRINTS && fd < 0; i++) {
		snprintf(name, sizeof(name), "perf.hist.%d", i);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0) {
		list_say(&b->list, "cannot write %s: %s", name, strerror(errno));
		return;
	}
	lay_out(b, 0); /* a file has room for all of it */
	err = print_to(b, fd);
	lay_out(b, screen_columns());
	if (close(fd) && !err)
		err = -errno;
	if (err)
		list_say(&b->list, "cannot write %s: %s", name, strerror(-err));
	else
		list_say(&b->list, "%s written!", name);
}

/* ---- search ---- */

/*
 * Selects the first row from start on that contains the searched text, wrapping around at the end.
 * Returns false if there is none.
 */
static bool find(struct browser *b, u64 start)
{
	u64 rows = hist_rows_count(b->rows);
	struct strbuf text = STRBUF_INIT;
	bool found = false;

	for (u64 i = 0; i < rows && !found; i++) {
		u64 number = (start + i) % rows;
		struct hist_row row;
		frame_id id;

		hist_rows_at(b->rows, number, &row);
		id = row.branch ? row.tree->frames.items[row.frame] : row.entry->frame;
		strbuf_clear(&text);
		hist_frame_text(b->view->hist, id, &text);
		found = strcasestr(strbuf_cstr(&text), strbuf_cstr(&b->search)) != NULL;
		if (found)
			list_select(&b->list, number);
	}
	strbuf_release(&text);
	return found;
}

/* Handles one key of a search. Returns false if the search has ended. */
static bool search_key(struct browser *b, int key, u64 start, bool *found)
{
	u64 from = start;

	if (key == KEY_CTRL('s'))
		from = b->list.at + 1;
	else if (key == KEY_BACKSPACE && b->search.len)
		strbuf_truncate(&b->search, b->search.len - 1);
	else if (key >= ' ' && key < 256)
		strbuf_char(&b->search, (char)key);
	else if (key != KEY_RESIZE)
		return false;
	if (b->search.len && key != KEY_RESIZE)
		*found = find(b, from);
	return true;
}

void browser_search(struct browser *b)
{
	u64 start = b->list.at;
	bool found = true;
	int key;

	strbuf_clear(&b->search);
	do {
		list_say(&b->list, "Search: %s%s  (Ctrl-S: next, ENTER: stay here, ESC: go back)",
			 strbuf_cstr(&b->search), found ? "" : " [not found]");
		list_draw(&b->list);
		key = screen_key(-1);
	} while (search_key(b, key, start, &found));
	list_release(&b->list);
	if (key == KEY_ESC)
		list_select(&b->list, start);
	else
		list_move(&b->list, key);
}
