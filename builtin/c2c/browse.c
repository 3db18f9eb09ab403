// SPDX-License-Identifier: GPL-2.0-or-later
/* perf c2c report on the terminal: the list of lines, and a page for each of them. */
#include <inttypes.h>

#include "builtin/c2c/internal.h"
#include "ui/tui/annotate.h"
#include "ui/tui/keys.h"
#include "ui/tui/list.h"
#include "ui/tui/menu.h"
#include "ui/tui/screen.h"
#include "ui/tui/search.h"

struct code;
struct page {
	struct code *code;
	struct c2c *c;
	struct c2c_view *v;
	const struct c2c_line *line; /* NULL: the list of all of them */
	struct c2c_table_view table;
	struct list list;
	struct list_search search;
	bool left, quit;
};

/* What all pages share of the functions that were opened. */
struct code {
	struct annotator *annotator; /* NULL: none was */
	char *search;
};

static u64 page_rows(const struct page *p)
{
	return p->line ? p->line->entries.count : p->v->lines->shown.count;
}

static void title(void *arg, struct strbuf *b)
{
	static const char *const sorted[] = {
		[C2C_TOTAL] = "Total HITMs",
		[C2C_LOCAL] = "Local HITMs",
		[C2C_REMOTE] = "Remote HITMs",
		[C2C_PEER] = "Peer Snoop",
	};
	const struct page *p = arg;

	if (p->line)
		strbuf_f(b, "Cacheline 0x%" PRIx64,
			 p->line->key.data & ~((u64)p->v->lines->line_size - 1));
	else
		strbuf_f(b, "Shared Data Cache Line Table     (%zu entries, sorted on %s)",
			 p->v->lines->shown.count, sorted[p->v->lines->display]);
}

static void head(void *arg, struct strbuf *b)
{
	const struct page *p = arg;

	c2c_table_head(&p->table, 0, b);
	strbuf_char(b, '\n');
	c2c_table_head(&p->table, 1, b);
}

static u64 row_count(void *arg)
{
	return page_rows(arg);
}

static void row_text(void *arg, u64 number, struct strbuf *b)
{
	struct page *p = arg;
	const struct c2c_row row = {
		p->line ? p->line : p->v->lines->shown.items[number],
		p->line ? p->line->entries.items[number] : NULL,
	};

	c2c_table_row(&p->table, p->v, &row, b);
}

static void draw(void *arg, const struct list *l, u64 first, u64 n)
{
	struct strbuf b = STRBUF_INIT;

	for (u64 i = first; i < first + n; i++) {
		strbuf_clear(&b);
		row_text(arg, i, &b);
		list_row(l, i, &b);
	}
	strbuf_release(&b);
}

static void layout(struct page *p)
{
	c2c_table_release(&p->table);
	if (p->line)
		c2c_entry_table(&p->table, p->v, false);
	else
		c2c_line_table(&p->table, p->v);
}

static bool has_rows(const void *arg)
{
	const struct page *p = arg;

	return !p->line && page_rows(p);
}

static bool page_rows_any(const void *arg)
{
	return page_rows(arg);
}

static bool is_inside(const void *arg)
{
	return ((const struct page *)arg)->line;
}

static void run_page(struct page *p);

static void open_line(void *arg, int key)
{
	struct page *p = arg;
	struct page inside = {
		.code = p->code, .c = p->c, .v = p->v, .line = p->v->lines->shown.items[p->list.at]
	};

	(void)key;
	run_page(&inside);
	p->quit = inside.quit;
}

static void toggle_nodes(void *arg, int key)
{
	struct page *p = arg;

	(void)key;
	p->v->nodes = (p->v->nodes + 1) % 3;
	layout(p);
}

static void toggle_names(void *arg, int key)
{
	struct page *p = arg;

	(void)key;
	p->v->full_symbols = !p->v->full_symbols;
	layout(p);
}

static const struct c2c_entry *selected(const struct page *p)
{
	return p->line && p->list.at < p->line->entries.count ? p->line->entries.items[p->list.at]
							      : NULL;
}

static void show_threads(void *arg, int key)
{
	struct page *p = arg;
	const struct c2c_line *line = p->line ? p->line : p->v->lines->shown.items[p->list.at];
	struct strbuf b = STRBUF_INIT;
	char *title = xasprintf("Threads that accessed cacheline 0x%" PRIx64,
				line->key.data & ~((u64)p->v->lines->line_size - 1));

	(void)key;
	side_threads(&p->c->side, line, &b);
	menu_text(title, strbuf_cstr(&b));
	free(title);
	strbuf_release(&b);
}

static void show_callers(void *arg, int key)
{
	struct page *p = arg;
	struct strbuf b = STRBUF_INIT;

	(void)key;
	if (selected(p))
		side_callers(&p->c->side, selected(p), "", &b);
	if (b.len)
		menu_text("Callers", strbuf_cstr(&b));
	else
		list_say(&p->list, p->c->side.callers.wanted ? "no call chain was recorded for this"
							     : "callers are collected with -g");
	strbuf_release(&b);
}

static void open_code(void *arg, int key)
{
	struct page *p = arg;
	const struct c2c_entry *e = selected(p);
	struct annotate_settings settings = p->c->code;
	u32 number = NO_SYMBOL, *events;
	struct tui_annotate t = {
		.ctx = p->c->a.ctx,
		.counts = p->c->side.counts,
		.title = "Memory accesses",
		.search = p->code->search,
	};

	(void)key;
	if (e && e->leaf.image)
		number = symbol_find(symbols_of(session_symbols(p->v->session), e->leaf.image),
				     e->leaf.offset);
	if (number == NO_SYMBOL) {
		list_say(&p->list, "this code has no symbol");
		return;
	}
	settings.counts = p->c->side.counts;
	if (!p->code->annotator)
		p->code->annotator = annotate_open(p->v->session, &settings);
	t.annotator = p->code->annotator;
	t.columns = (u32)p->c->side.all.count;
	t.all = p->c->side.all.items;
	t.events = events = xcalloc(t.columns, sizeof(*events));
	for (u32 i = 0; i < t.columns; i++)
		events[i] = i;
	p->quit = tui_annotate(&t, e->leaf.image, number) == ANNOTATE_QUIT;
	p->code->search = t.search;
	free(events);
}

static void show_totals(void *arg, int key)
{
	struct page *p = arg;
	struct strbuf b = STRBUF_INIT;
	bool stats = p->c->stats;

	(void)key;
	p->c->stats = true;
	c2c_print(p->c, p->v, &b);
	p->c->stats = stats;
	menu_text("Totals", strbuf_cstr(&b));
	strbuf_release(&b);
}

static void search(void *arg, int key)
{
	struct page *p = arg;

	if (key == 'N')
		list_search_next(&p->search, &p->list);
	else
		list_search_ask(&p->search, &p->list);
}

static void leave(void *arg, int key)
{
	struct page *p = arg;

	p->left = true;
	p->quit = key == KEY_CTRL('c') || key == KEY_GONE;
}

static void show_help(void *arg, int key);

static const struct key_row keys[] = {
	KEYS_OF_LIST("Rows"),
	{ { '/', KEY_CTRL('s') }, "search for a part of a row", NULL, NULL, search },
	{ { 'N' }, "the next row that has it", NULL, NULL, search },
	{ { KEY_ENTER, 'd', KEY_RIGHT },
	  "the accesses of the line, by offset",
	  NULL,
	  has_rows,
	  open_line },
	{ { 'n' },
	  "show the nodes' numbers, their shares, or their CPUs",
	  "Columns",
	  is_inside,
	  toggle_nodes },
	{ { 's' }, "names and source lines in full, or cut", NULL, is_inside, toggle_names },
	{ { 'a' },
	  "the code of the access, instruction by instruction",
	  "Places",
	  is_inside,
	  open_code },
	{ { 'c' }, "who called it (with -g)", NULL, is_inside, show_callers },
	{ { 'p' }, "the threads that accessed the line", NULL, page_rows_any, show_threads },
	{ { 't' }, "totals of all accesses", "Other", NULL, show_totals },
	{ { '?', 'h', KEY_F1 }, "this help", NULL, NULL, show_help },
	{ { 'q', KEY_ESC, KEY_CTRL('c'), KEY_GONE }, "back, or quit", NULL, NULL, leave },
};

static void show_help(void *arg, int key)
{
	(void)key;
	menu_keys(keys, ARRAY_SIZE(keys), arg);
}

static void run_page(struct page *p)
{
	static const struct list_ops ops = {
		.title = title, .head = head, .count = row_count, .draw = draw
	};

	p->list = (struct list){
		.ops = &ops,
		.arg = p,
		.status = p->line ? "? help  a code  c callers  p threads  n nodes  s names  / "
				    "search  q back"
				  : "? help  ENTER accesses of a line  p threads  t totals  / "
				    "search  q quit"
	};
	p->search = (struct list_search){ .row = row_text, .arg = p };
	layout(p);
	while (!p->left && !p->quit) {
		int key = list_key(&p->list);
		const struct key_row *row = keys_find(keys, ARRAY_SIZE(keys), key, p);

		if (row && row->run)
			row->run(p, key);
	}
	list_search_release(&p->search);
	list_release(&p->list);
	c2c_table_release(&p->table);
}

void c2c_browse(struct c2c *c, struct c2c_view *v)
{
	struct code code = { NULL, NULL };
	struct page p = { .code = &code, .c = c, .v = v };

	run_page(&p);
	annotator_free(code.annotator);
	free(code.search);
}
