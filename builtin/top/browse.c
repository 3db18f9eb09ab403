// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The browser of perf report over data that keep growing: what it asks for, of the refresher and of
 * the options.
 */
#include <string.h>

#include "builtin/top/refresher.h"
#include "ui/settings.h"
#include "ui/tui/report.h"
#include "ui/tui/screen.h"

enum { LATER = 60000 }; /* ms that the screen waits if nothing wakes it */

struct browsing {
	struct top *t;
	struct refresher *refresher;
};

/* ---- of screen_while_waiting() ---- */

static void before_wait(void *arg)
{
	const struct browsing *b = arg;

	refresher_give(b->refresher);
}

static void after_wait(void *arg)
{
	const struct browsing *b = arg;

	refresher_take(b->refresher);
}

/* ---- of struct tui_live ---- */

static int due(void *arg)
{
	const struct browsing *b = arg;

	return refresher_due(b->refresher) ? 0 : LATER;
}

static struct hist *next(void *arg)
{
	const struct browsing *b = arg;

	struct hist *h = refresher_next(b->refresher);

	if (h)
		top_find_truth(b->t, h);
	return h;
}

static void shown(void *arg)
{
	const struct browsing *b = arg;

	refresher_shown(b->refresher);
}

static void title(void *arg, const struct hist_view *v, const char *zooms, struct strbuf *out)
{
	const struct browsing *b = arg;

	top_short_title(b->t, v, zooms, out);
}

static const char *key(void *arg, int key)
{
	struct browsing *b = arg;
	struct top *t = b->t;

	switch (key) {
	case 'K':
		t->o.hide_kernel = !t->o.hide_kernel;
		t->o.hide_user = false;
		return t->o.hide_kernel ? "the kernel's samples are left out" : "all samples count";
	case 'U':
		t->o.hide_user = !t->o.hide_user;
		t->o.hide_kernel = false;
		return t->o.hide_user ? "samples of user space are left out" : "all samples count";
	case 'z':
		t->o.zero = !t->o.zero;
		return t->o.zero ? "each table shows only what is new" : "older samples fade";
	default:
		t->paused = !t->paused;
		return t->paused ? "paused; samples are still counted; p: resume" : "it goes on";
	}
}

/* ---- functions ---- */

static int counts_due(void *arg)
{
	const struct browsing *b = arg;

	return refresher_counts_due(b->refresher) ? 0 : LATER;
}

static void next_counts(void *arg)
{
	const struct browsing *b = arg;

	refresher_next_counts(b->refresher);
}

static void hold(void *arg, bool on)
{
	const struct browsing *b = arg;

	refresher_hold(b->refresher, on);
}

static bool annotate(void *arg, const struct hist_view *v, u32 image, u32 symbol)
{
	struct browsing *b = arg;
	const struct top_code_live live = { counts_due, next_counts, hold, b };

	return top_annotate(b->t, &live, v, image, symbol);
}

static bool open_function(void *arg, const struct hist_view *v, const char *name, bool *quit)
{
	struct browsing *b = arg;
	u32 image, symbol;

	if (!top_find_function(b->t, name, v->members[0], &image, &symbol))
		return false;
	*quit = annotate(b, v, image, symbol);
	return true;
}

/* ---- settings that are asked for ---- */

static const char *question(void *arg, int key)
{
	(void)arg;
	return top_setting_question(key);
}

static const char *answer(void *arg, int key, const char *text)
{
	struct browsing *b = arg;

	return top_setting_answer(b->t, key, text);
}

static void limits(void *arg, u64 *least_samples, size_t *most_entries)
{
	const struct browsing *b = arg;

	*least_samples = b->t->o.least_count;
	*most_entries = b->t->o.entries;
}

static void causes(void *arg, struct strbuf *out)
{
	const struct browsing *b = arg;

	truth_causes_text(&b->t->truth, out);
}

/* ---- run ---- */

static int run(struct browsing *b, struct tui_report *tui, struct reason *r)
{
	char *other = NULL; /* a live table is no file that another one could take the place of */
	int err;

	screen_while_waiting(before_wait, after_wait, b);
	screen_wake_by(refresher_fd(b->refresher));
	err = refresher_start(b->refresher, r);
	if (!err)
		tui_report(tui, &other);
	screen_wake_by(-1);
	screen_while_waiting(NULL, NULL, NULL);
	screen_close();
	return err;
}

int top_browse(struct top *t, struct reason *r)
{
	struct browsing b = { .t = t };
	const struct tui_live live = { due,      next,   shown,  title,        key,
				       question, answer, limits, open_function };
	struct tui_report tui = {
		.ctx = t->a.ctx,
		.draw = &t->o.draw,
		.hierarchy = t->o.hierarchy,
		.causes = causes,
		.annotate = annotate,
		.live = &live,
		.arg = &b,
	};
	int err, ended;

	top_code_begin(t);
	err = refresher_new(t, &b.refresher, &tui.hist, r);
	if (!err)
		top_find_truth(t, tui.hist);
	colors_from_settings(t->a.ctx);
	if (!err)
		err = screen_open(r);
	if (!err)
		err = run(&b, &tui, r);
	ended = refresher_free(b.refresher, err ? NULL : r);
	return err ? err : ended;
}
