// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"
#include "ui/tui/flame.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ui/tui/keys.h"
#include "ui/tui/menu.h"
#include "ui/tui/screen.h"

#define LAYOUT_NS 20000000

/* A node as it is drawn: on the line of its depth, from column left up to right. */
struct box {
	u32 node;
	u64 start; /* period of what precedes it below the zoomed node */
	int left, right;
};

struct view {
	struct flame *f;
	const struct flame_show *show;
	u32 zoom, at;          /* what fills the width; the selected node */
	u32 top;               /* depth of the first line of boxes */
	VEC(struct box) boxes; /* callers before callees */
	struct strbuf search, scratch;
	u64 matched; /* period of all chains with a match */
	bool quit, back, other;
	bool drawn;    /* once; before, nothing is waited for */
	bool more;     /* the functions that these boxes call are not known yet */
	char *message; /* until the next key */
};

static const struct flame_node *node_of(const struct view *v, u32 node)
{
	return flame_node(v->f, node);
}

static const char *text_of(struct view *v, u32 node)
{
	strbuf_clear(&v->scratch);
	flame_text(v->f, node, &v->scratch);
	return strbuf_cstr(&v->scratch);
}

static double share(u64 part, u64 of)
{
	return of ? 100 * (double)part / (double)of : 0;
}

static void say(struct view *v, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void say(struct view *v, const char *fmt, ...)
{
	struct strbuf b = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vf(&b, fmt, ap);
	va_end(ap);
	free(v->message);
	v->message = strbuf_detach(&b);
}

/* ---- where the boxes are ---- */

static int column_of(const struct view *v, u64 period)
{
	u64 all = node_of(v, v->zoom)->period;

	return all ? (int)((double)period * screen_columns() / (double)all) : screen_columns();
}

static void push_box(struct view *v, u32 node, u64 start)
{
	struct box b = { .node = node, .start = start, .left = column_of(v, start) };

	b.right = column_of(v, start + node_of(v, node)->period);
	if (b.right > b.left)
		vec_push(&v->boxes, b);
}

/*
 * Lays out the zoomed node with its callers, each as wide as the screen, and its callees. Making
 * nodes takes time in large files, so after a while those that are ready are shown.
 */
static void lay_out(struct view *v, bool whole)
{
	u64 end = clock_now() + (whole ? UINT64_MAX / 2 : v->drawn ? LAYOUT_NS : 0);
	size_t first;

	vec_clear(&v->boxes);
	v->more = false;
	for (u32 n = node_of(v, v->zoom)->parent; n != FLAME_NONE; n = node_of(v, n)->parent)
		vec_push(&v->boxes, (struct box){ .node = n, .right = screen_columns() });
	first = v->boxes.count;
	vec_push(&v->boxes, (struct box){ .node = v->zoom, .right = screen_columns() });
	for (size_t i = first; i < v->boxes.count; i++) {
		u64 start = v->boxes.items[i].start;
		u32 node = v->boxes.items[i].node;

		if (!node_of(v, node)->expanded && clock_now() > end) {
			v->more = true;
			continue;
		}
		flame_expand(v->f, node);
		for (u32 c = node_of(v, node)->child; c != FLAME_NONE; c = node_of(v, c)->next) {
			push_box(v, c, start);
			start += node_of(v, c)->period;
		}
	}
}

static const struct box *box_of(const struct view *v, u32 node)
{
	vec_for_each(&v->boxes, b)
		if (b->node == node)
			return b;
	return NULL;
}

static u32 lines_of_boxes(void)
{
	return (u32)MAX(screen_rows() - 2, 1);
}

/*
 * Moves the selection to a caller while the selected box is too narrow to be seen, and scrolls to
 * it.
 */
static void keep_selection(struct view *v)
{
	u32 lines = lines_of_boxes(), depth;

	while (!box_of(v, v->at))
		v->at = node_of(v, v->at)->parent;
	depth = node_of(v, v->at)->depth;
	if (depth < v->top)
		v->top = depth;
	if (depth >= v->top + lines)
		v->top = depth - lines + 1;
}

/* ---- drawing ---- */

static enum screen_color color_of(struct view *v, u32 node)
{
	const struct flame_node *n = node_of(v, node);
	u8 mode;

	if (node == v->at)
		return SCREEN_SELECTED;
	if (flame_matches(v->f, node))
		return SCREEN_MATCH;
	if (!node || n->comm)
		return SCREEN_TITLE;
	if (n->waiting && n->waiting / 9 >= n->period / 10) /* nine tenths, as in pictures */
		return SCREEN_WAITS;
	mode = hist_frame(flame_hist(v->f), n->frame)->cpumode;
	if (mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL)
		return SCREEN_KERNEL;
	/* by name, not by hash_str(), which differs from run to run */
	mode = 0;
	for (const char *s = text_of(v, node); *s; s++)
		mode = (u8)(mode * 31 + (u8)*s);
	return (enum screen_color)(SCREEN_FLAME + mode % SCREEN_FLAMES);
}

/* Draws a box. Its last column stays empty to separate neighbouring boxes. */
static void draw_box(struct view *v, const struct box *b)
{
	u32 depth = node_of(v, b->node)->depth;
	int width = b->right - b->left, line = 1 + (int)(depth - v->top);
	const char *text;

	if (depth < v->top || depth >= v->top + lines_of_boxes())
		return;
	screen_color(color_of(v, b->node));
	text = text_of(v, b->node);
	if (width > 3)
		screen_text(line, b->left, text, strlen(text), width - 1);
	else
		screen_text(line, b->left, "", 0, MAX(width - 1, 1));
}

static void draw_line(int line, const char *s)
{
	screen_color(SCREEN_TITLE);
	screen_text(line, 0, s, strlen(s), screen_columns());
}

static void put_status(struct view *v, struct strbuf *b)
{
	const struct flame_node *n = node_of(v, v->at), *all = node_of(v, 0);

	if (v->message) {
		strbuf_str(b, v->message);
		return;
	}
	strbuf_str(b, text_of(v, v->at));
	strbuf_f(b, ": %.2f%%", share(n->period, all->period));
	if (v->at && n->parent)
		strbuf_f(b, ", %.2f%% of its caller",
			 share(n->period, node_of(v, n->parent)->period));
	strbuf_f(b, ", self %.2f%%", share(n->own_period, all->period));
	if (v->show->times)
		strbuf_f(b, ", %.6f s, %.0f%% waiting", (double)n->period / 1e9,
			 share(n->waiting, n->period));
	else
		strbuf_f(b, ", %" PRIu64 " samples", n->samples);
	if (v->search.len)
		strbuf_f(b, "  [%s: %.2f%%]", strbuf_cstr(&v->search),
			 share(v->matched, all->period));
	strbuf_str(b, "  ?: help");
}

static void draw(struct view *v)
{
	struct strbuf b = STRBUF_INIT;
	const struct box *at;

	lay_out(v, false);
	keep_selection(v);
	screen_clear();
	draw_line(0, v->show->title);
	vec_for_each(&v->boxes, box)
		draw_box(v, box);
	put_status(v, &b);
	draw_line(screen_rows() - 1, strbuf_cstr(&b));
	strbuf_release(&b);
	v->drawn = true;
	at = box_of(v, v->at);
	screen_show(1 + (int)(node_of(v, v->at)->depth - v->top), at->left);
}

/* ---- keys ---- */

static void leave(void *arg, int key)
{
	struct view *v = arg;

	if (key == KEY_ESC && v->zoom) {
		v->at = v->zoom;
		v->zoom = 0;
		return;
	}
	v->back = true;
}

static void quit(void *arg, int key)
{
	struct view *v = arg;

	(void)key;
	v->quit = true;
}

static void to_caller(void *arg, int key)
{
	struct view *v = arg;

	(void)key;
	if (v->at)
		v->at = node_of(v, v->at)->parent;
}

static void to_callee(void *arg, int key)
{
	struct view *v = arg;
	u32 child;

	(void)key;
	flame_expand(v->f, v->at);
	child = node_of(v, v->at)->child;
	/* above the zoom only the way to it is seen */
	vec_for_each(&v->boxes, b)
		if (node_of(v, b->node)->parent == v->at) {
			v->at = b->node;
			return;
		}
	if (child != FLAME_NONE)
		say(v, "its callees are too narrow to draw: ENTER zooms in");
}

/* Selects the next box on the same line, whatever its caller is. */
static void sideways(void *arg, int key)
{
	struct view *v = arg;
	const struct box *at = box_of(v, v->at), *best = NULL;
	u32 depth = node_of(v, v->at)->depth;

	vec_for_each(&v->boxes, b) {
		if (!at || node_of(v, b->node)->depth != depth)
			continue;
		if (key == KEY_RIGHT ? b->left >= at->right && (!best || b->left < best->left)
				     : b->right <= at->left && (!best || b->right > best->right))
			best = b;
	}
	if (best)
		v->at = best->node;
}

static void scroll(void *arg, int key)
{
	struct view *v = arg;
	u32 step = key == KEY_PAGE_UP || key == KEY_PAGE_DOWN ? lines_of_boxes() / 2 + 1 : 3;
	bool down = key == KEY_PAGE_DOWN || key == KEY_WHEEL_DOWN || key == ' ';

	for (u32 i = 0; i < step; i++)
		if (down)
			to_callee(v, KEY_DOWN);
		else
			to_caller(v, KEY_UP);
	free(v->message);
	v->message = NULL;
}

static void to_root(void *arg, int key)
{
	struct view *v = arg;

	(void)key;
	v->at = 0;
}

static void zoom_in(void *arg, int key)
{
	struct view *v = arg;

	(void)key;
	v->zoom = v->at;
}

static void zoom_out(void *arg, int key)
{
	struct view *v = arg;

	(void)key;
	if (v->zoom)
		v->zoom = node_of(v, v->zoom)->parent;
}

/* Selects the next match, wrapping around at the end, and makes it visible. */
static void next_match(void *arg, int key)
{
	struct view *v = arg;
	u32 node = flame_next_match(v->f, v->at, key == 'N');

	if (node == FLAME_NONE) {
		say(v, "no name contains '%s'", strbuf_cstr(&v->search));
		return;
	}
	v->at = node;
	lay_out(v, true);
	if (!box_of(v, node))
		v->zoom = node;
}

static void search(void *arg, int key)
{
	struct view *v = arg;
	struct strbuf answer = STRBUF_INIT;

	if (menu_ask("Search", "Part of a name; empty: no search.\nENTER: search, ESC: cancel",
		     &answer)) {
		strbuf_clear(&v->search);
		strbuf_str(&v->search, strbuf_cstr(&answer));
		v->matched = flame_search(v->f, strbuf_cstr(&v->search));
		if (v->search.len)
			next_match(v, key);
	}
	strbuf_release(&answer);
}

static void other(void *arg, int key)
{
	struct view *v = arg;

	(void)key;
	v->other = true;
}

static void help(void *arg, int key);

static bool has_other(const void *arg)
{
	const struct view *v = arg;

	return v->show->other;
}

static bool has_search(const void *arg)
{
	const struct view *v = arg;

	return v->search.len;
}

static bool is_zoomed(const void *arg)
{
	const struct view *v = arg;

	return v->zoom;
}

static const struct key_row keys[] = {
	{ .keys = { '?', 'h', KEY_F1 },
	  .help = "Show this window",
	  .group = "In the flame view:",
	  .run = help },
	{ .keys = { KEY_UP }, .help = "Select the caller", .run = to_caller },
	{ .keys = { KEY_DOWN }, .help = "Select the hottest callee", .run = to_callee },
	{ .keys = { KEY_LEFT, KEY_RIGHT },
	  .help = "Select the next box of the line",
	  .run = sideways },
	{ .keys = { KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_WHEEL_UP, KEY_WHEEL_DOWN, ' ' },
	  .help = "Several steps up and down",
	  .run = scroll },
	{ .keys = { KEY_HOME }, .help = "Select everything", .run = to_root },
	{ .keys = { KEY_ENTER, '+' },
	  .help = "Zoom: the selected box fills the width",
	  .run = zoom_in },
	{ .keys = { '-', KEY_BACKSPACE },
	  .help = "Zoom out by one caller",
	  .usable = is_zoomed,
	  .run = zoom_out },
	{ .keys = { '/', KEY_CTRL('s') },
	  .help = "Search for a name; matches have a colour, their share is shown",
	  .run = search },
	{ .keys = { 'n', 'N' },
	  .help = "Next and previous match",
	  .usable = has_search,
	  .run = next_match },
	{ .keys = { 'w' },
	  .help = "Only this event, or running and waiting together",
	  .usable = has_other,
	  .run = other },
	{ .keys = { KEY_ESC, 'q', 'f' },
	  .help = "ESC: zoom out to everything, then back to the list; q, f: back",
	  .run = leave },
	{ .keys = { KEY_CTRL('c'), KEY_GONE }, .help = "Exit", .run = quit },
};

static void help(void *arg, int key)
{
	(void)key;
	menu_keys(keys, ARRAY_SIZE(keys), arg);
}

enum flame_end tui_flame(struct flame *f, const struct flame_show *show)
{
	struct view v = { .f = f, .show = show };

	while (!v.back && !v.quit && !v.other) {
		const struct key_row *row;
		int key;

		draw(&v);
		key = screen_key(v.more ? 0 : -1);
		if (key == KEY_NONE)
			continue;
		free(v.message);
		v.message = NULL;
		row = keys_find(keys, ARRAY_SIZE(keys), key, &v);
		if (row && row->run)
			row->run(&v, key);
	}
	free(v.message);
	vec_release(&v.boxes);
	strbuf_release(&v.search);
	strbuf_release(&v.scratch);
	return v.quit ? FLAME_QUIT : v.other ? FLAME_OTHER : FLAME_BACK;
}
