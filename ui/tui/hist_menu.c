// SPDX-License-Identifier: GPL-2.0-or-later
/* The menu of a row in the report browser. */
#include <inttypes.h>

#include "ui/tui/hist_browser.h"
#include "ui/tui/menu.h"
#include "ui/tui/scripts.h"

const struct frame *browser_row_frame(const struct browser *b, const struct hist_row *row)
{
	return hist_frame(b->view->hist,
			  row->branch ? row->tree->frames.items[row->frame] : row->entry->frame);
}

static void map_details(struct browser *b, const struct hist_entry *e)
{
	const struct hist *h = b->view->hist;
	const struct frame *f = hist_frame(h, e->frame);
	const struct symbol_table *t = hist_frame_symbols(h, f);
	struct strbuf text = STRBUF_INIT, title = STRBUF_INIT;

	for (u32 i = 0; i < symbol_count(t); i++) {
		const struct symbol *s = symbol_get(t, symbol_first(t) + i);

		strbuf_f(&text, "%16" PRIx64 " %16" PRIx64 " ", s->start, symbol_end(s));
		strbuf_str(&text, s->name);
		strbuf_char(&text, '\n');
	}
	strbuf_printable(&title, hist_frame_image(h, f)->path);
	strbuf_f(&title, ", %u symbols", symbol_count(t));
	menu_text(strbuf_cstr(&title), strbuf_cstr(&text));
	strbuf_release(&text);
	strbuf_release(&title);
}

static void choose_sample(struct browser *b, const struct hist_entry *e, const char *title,
			  const char *text)
{
	struct strlist lines = { 0 };
	int chosen = 0;

	strlist_split(&lines, text, "\n");
	while (chosen >= 0 && lines.list.count) {
		chosen = menu_choose(title, NULL, &lines, (size_t)chosen);
		if (chosen >= 0 && (u32)chosen < e->pick_count)
			tui_show_around(b->set->ctx, b->set->file, e->picks[chosen].time);
	}
	strlist_release(&lines);
}

static void show_samples(struct browser *b, const struct hist_entry *e)
{
	struct strbuf text = STRBUF_INIT, title = STRBUF_INIT;

	stdio_picks(b->view, e, &text);
	strbuf_str(&title, "Samples of ");
	hist_frame_text(b->view->hist, e->frame, &title);
	if (b->set->file) {
		strbuf_str(&title, " (ENTER: what was sampled around it)");
		choose_sample(b, e, strbuf_cstr(&title), strbuf_cstr(&text));
	} else {
		menu_text(strbuf_cstr(&title), strbuf_cstr(&text));
	}
	strbuf_release(&text);
	strbuf_release(&title);
}

/* Returns one end of the entry's branch, or NULL if no such column is in use. */
static const struct frame *branch_end(const struct browser *b, const char *column,
				      const struct hist_entry *e)
{
	const struct hist_field *f = browser_field(b, 0, column);

	return f && e->key[f->slot] ? hist_frame(b->view->hist, (frame_id)(e->key[f->slot] - 1))
				    : NULL;
}

enum menu_do { DO_ANNOTATE, DO_ZOOM, DO_TOGGLE, DO_SAMPLES, DO_MAP, DO_FILE, DO_EXIT };

struct menu {
	struct strlist lines;
	VEC(enum menu_do) actions;
	VEC(const struct hist_field *) fields; /* DO_ZOOM; else NULL */
	VEC(const struct frame *) frames;      /* DO_ANNOTATE; else NULL */
};

static void add_item(struct menu *m, enum menu_do action, const struct hist_field *f,
		     struct strbuf *line)
{
	strlist_add(&m->lines, strbuf_cstr(line));
	vec_push(&m->actions, action);
	vec_push(&m->fields, f);
	vec_push(&m->frames, NULL);
	strbuf_clear(line);
}

static void add_annotate(struct browser *b, struct menu *m, const struct frame *x,
			 const char *which)
{
	struct strbuf line = STRBUF_INIT;

	if (!x || x->symbol == NO_SYMBOL)
		return;
	strbuf_str(&line, "Annotate ");
	strbuf_printable(&line, hist_frame_symbol(b->view->hist, x)->name);
	strbuf_str(&line, which);
	add_item(m, DO_ANNOTATE, NULL, &line);
	m->frames.items[m->frames.count - 1] = x;
	strbuf_release(&line);
}

/* Adds the menu's lines for annotating: a branch has two functions, unless it stays in one. */
static void add_annotates(struct browser *b, struct menu *m, const struct hist_row *row)
{
	const struct frame *from = branch_end(b, "symbol_from", row->entry);
	const struct frame *to = branch_end(b, "symbol_to", row->entry);

	if (row->branch || (!from && !to)) {
		add_annotate(b, m, browser_row_frame(b, row), "");
		return;
	}
	if (from && to && from->image == to->image && from->symbol == to->symbol) {
		add_annotate(b, m, from, "");
		return;
	}
	add_annotate(b, m, from, ", where it branched from");
	add_annotate(b, m, to, ", where it branched to");
}

static void add_zoom(struct browser *b, struct menu *m, const struct hist_field *f,
		     const struct hist_entry *e, const char *kind)
{
	struct strbuf line = STRBUF_INIT;
	bool inside = false;

	if (!f)
		return;
	vec_for_each(&b->crumbs, c)
		inside |= c->zoom.field == f;
	strbuf_str(&line, inside ? "Zoom out of " : "Zoom into ");
	browser_zoom_name(b, f, e, &line);
	strbuf_f(&line, " %s", kind);
	add_item(m, DO_ZOOM, f, &line);
	strbuf_release(&line);
}

static void add_toggle(struct browser *b, struct menu *m, const struct hist_row *row)
{
	struct strbuf line = STRBUF_INIT;

	if (row->sign == ' ')
		return;
	strbuf_str(&line, row->sign == '+' ? "Expand [" : "Collapse [");
	hist_frame_text(b->view->hist,
			row->branch ? row->tree->frames.items[row->frame] : row->entry->frame,
			&line);
	strbuf_str(&line, "] callchain (one level, as key '+')");
	add_item(m, DO_TOGGLE, NULL, &line);
	strbuf_release(&line);
}

static void fill_menu(struct browser *b, struct menu *m, const struct hist_row *row)
{
	const struct hist *h = b->view->hist;
	const struct hist_entry *e = row->entry;
	struct strbuf line = STRBUF_INIT;

	if (b->set->annotate)
		add_annotates(b, m, row);
	add_zoom(b, m, browser_thread_field(b), e, "thread");
	add_zoom(b, m, browser_field(b, HIST_DSO, NULL), e, "DSO");
	add_zoom(b, m, browser_field(b, HIST_SYMBOL, NULL), e, "symbol");
	add_zoom(b, m, browser_field(b, 0, "dso_from"), e, "source DSO");
	add_zoom(b, m, browser_field(b, 0, "symbol_from"), e, "source symbol");
	add_zoom(b, m, browser_field(b, 0, "dso_to"), e, "target DSO");
	add_zoom(b, m, browser_field(b, 0, "symbol_to"), e, "target symbol");
	add_zoom(b, m, browser_field(b, 0, "socket"), e, "processor socket");
	add_toggle(b, m, row);
	if (e->pick_count) {
		strbuf_f(&line, "Show %u of its samples", e->pick_count);
		add_item(m, DO_SAMPLES, NULL, &line);
	}
	if (symbol_count(hist_frame_symbols(h, hist_frame(h, e->frame)))) {
		strbuf_str(&line, "Browse map details");
		add_item(m, DO_MAP, NULL, &line);
	}
	if (!b->set->live) {
		strbuf_str(&line, "Switch to another data file in PWD");
		add_item(m, DO_FILE, NULL, &line);
	}
	strbuf_str(&line, "Exit");
	add_item(m, DO_EXIT, NULL, &line);
	strbuf_release(&line);
}

void browser_row_menu(void *arg, int key)
{
	struct browser *b = arg;
	struct menu m = { 0 };
	struct strbuf title = STRBUF_INIT;
	struct hist_row row;
	int i;

	(void)key;
	if (!browser_row(b, &row))
		return;
	fill_menu(b, &m, &row);
	hist_frame_text(b->view->hist, row.entry->frame, &title);
	i = menu_choose(strbuf_cstr(&title), NULL, &m.lines, 0);
	strbuf_release(&title);
	switch (i < 0 ? -1 : (int)m.actions.items[i]) {
	case DO_ANNOTATE:
		if (b->set->annotate(b->set->arg, b->view, m.frames.items[i]->image,
				     m.frames.items[i]->symbol))
			b->end = QUIT;
		break;
	case DO_ZOOM:
		browser_zoom(b, m.fields.items[i], row.first);
		break;
	case DO_TOGGLE:
		hist_rows_toggle(b->rows, b->list.at);
		break;
	case DO_SAMPLES:
		show_samples(b, row.entry);
		break;
	case DO_MAP:
		map_details(b, row.entry);
		break;
	case DO_FILE:
		browser_choose_file(b, key);
		break;
	case DO_EXIT:
		b->end = QUIT;
		break;
	}
	strlist_release(&m.lines);
	vec_release(&m.actions);
	vec_release(&m.fields);
	vec_release(&m.frames);
}
