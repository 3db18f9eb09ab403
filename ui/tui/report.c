// SPDX-License-Identifier: GPL-2.0-or-later
/* The sequence of the report's screens: the menu of events, then a browser for each event. */
#include "ui/tui/report.h"

#include <string.h>

#include "base/perf_abi.h"
#include "cli/config.h"
#include "ui/tui/hist_browser.h"
#include "ui/tui/menu.h"
#include "ui/tui/screen.h"

typedef VEC(const struct hist_view *) view_list;

static u64 samples_of(const struct hist_view *v)
{
	u64 sum = 0;

	for (u32 m = 0; m < v->member_count; m++)
		sum += v->totals[m].samples;
	return sum;
}

/* Reports whether the view is listed: it has samples or, in a live table, may still get some. */
static bool is_listed(const struct tui_report *t, const struct hist_view *v)
{
	const struct perf_event_attr *a = &v->members[0]->attr;
	bool dummy = a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_DUMMY;

	return samples_of(v) || (t->live && !dummy);
}

static void list_views(const struct tui_report *t, view_list *views)
{
	vec_clear(views);
	for (size_t i = 0; i < hist_view_count(t->hist); i++)
		if (is_listed(t, hist_view(t->hist, i)))
			vec_push(views, hist_view(t->hist, i));
}

static void say_idle(struct browser *b, const struct key_row *row)
{
	struct strbuf names = STRBUF_INIT;

	keys_names(row, &names);
	list_say(&b->list, "%s (%s): %s", strbuf_cstr(&names), row->help,
		 row->lacks ? row->lacks : "nothing here to do that with");
	strbuf_release(&names);
}

static void run_keys(struct browser *b)
{
	b->end = GO_ON;
	while (b->end == GO_ON) {
		const struct tui_live *live = b->set->live;
		int key = list_key_within(&b->list, live ? live->due(b->set->arg) : -1);
		const struct key_row *row =
			keys_find(hist_browser_keys, hist_browser_key_count, key, b);

		if (live && !live->due(b->set->arg))
			browser_follow(b);
		if (row && row->run)
			row->run(b, key);
		row = row ? NULL : keys_idle(hist_browser_keys, hist_browser_key_count, key, b);
		if (row)
			say_idle(b, row);
	}
}

static enum browser_end browse(struct browser *b, const struct hist_view *v)
{
	b->view = v;
	b->rows = hist_rows_new(b->set->hierarchy);
	b->list.at = b->list.top = 0;
	browser_pin(b, b->pinned);
	browser_narrow(b, NULL);
	run_keys(b);
	hist_rows_free(b->rows);
	list_release(&b->list);
	return b->end;
}

/* Adds "    22K  cycles". */
static void put_view(const struct hist_view *v, struct strbuf *line)
{
	static const char before[] = "Samples: ", between[] = " of event";
	struct strbuf b = STRBUF_INIT;
	const char *count, *name;

	stdio_hist_event(v, &b);
	count = strbuf_cstr(&b) + strlen(before);
	name = strstr(count, between);
	strbuf_f(line, "%6.*s  ", (int)(name - count), count);
	if (v->member_count == 1)
		strbuf_printable(line, v->members[0]->name);
	else
		strbuf_printable(line, name + strlen(between) + strlen("s "));
	strbuf_release(&b);
}

static void put_views(const view_list *views, struct strlist *lines)
{
	strlist_release(lines);
	vec_for_each(views, v) {
		struct strbuf line = STRBUF_INIT;

		put_view(*v, &line);
		strlist_add(lines, strbuf_cstr(&line));
		strbuf_release(&line);
	}
}

struct growing {
	struct tui_report *set;
	view_list *views;
};

static int due(void *arg)
{
	const struct growing *g = arg;

	return g->set->live->due(g->set->arg);
}

/* Shows the counts of the next table of the same events. */
static void grow(void *arg, struct strlist *lines)
{
	struct growing *g = arg;
	struct hist *h = g->set->live->next(g->set->arg);

	if (!h)
		return;
	hist_free(g->set->hist);
	g->set->hist = h;
	g->set->live->shown(g->set->arg);
	list_views(g->set, g->views);
	put_views(g->views, lines);
}

static int choose_view(struct tui_report *set, view_list *views, size_t at, bool zoomed)
{
	struct growing g = { set, views };
	const struct menu_live live = { due, grow, &g };
	struct strlist lines = { 0 };
	int chosen;

	put_views(views, &lines);
	do
		chosen = set->live && !zoomed
				 ? menu_choose_live("Available samples", &lines, at, &live)
				 : menu_choose("Available samples", NULL, &lines, at);
	while (chosen == MENU_BACK && !menu_yes("Do you really want to exit?"));
	strlist_release(&lines);
	return chosen;
}

/* Returns the index of the next view, or -1 to leave. */
static int next_view(const struct browser *b, struct tui_report *set, view_list *views, int at)
{
	int count = (int)views->count;

	switch (b->end) {
	case TO_MENU:
		/*
		 * zooms refer to the table that was shown, so it is kept until they are carried
		 * over
		 */
		return choose_view(set, views, (size_t)at, b->crumbs.count);
	case NEXT_EVENT:
		return (at + 1) % count;
	case PREVIOUS_EVENT:
		return (at + count - 1) % count;
	default:
		return -1;
	}
}

void tui_report(const struct tui_report *t, char **other)
{
	struct tui_report set = *t;
	struct browser b = {
		.no_heads = !config_bool(t->ctx, "ui.show-headers", true),
		.set = &set,
		.list = { .ops = &hist_browser_ops,
			  .arg = &b,
			  .own_space = t->live != NULL,
			  .status = "Press '?' for help on key bindings" },
		.percent_limit = hist_settings(t->hist)->percent_limit,
		.relative = hist_settings(t->hist)->relative,
		.verbose = hist_settings(t->hist)->verbose,
	};
	view_list views = VEC_INIT;
	int at = 0;

	list_views(&set, &views);
	b.event_count = views.count;
	if (views.count > 1)
		at = choose_view(&set, &views, 0, false);
	while (at >= 0 && views.count) {
		browse(&b, views.items[at]);
		list_views(&set, &views); /* a live one has others by now */
		at = next_view(&b, &set, &views, at);
	}
	*other = b.other;
	stdio_layout_free(b.layout);
	if (t->live)
		hist_free(set.hist);
	vec_for_each(&b.crumbs, c)
		crumb_release(c);
	vec_release(&b.crumbs);
	strbuf_release(&b.search);
	map64_release(&b.places);
	vec_release(&views);
}
