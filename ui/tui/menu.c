// SPDX-License-Identifier: GPL-2.0-or-later
#include "ui/tui/menu.h"

#include <string.h>

#include "base/text.h"
#include "ui/tui/list.h"
#include "ui/tui/screen.h"

/* ---- lists of texts ---- */

struct text_list {
	const char *title, *head;
	const struct strlist *lines;
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

static u64 text_count(void *arg)
{
	const struct text_list *t = arg;

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

/* The next line after the selected one that has the text, around the end. */
static void find_line(struct list *l, const struct text_list *t, const char *part)
{
	size_t count = t->lines->list.count;

	for (size_t i = 1; i <= count; i++) {
		size_t at = (size_t)(l->at + i) % count;

		if (!strcasestr(t->lines->list.items[at], part))
			continue;
		list_select(l, at);
		return;
	}
	list_say(l, "no line has '%s'", part);
}

/* The keys that every list of texts has; search: what was searched for last. */
static void text_key(struct list *l, const struct text_list *t, int key, struct strbuf *search)
{
	if (key == '?' || key == 'h' || key == KEY_F1) {
		list_say(l, "UP, DOWN, PGUP, PGDN, HOME, END: move, < >: sideways, /: search, n: next match, "
			 "ESC, LEFT: back, q: exit");
	} else if (key == '/' || key == KEY_CTRL('s')) {
		strbuf_clear(search);
		if (menu_ask("Search", "Part of a line.\nENTER: search, ESC: cancel", search) && search->len)
			find_line(l, t, strbuf_cstr(search));
	} else if (key == 'n' && search->len) {
		find_line(l, t, strbuf_cstr(search));
	}
}

static int choose(const char *title, const char *head, const struct strlist *lines, size_t at,
		  bool (*wait)(struct list *l, void *arg, int *key), void *arg)
{
	struct text_list t = { .title = title, .head = head, .lines = lines };
	struct list l = {
		.ops = &text_ops, .arg = &t, .at = at, .counts_more = true,
		.status = "ESC: exit, ENTER|->: Select option, /: search, ?: help",
	};
	struct strbuf search = STRBUF_INIT;
	int key;

	for (;;) {
		if (!wait(&l, arg, &key))
			continue;
		if (leaves(key) || key == KEY_ENTER || key == KEY_RIGHT)
			break;
		text_key(&l, &t, key, &search);
	}
	strbuf_release(&search);
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

/* Empty lines count, so the text is cut here and not by strlist_split(). */
static void split_lines(struct strlist *lines, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		struct strbuf b = STRBUF_INIT, shown = STRBUF_INIT;

		strbuf_add(&b, text, len);
		strbuf_printable(&shown, strbuf_cstr(&b));
		strlist_add(lines, strbuf_cstr(&shown));
		strbuf_release(&b);
		strbuf_release(&shown);
		text += len + (text[len] == '\n');
	}
}

void menu_text(const char *title, const char *text)
{
	struct strlist lines = { 0 };
	struct text_list t = { .title = title, .lines = &lines };
	struct list l = { .ops = &text_ops, .arg = &t, .counts_more = true,
			  .status = "q/ESC/LEFT: back, /: search, ?: help" };
	struct strbuf search = STRBUF_INIT;
	int key;

	split_lines(&lines, text);
	while (!leaves(key = list_key(&l)))
		text_key(&l, &t, key, &search);
	strbuf_release(&search);
	list_release(&l);
	strlist_release(&lines);
}

/* ---- boxes ---- */

static int widest(const struct strlist *lines, const char *title)
{
	int width = text_columns(title, strlen(title));

	vec_for_each(&lines->list, s)
		width = MAX(width, text_columns(*s, strlen(*s)));
	return width;
}

/* Draws the box in the middle; row and column of the line below its text. */
static void draw_box(const char *title, const struct strlist *texts, int extra, int *row,
		     int *column)
{
	struct strlist wrapped = { 0 };
	const struct strlist *lines = &wrapped;
	int width, height, x, y;

	vec_for_each(&texts->list, s)
		text_wrap(&wrapped, *s, MAX(screen_columns() - 2, 10));
	width = MIN(MAX(widest(lines, title), 40) + 2, screen_columns());
	height = MIN((int)lines->list.count + extra + 2, screen_rows());
	y = (screen_rows() - height) / 2;
	x = (screen_columns() - width) / 2;
	screen_color(SCREEN_NORMAL);
	screen_box(y, x, height, width);
	screen_text(y, x + 2, title, strlen(title), MIN(text_columns(title, strlen(title)), MAX(width - 4, 0)));
	*row = y + 1;
	*column = x + 1;
	vec_for_each(&lines->list, s)
		if (*row < y + height - 1)
			screen_text((*row)++, *column, *s, strlen(*s), width - 2);
	strlist_release(&wrapped);
}

void menu_box(const char *title, const char *text)
{
	struct strlist lines = { 0 };
	int row, column;

	split_lines(&lines, text);
	draw_box(title, &lines, 0, &row, &column);
	screen_show(row, column);
	strlist_release(&lines);
}

static void drop_character(struct strbuf *b)
{
	while (b->len && ((u8)b->s[b->len - 1] & 0xc0) == 0x80)
		strbuf_truncate(b, b->len - 1);
	if (b->len)
		strbuf_truncate(b, b->len - 1);
}

bool menu_ask(const char *title, const char *help, struct strbuf *answer)
{
	struct strlist lines = { 0 };
	int key;

	split_lines(&lines, help);
	do {
		int row, column;

		draw_box(title, &lines, 1, &row, &column);
		screen_color(SCREEN_SELECTED);
		screen_text(row, column, strbuf_cstr(answer), answer->len,
			    MIN(MAX(widest(&lines, title), 40), screen_columns() - 2));
		screen_show(row, column + (int)answer->len);
		key = screen_key(-1);
		if (key == KEY_BACKSPACE)
			drop_character(answer);
		else if (key == KEY_CTRL('u'))
			strbuf_clear(answer);
		else if (key >= ' ' && key < 256)
			strbuf_char(answer, (char)key);
	} while (key != KEY_ENTER && key != KEY_ESC && key != KEY_CTRL('c') && key != KEY_GONE);
	strlist_release(&lines);
	return key == KEY_ENTER;
}

bool menu_yes(const char *question)
{
	int key;

	menu_box(question, "Enter: Yes, ESC: No");
	do
		key = screen_key(-1);
	while (key == KEY_RESIZE || key == KEY_NONE);
	return key == KEY_ENTER || key == 'y' || key == 'Y' || key == KEY_GONE;
}
