// SPDX-License-Identifier: GPL-2.0-or-later
/* The keys of the report browser. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "ui/tui/flame.h"
#include "ui/tui/hist_browser.h"
#include "ui/tui/job.h"
#include "ui/tui/menu.h"
#include "ui/tui/scripts.h"
#include "ui/tui/screen.h"

/* ---- conditions ---- */

static bool has_events(const void *arg)
{
	const struct browser *b = arg;

	return b->event_count > 1;
}

static bool has_chains(const void *arg)
{
	const struct browser *b = arg;
	const struct hist_settings *set = hist_settings(b->set->hist);

	return set->chains && set->graph.mode != CALL_GRAPH_NONE;
}

static bool has_levels(const void *arg)
{
	const struct browser *b = arg;

	return b->set->hierarchy || has_chains(b);
}

static bool has_dso(const void *arg)
{
	return browser_field(arg, HIST_DSO, NULL);
}

static bool has_thread(const void *arg)
{
	return browser_thread_field(arg);
}

static bool has_symbol(const void *arg)
{
	return browser_field(arg, HIST_SYMBOL, NULL);
}

static bool has_socket(const void *arg)
{
	return browser_field(arg, 0, "socket");
}

static bool has_header(const void *arg)
{
	const struct browser *b = arg;

	return b->set->header;
}

static bool has_code(const void *arg)
{
	const struct browser *b = arg;

	return b->set->annotate;
}

static bool is_live(const void *arg)
{
	const struct browser *b = arg;

	return b->set->live;
}

static bool is_recorded(const void *arg)
{
	return !is_live(arg);
}

/*
 * Reports whether keys of perf top's plain screen have their meaning: they have another one where
 * there is something to zoom or to open.
 */
static bool is_live_without_dso(const void *arg)
{
	return is_live(arg) && !has_dso(arg);
}

static bool has_live_dso(const void *arg)
{
	return is_live(arg) && has_dso(arg);
}

static bool is_live_with_levels(const void *arg)
{
	return is_live(arg) && has_levels(arg);
}

static bool is_live_and_flat(const void *arg)
{
	return is_live(arg) && !has_levels(arg);
}

static bool is_flat_with_events(const void *arg)
{
	return is_live_and_flat(arg) && has_events(arg);
}

/*
 * Reports whether rows can be pinned. Rows of a hierarchy are sums, which have their own order on
 * each level.
 */
static bool can_pin(const void *arg)
{
	const struct browser *b = arg;

	return b->set->live && !b->set->hierarchy;
}

static bool has_group(const void *arg)
{
	const struct browser *b = arg;

	return b->view->member_count > 1;
}

/* ---- leaving ---- */

static void quit(void *arg, int key)
{
	struct browser *b = arg;

	(void)key;
	b->end = QUIT;
}

static void back(void *arg, int key)
{
	struct browser *b = arg;

	if (browser_zoom_out(b))
		return;
	if (b->event_count > 1)
		b->end = TO_MENU;
	else if (key == KEY_ESC && menu_yes("Do you really want to exit?"))
		b->end = QUIT;
}

static void switch_event(void *arg, int key)
{
	struct browser *b = arg;

	b->end = key == KEY_UNTAB ? PREVIOUS_EVENT : NEXT_EVENT;
}

/* ---- call chains ---- */

static void browser_toggle(void *arg, int key)
{
	struct browser *b = arg;

	(void)key;
	hist_rows_toggle(b->rows, b->list.at);
}

/* Closes this row if it is open, else the row that it belongs under. */
static void close_level(void *arg, int key)
{
	struct browser *b = arg;
	struct hist_row row;

	(void)key;
	if (!browser_row(b, &row))
		return;
	if (row.sign != '-' && (row.branch || row.level)) {
		list_select(&b->list, row.parent);
		if (!browser_row(b, &row))
			return;
	}
	if (row.sign == '-')
		hist_rows_toggle(b->rows, b->list.at);
}

static void toggle_entry(void *arg, int key)
{
	struct browser *b = arg;
	struct hist_row row;
	u64 first;

	(void)key;
	if (!browser_row(b, &row))
		return;
	first = hist_rows_of_entry(b->rows, hist_rows_entry_index(b->rows, b->list.at));
	hist_rows_at(b->rows, first, &row);
	hist_rows_open_entry(b->rows, first, row.sign == '+');
	list_select(&b->list, first);
}

static void toggle_all(void *arg, int key)
{
	struct browser *b = arg;
	size_t index;

	if (!hist_rows_count(b->rows))
		return;
	index = hist_rows_entry_index(b->rows, b->list.at);
	hist_rows_open_all(b->rows, key == 'E');
	list_select(&b->list, hist_rows_of_entry(b->rows, index));
}

/* ---- zooms ---- */

static void zoom(struct browser *b, const struct hist_field *f)
{
	struct hist_row row;

	if (browser_row(b, &row))
		browser_zoom(b, f, row.first);
}

static void zoom_dso(void *arg, int key)
{
	(void)key;
	zoom(arg, browser_field(arg, HIST_DSO, NULL));
}

static void zoom_thread(void *arg, int key)
{
	(void)key;
	zoom(arg, browser_thread_field(arg));
}

static void zoom_socket(void *arg, int key)
{
	(void)key;
	zoom(arg, browser_field(arg, 0, "socket"));
}

static void zoom_kernel(void *arg, int key)
{
	struct browser *b = arg;

	(void)key;
	for (size_t i = 0; i < b->view->entry_count; i++) {
		const struct hist_entry *e = b->view->entries[i];
		const struct frame *f = hist_frame(b->view->hist, e->frame);

		if (hist_frame_image(b->view->hist, f)->kind == IMAGE_KERNEL) {
			browser_zoom(b, browser_field(b, HIST_DSO, NULL), e);
			return;
		}
	}
	list_say(&b->list, "this list has no kernel entries");
}

static void ask_symbol(void *arg, int key)
{
	struct browser *b = arg;
	struct strbuf part = STRBUF_INIT;

	(void)key;
	if (menu_ask("Symbol to show",
		     "Only symbols with this in their name; empty: all.\nENTER: apply, ESC: cancel",
		     &part))
		browser_filter_symbol(b, strbuf_cstr(&part));
	strbuf_release(&part);
}

/* ---- how it is shown ---- */

static void narrow_again(struct browser *b)
{
	struct hist_row row;

	browser_narrow(b, browser_row(b, &row) ? row.first : NULL);
}

struct limit_job {
	struct hist *hist;
	double percent;
	int err;
};

static void *run_limit(void *arg)
{
	struct limit_job *j = arg;

	j->err = hist_limit_trees(j->hist, j->percent);
	return NULL;
}

/*
 * Sets the limit. Entries and branches below it disappear, those above it appear, so the trees are
 * made again.
 */
static void set_limit(struct browser *b, double limit)
{
	struct hist_row row;
	const struct hist_entry *keep = browser_row(b, &row) ? row.first : NULL;

	if (has_chains(b)) {
		struct limit_job j = { .hist = b->set->hist, .percent = limit };

		hist_rows_forget(b->rows);
		/*
		 * a live table is small, and its session may be read only between two waits for
		 * keys
		 */
		if (b->set->live)
			run_limit(&j);
		else
			tui_job(b->set->ctx, "Rebuilding the call chains", run_limit, &j);
		if (j.err) {
			list_say(&b->list, "cancelled: the limit is unchanged");
			limit = b->percent_limit;
		}
	}
	b->percent_limit = limit;
	browser_narrow(b, keep);
}

static void ask_limit(void *arg, int key)
{
	struct browser *b = arg;
	struct strbuf text = STRBUF_INIT;
	double limit;

	(void)key;
	if (menu_ask("Percent limit",
		     "Hide entries and branches under this percentage; 0: none.\nENTER: apply, "
		     "ESC: cancel",
		     &text)) {
		if (parse_percent(strbuf_cstr(&text), &limit) || limit > 100) {
			list_say(&b->list, "'%s' is not a percentage", strbuf_cstr(&text));
		} else {
			set_limit(b, limit);
		}
	}
	strbuf_release(&text);
}

static void toggle_relative(void *arg, int key)
{
	struct browser *b = arg;

	(void)key;
	b->relative = !b->relative;
	narrow_again(b);
}

static void toggle_heads(void *arg, int key)
{
	struct browser *b = arg;

	(void)key;
	b->no_heads = !b->no_heads;
}

static void toggle_verbose(void *arg, int key)
{
	struct browser *b = arg;

	(void)key;
	b->verbose = !b->verbose;
	hist_set_verbose(b->set->hist, b->verbose);
	narrow_again(b);
	list_say(&b->list, "Verbosity level set to %d", b->verbose ? 1 : 0);
}

static void sort_by_member(void *arg, int key)
{
	struct browser *b = arg;
	u32 member = (u32)(key - '0');

	if (member >= b->view->member_count) {
		list_say(&b->list, "this group has events 0 to %u", b->view->member_count - 1);
		return;
	}
	b->sort_member = member;
	narrow_again(b);
	list_say(&b->list, "sorted by %s", b->view->members[member]->name);
}

/* ---- other screens ---- */

static void browser_annotate(void *arg, int key)
{
	struct browser *b = arg;
	const struct frame *f;
	struct hist_row row;

	(void)key;
	if (!browser_row(b, &row))
		return;
	f = browser_row_frame(b, &row);
	if (f->symbol == NO_SYMBOL)
		list_say(&b->list, "this function is not known");
	else if (b->set->annotate(b->set->arg, b->view, f->image, f->symbol))
		b->end = QUIT;
}

static void show_header(void *arg, int key)
{
	struct browser *b = arg;
	struct strbuf text = STRBUF_INIT;

	(void)key;
	b->set->header(b->set->arg, &text);
	menu_text("Header information", strbuf_cstr(&text));
	strbuf_release(&text);
}

static bool has_causes(const void *arg)
{
	const struct browser *b = arg;

	return b->set->causes;
}

static void show_causes(void *arg, int key)
{
	struct browser *b = arg;
	struct strbuf text = STRBUF_INIT;

	(void)key;
	b->set->causes(b->set->arg, &text);
	menu_text("How much of this profile is true", strbuf_cstr(&text));
	strbuf_release(&text);
}

static void live_key(void *arg, int key)
{
	struct browser *b = arg;

	list_say(&b->list, "%s", b->set->live->key(b->set->arg, key));
}

static void ask_live(void *arg, int key)
{
	struct browser *b = arg;
	const struct tui_live *live = b->set->live;
	struct strbuf text = STRBUF_INIT;

	if (menu_ask(live->question(b->set->arg, key), "ENTER: apply, ESC: cancel", &text) &&
	    text.len) {
		list_say(&b->list, "%s", live->answer(b->set->arg, key, strbuf_cstr(&text)));
		narrow_again(b);
	}
	strbuf_release(&text);
}

static void ask_function(void *arg, int key)
{
	struct browser *b = arg;
	struct strbuf name = STRBUF_INIT;
	bool quit = false;

	(void)key;
	if (menu_ask("Function to open", "Its whole name.\nENTER: open, ESC: cancel", &name) &&
	    name.len && !b->set->live->open(b->set->arg, b->view, strbuf_cstr(&name), &quit)) {
		struct strbuf shown = STRBUF_INIT;

		strbuf_printable(&shown, strbuf_cstr(&name));
		list_say(&b->list, "no samples in a function '%s' yet", strbuf_cstr(&shown));
		strbuf_release(&shown);
	}
	if (quit)
		b->end = QUIT;
	strbuf_release(&name);
}

static void toggle_pin(void *arg, int key)
{
	struct browser *b = arg;

	(void)key;
	browser_pin(b, !b->pinned);
	narrow_again(b);
	list_say(&b->list, b->pinned ? "rows stay where they are; o: sort them again"
				     : "rows are sorted by their numbers");
}

static void print(void *arg, int key)
{
	(void)key;
	browser_print(arg);
}

static void search(void *arg, int key)
{
	(void)key;
	browser_search(arg);
}

/* Shows one tree. Returns FLAME_OTHER for the key that asks for the other tree. */
static enum flame_end show_tree(struct browser *b, const struct hist_times *times, bool other)
{
	struct flame *f = flame_new(b->set->hist, b->view, b->sort_member, times);
	struct strbuf title = STRBUF_INIT;
	struct flame_show show = { .times = times != NULL, .other = other };
	enum flame_end end = FLAME_BACK;

	browser_title(b, &title);
	if (times && times->ran) {
		strbuf_clear(&title);
		strbuf_f(&title, "Times of '%s' and '%s'", times->ran->name, times->waited->name);
	}
	show.title = strbuf_cstr(&title);
	if (flame_node(f, 0)->period)
		end = tui_flame(f, &show);
	else
		list_say(&b->list, "nothing in this list has a period");
	flame_free(f);
	strbuf_release(&title);
	return end;
}

/*
 * Shows the flame graph. Waiting times are drawn together with running times; the key w separates
 * them.
 */
static void show_flame(void *arg, int key)
{
	struct browser *b = arg;
	const struct event *ev = b->view->members[b->sort_member];
	struct hist_times times, only;
	bool waits =
		hist_times_find(b->set->hist, &times) && (ev == times.ran || ev == times.waited);
	bool both = waits && times.ran, together = both;
	enum flame_end end;

	(void)key;
	only = (struct hist_times){ .waited = times.waited };
	do {
		const struct hist_times *t = together                      ? &times
					     : waits && ev == times.waited ? &only
									   : NULL;

		end = show_tree(b, t, both);
		together = !together;
	} while (end == FLAME_OTHER);
	if (end == FLAME_QUIT)
		b->end = QUIT;
}

static void run_script(void *arg, int key)
{
	struct browser *b = arg;

	(void)key;
	tui_run_script(b->set->ctx, &b->list, b->set->file);
}

static void help(void *arg, int key)
{
	(void)key;
	menu_keys(hist_browser_keys, hist_browser_key_count, arg);
}

/* ---- the table ---- */

const struct key_row hist_browser_keys[] = {
	{ .keys = { '?', 'h', KEY_F1 },
	  .help = "Show this window",
	  .group = "In every screen:",
	  .run = help },
	{ .keys = { KEY_UP, KEY_DOWN, KEY_WHEEL_UP, KEY_WHEEL_DOWN }, .help = "Move by lines" },
	{ .keys = { KEY_PAGE_UP, KEY_PAGE_DOWN, ' ' },
	  .help = "Move by screens",
	  .usable = is_recorded },
	{ .keys = { KEY_PAGE_UP, KEY_PAGE_DOWN }, .help = "Move by screens", .usable = is_live },
	{ .keys = { KEY_HOME, KEY_END }, .help = "First and last line" },
	{ .keys = { '<', '>' }, .help = "Move the lines sideways" },
	{ .keys = { 'q', KEY_CTRL('c'), KEY_GONE }, .help = "Exit", .run = quit },
	{ .keys = { KEY_ESC, KEY_LEFT },
	  .help = "Zoom out, or go back to the previous screen",
	  .run = back },
	{ .keys = { KEY_TAB, KEY_UNTAB },
	  .help = "Switch events",
	  .group = "For several events:",
	  .usable = has_events,
	  .lacks = "there is only one event",
	  .run = switch_event },
	{ .keys = { KEY_ENTER, KEY_RIGHT, 'm' },
	  .help = "Menu of actions for this line",
	  .group = "For this line:",
	  .run = browser_row_menu },
	{ .keys = { 'a' },
	  .help = "Annotate this function",
	  .usable = has_code,
	  .run = browser_annotate },
	{ .keys = { '+' },
	  .help = "Expand or collapse one level",
	  .usable = has_levels,
	  .run = browser_toggle },
	{ .keys = { '-', 'c' },
	  .help = "Collapse one level",
	  .usable = has_levels,
	  .run = close_level },
	{ .keys = { 'e' },
	  .help = "Expand or collapse all that is below the entry",
	  .usable = has_levels,
	  .run = toggle_entry },
	{ .keys = { 'd' },
	  .help = "Zoom into this DSO, and out again",
	  .usable = has_dso,
	  .run = zoom_dso },
	{ .keys = { 't' },
	  .help = "Zoom into this thread, and out again",
	  .usable = has_thread,
	  .run = zoom_thread },
	{ .keys = { 'S' },
	  .help = "Zoom into this processor socket",
	  .usable = has_socket,
	  .lacks = "rows have a socket with --sort socket,...",
	  .run = zoom_socket },
	{ .keys = { 'f', 'g' },
	  .help = "Flame view: call chains as boxes of their width",
	  .group = "For the whole list:",
	  .run = show_flame },
	{ .keys = { 'E', 'C' },
	  .help = "Expand, collapse everything",
	  .usable = has_levels,
	  .run = toggle_all },
	{ .keys = { 'k' }, .help = "Zoom into the kernel", .usable = has_dso, .run = zoom_kernel },
	{ .keys = { '/' },
	  .help = "Filter symbols by name",
	  .usable = has_symbol,
	  .run = ask_symbol },
	{ .keys = { KEY_CTRL('s') }, .help = "Search for a name while typing", .run = search },
	{ .keys = { 'L' },
	  .help = "Change the percent limit of entries and branches",
	  .run = ask_limit },
	{ .keys = { 'F' },
	  .help = "Percentages of everything, or of what passes the filters",
	  .run = toggle_relative },
	{ .keys = { '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' },
	  .help = "Sort by event n of the group",
	  .usable = has_group,
	  .run = sort_by_member },
	{ .keys = { 'H' }, .help = "Display column headers", .run = toggle_heads },
	{ .keys = { 'V' },
	  .help = "Verbose: DSO names in callchains, full paths",
	  .run = toggle_verbose },
	{ .keys = { 'p', ' ' },
	  .help = "Pause or resume the display",
	  .group = "While it runs:",
	  .usable = is_live,
	  .run = live_key },
	{ .keys = { 'K' },
	  .help = "Hide samples of the kernel, or show them again",
	  .usable = is_live,
	  .run = live_key },
	{ .keys = { 'U' },
	  .help = "Hide samples of user space, or show them again",
	  .usable = is_live,
	  .run = live_key },
	{ .keys = { 'z' },
	  .help = "Start each table from zero, or keep counting",
	  .usable = is_live,
	  .run = live_key },
	{ .keys = { 'o' },
	  .help = "Rows stay where they are, or are sorted by their numbers",
	  .usable = can_pin,
	  .run = toggle_pin },
	{ .keys = { 'd', 'D' },
	  .help = "Change the time between two tables",
	  .usable = is_live_without_dso,
	  .run = ask_live },
	{ .keys = { 'D' },
	  .help = "Change the time between two tables",
	  .usable = has_live_dso,
	  .run = ask_live },
	{ .keys = { 'e', 'N' },
	  .help = "Change the number of rows",
	  .usable = is_live_and_flat,
	  .run = ask_live },
	{ .keys = { 'N' },
	  .help = "Change the number of rows",
	  .usable = is_live_with_levels,
	  .run = ask_live },
	{ .keys = { 'M' },
	  .help = "Change the minimum number of samples of a row",
	  .usable = is_live,
	  .run = ask_live },
	{ .keys = { 'w' },
	  .help = "Change the widths of the columns",
	  .usable = is_live,
	  .run = ask_live },
	{ .keys = { 's' },
	  .help = "Open a function by its name",
	  .usable = is_live,
	  .run = ask_function },
	{ .keys = { 'E' },
	  .help = "The table of the next event",
	  .usable = is_flat_with_events,
	  .meant = is_live_and_flat,
	  .lacks = "there is only one event",
	  .run = switch_event },
	{ .keys = { 'P' },
	  .help = "Print the list to perf.hist.N",
	  .group = "Files:",
	  .run = print },
	{ .keys = { 'W' },
	  .help = "Show why stacks are cut and names are missing",
	  .usable = has_causes,
	  .run = show_causes },
	{ .keys = { 'i' },
	  .help = "Show header information",
	  .usable = has_header,
	  .run = show_header },
	{ .keys = { 's' },
	  .help = "Switch to another data file in PWD",
	  .usable = is_recorded,
	  .run = browser_choose_file },
	{ .keys = { 'r' },
	  .usable = is_recorded,
	  .help = "Run a script over the file",
	  .run = run_script },
};
const size_t hist_browser_key_count = ARRAY_SIZE(hist_browser_keys);
