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

/* The screen may have another size now. */
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
	.title = text_title, .head = text_head, .count = text_count, .draw = text_draw,
};

static bool leaves(int key)
{
	return key == KEY_ESC || key == KEY_LEFT || key == 'q' || key == KEY_CTRL('c') ||
	       key == KEY_GONE;
}

static void text_of_row(void *arg, u64 row, struct strbuf *b)
{
	const struct text_list *t = arg;

	strbuf_str(b, t->lines->list.items[row]);
}

/* The keys that every list of texts has. */
static void text_key(struct list *l, int key, struct list_search *search)
{
	if (key == '?' || key == 'h' || key == KEY_F1)
		list_say(l, "UP, DOWN, PGUP, PGDN, HOME, END: move, < >: sideways, /: search, n: next match, "
			 "ESC, LEFT, q: leave this screen");
	else if (key == '/' || key == KEY_CTRL('s'))
		list_search_ask(search, l);
	else if (key == 'n')
		list_search_next(search, l);
}

static int choose(const char *title, const char *head, const struct strlist *lines, size_t at,
		  bool (*wait)(struct list *l, void *arg, int *key), void *arg)
{
	struct text_list t = { .title = title, .head = head, .lines = lines };
	struct list l = {
		.ops = &text_ops, .arg = &t, .at = at, .counts_more = true,
		.status = "ESC: exit, ENTER|->: Select option, /: search, ?: help",
	};
	struct list_search search = { .row = text_of_row, .arg = &t };
	int key;

	for (;;) {
		if (!wait(&l, arg, &key))
			continue;
		if (leaves(key) || key == KEY_ENTER || key == KEY_RIGHT)
			break;
		text_key(&l, key, &search);
	}
	list_search_release(&search);
	list_release(&l);
	if (leaves(key) || !lines->list.count)
		return key == KEY_ESC || key == KEY_LEFT ? MENU_BACK : MENU_QUIT;
	return (int)l.at;
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

int menu_choose_live(const char *title, struct strlist *lines, size_t at, const struct menu_live *live)
{
	struct changing c = { live, lines };

	return choose(title, NULL, lines, at, wait_for_change, &c);
}

static void show_text(struct text_list *t)
{
	struct list l = { .ops = &text_ops, .arg = t, .counts_more = true,
			  .status = "q/ESC/LEFT: back, /: search, ?: help" };
	struct list_search search = { .row = text_of_row, .arg = t };
	int key;

	while (!leaves(key = list_key(&l)))
		text_key(&l, key, &search);
	list_search_release(&search);
	list_release(&l);
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
