// SPDX-License-Identifier: GPL-2.0-or-later
#include "ui/tui/menu.h"

#include <string.h>

#include "base/text.h"
#include "ui/tui/list.h"
#include "ui/tui/screen.h"
#include "ui/tui/search.h"

/* ---- lists of texts ---- */

struct text_list {
	const char *title, *head;
	const struct strlist *lines;
	struct wrapping *wrapping; /* NULL: lines longer than the screen are scrolled sideways */
	bool selects;              /* it is a menu: ENTER takes a line */
	bool is_help;              /* it explains the keys of such a list */
	struct list list;
	struct list_search search;
	enum { STAYS, SELECTED, BACK, LEFT } end;
};

/* A message, in lines as wide as the screen. */
struct wrapping {
	struct strlist paragraphs, lines;
	int columns; /* which the lines were made for; 0: not yet */
};

static void text_title(void *arg, struct strbuf *b)
{
	const struct text_list *t = arg;

	strbuf_str(b, t->title);
}

static void text_head(void *arg, struct strbuf *b)
{
	const struct text_list *t = arg;

	if (t->head)
		strbuf_str(b, t->head);
}

/* Wraps the lines again if the screen's size has changed. */
static void wrap_again(struct wrapping *w)
{
	int columns = MAX(screen_columns(), 1);

	if (w->columns == columns)
		return;
	w->columns = columns;
	strlist_release(&w->lines);
	vec_for_each(&w->paragraphs.list, s) {
		if (**s)
			text_wrap(&w->lines, *s, columns);
		else
			strlist_add(&w->lines, "");
	}
}

static u64 text_count(void *arg)
{
	const struct text_list *t = arg;

	if (t->wrapping)
		wrap_again(t->wrapping);
	return t->lines->list.count;
}

static void text_draw(void *arg, const struct list *l, u64 first, u64 n)
{
	const struct text_list *t = arg;
	struct strbuf b = STRBUF_INIT;

	for (u64 i = first; i < first + n; i++) {
		strbuf_clear(&b);
		strbuf_str(&b, t->lines->list.items[i]);
		list_row(l, i, &b);
	}
	strbuf_release(&b);
}

static const struct list_ops text_ops = {
	.title = text_title,
	.head = text_head,
	.count = text_count,
	.draw = text_draw,
};

static void text_of_row(void *arg, u64 row, struct strbuf *b)
{
	const struct text_list *t = arg;

	strbuf_str(b, t->lines->list.items[row]);
}

static bool selects(const void *arg)
{
	return ((const struct text_list *)arg)->selects;
}

static bool has_help(const void *arg)
{
	return !((const struct text_list *)arg)->is_help;
}

static void select_line(void *arg, int key)
{
	(void)key;
	((struct text_list *)arg)->end = SELECTED;
}

static void search(void *arg, int key)
{
	struct text_list *t = arg;

	if (key == 'n')
		list_search_next(&t->search, &t->list);
	else
		list_search_ask(&t->search, &t->list);
}

static void go_back(void *arg, int key)
{
	(void)key;
	((struct text_list *)arg)->end = BACK;
}

static void leave(void *arg, int key)
{
	(void)key;
	((struct text_list *)arg)->end = LEFT;
}

static void help(void *arg, int key);

static const struct key_row keys[] = {
	KEYS_OF_LIST("In this list:"),
	{ .keys = { KEY_ENTER, KEY_RIGHT },
	  .help = "Select the line",
	  .usable = selects,
	  .run = select_line },
	{ .keys = { '/', KEY_CTRL('s') }, .help = "Search for a part of a line", .run = search },
	{ .keys = { 'n' }, .help = "The next line that has it", .run = search },
	{ .keys = { '?', 'h', KEY_F1 },
	  .help = "Show this window",
	  .usable = has_help,
	  .run = help },
	{ .keys = { KEY_ESC, KEY_LEFT }, .help = "Back to the previous screen", .run = go_back },
	{ .keys = { 'q', KEY_CTRL('c'), KEY_GONE }, .help = "Leave this screen", .run = leave },
};

static void text_key(struct text_list *t, int key)
{
	const struct key_row *row = keys_find(keys, ARRAY_SIZE(keys), key, t);

	if (row && row->run)
		row->run(t, key);
}

static int choose(const char *title, const char *head, const struct strlist *lines, size_t at,
		  bool (*wait)(struct list *l, void *arg, int *key), void *arg)
{
	struct text_list t = { .title = title,
			       .head = head,
			       .lines = lines,
			       .selects = true,
			       .search.row = text_of_row,
			       .search.arg = &t };
	int key;

	t.list = (struct list){
		.ops = &text_ops,
		.arg = &t,
		.at = at,
		.counts_more = true,
		.status = "ESC: exit, ENTER|->: Select option, /: search, ?: help",
	};
	while (t.end == STAYS)
		if (wait(&t.list, arg, &key))
			text_key(&t, key);
	list_search_release(&t.search);
	list_release(&t.list);
	if (t.end != SELECTED || !lines->list.count)
		return t.end == BACK ? MENU_BACK : MENU_QUIT;
	return (int)t.list.at;
}

static bool wait_for_key(struct list *l, void *arg, int *key)
{
	(void)arg;
	*key = list_key(l);
	return true;
}

int menu_choose(const char *title, const char *head, const struct strlist *lines, size_t at)
{
	return choose(title, head, lines, at, wait_for_key, NULL);
}

struct changing {
	const struct menu_live *live;
	struct strlist *lines;
};

static bool wait_for_change(struct list *l, void *arg, int *key)
{
	const struct changing *c = arg;

	*key = list_key_within(l, c->live->due(c->live->arg));
	if (!c->live->due(c->live->arg))
		c->live->change(c->live->arg, c->lines);
	return *key != KEY_NONE;
}

int menu_choose_live(const char *title, struct strlist *lines, size_t at,
		     const struct menu_live *live)
{
	struct changing c = { live, lines };

	return choose(title, NULL, lines, at, wait_for_change, &c);
}

static void show_text(struct text_list *t)
{
	t->list = (struct list){ .ops = &text_ops,
				 .arg = t,
				 .counts_more = true,
				 .status = t->is_help ? "q/ESC/LEFT: back, /: search"
						      : "q/ESC/LEFT: back, /: search, ?: help" };
	t->search = (struct list_search){ .row = text_of_row, .arg = t };
	while (t->end == STAYS)
		text_key(t, list_key(&t->list));
	list_search_release(&t->search);
	list_release(&t->list);
}

static void show_keys(const struct key_row *rows, size_t count, const void *arg, bool is_help)
{
	struct strbuf text = STRBUF_INIT;
	struct strlist lines = { 0 };
	struct text_list t = { .title = "Key bindings", .lines = &lines, .is_help = is_help };

	keys_help(rows, count, arg, &text);
	menu_split_lines(&lines, strbuf_cstr(&text));
	show_text(&t);
	strlist_release(&lines);
	strbuf_release(&text);
}

static void help(void *arg, int key)
{
	(void)key;
	show_keys(keys, ARRAY_SIZE(keys), arg, true);
}

void menu_keys(const struct key_row *rows, size_t count, const void *arg)
{
	show_keys(rows, count, arg, false);
}

void menu_text(const char *title, const char *text)
{
	struct strlist lines = { 0 };
	struct text_list t = { .title = title, .lines = &lines };

	menu_split_lines(&lines, text);
	show_text(&t);
	strlist_release(&lines);
}

void menu_message(const char *title, const char *text)
{
	struct wrapping w = { .columns = 0 };
	struct text_list t = { .title = title, .lines = &w.lines, .wrapping = &w };

	menu_split_lines(&w.paragraphs, text);
	show_text(&t);
	strlist_release(&w.paragraphs);
	strlist_release(&w.lines);
}
