// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The browser of perf report over data that keep growing.
 *
 * A thread takes samples in, so that they count while somebody looks at a menu.  It and
 * the screen share one lock, which the screen gives up only while it waits for a key: all
 * that drawing asks for (names of tasks, of images) is the session's.  The thread gives it up
 * after each piece of records, so that a key is answered at once.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/spans.h"
#include "top/internal.h"
#include "ui/settings.h"
#include "ui/tui/report.h"
#include "ui/tui/screen.h"

#define LOOK_EVERY 100000000ULL /* ns: is it the end? */

struct browsing {
	struct top *t;
	pthread_t reader;
	pthread_mutex_t lock;
	atomic_bool wanted; /* the screen waits for the lock */
	atomic_bool stop;
	int err; /* the reader's */
	struct reason why;
	u64 since; /* the last table, ns */
	bool held; /* the screen keeps the lock while it waits */
	bool changes; /* from one table to the next: both are needed */
};

/*
 * While a menu is open or the picture is frozen no table is made, but samples are still taken in.
 */
static void absorb_unasked(struct browsing *b)
{
	u64 now = loop_now();

	if (b->changes || now - b->since < 2 * b->t->o.refresh)
		return;
	top_absorb(b->t, now - b->since);
	b->since = now;
	top_forget(b->t);
}

/* If the lock were taken again at once, other threads would hardly ever get it in between. */
static void let_the_screen_go_first(struct browsing *b)
{
	while (atomic_load(&b->wanted))
		usleep(500);
}

static void *take_in(void *arg)
{
	struct browsing *b = arg;
	struct watch *w = b->t->watch;
	struct reason why = REASON_INIT;
	struct loop l;
	int err = 0;

	loop_init(&l, -1);
	loop_add(&l, watch_fd(w));
	while (!atomic_load(&b->stop) && err >= 0) {
		loop_wait(&l, watch_has_work(w) ? 0 : loop_now() + LOOK_EVERY);
		let_the_screen_go_first(b);
		pthread_mutex_lock(&b->lock);
		err = watch_step(w, TOP_ONE_PIECE, &why);
		/* the screen cancels what it draws, and goes on */
		err = err == -EINTR ? 0 : err;
		if (err < 0) {
			b->err = err;
			reason_move(&b->why, &why);
		}
		absorb_unasked(b);
		pthread_mutex_unlock(&b->lock);
	}
	loop_release(&l);
	reason_release(&why);
	return NULL;
}

static void before_wait(void *arg)
{
	struct browsing *b = arg;

	if (!b->held)
		pthread_mutex_unlock(&b->lock);
}

static void after_wait(void *arg)
{
	struct browsing *b = arg;

	if (b->held)
		return;
	atomic_store(&b->wanted, true);
	pthread_mutex_lock(&b->lock);
	atomic_store(&b->wanted, false);
}

/* ---- of struct tui_live ---- */

static int due(void *arg)
{
	const struct browsing *b = arg;
	u64 passed = (loop_now() - b->since) / 1000000, every = b->t->o.refresh / 1000000;

	return passed >= every ? 0 : (int)(every - passed);
}

/* What has come since the last table. */
static int take(struct browsing *b, struct reason *why)
{
	u64 now = loop_now();
	int err;

	span_begin("catch up with the rings");
	err = watch_catch_up(b->t->watch, now + TOP_CATCH_UP, why);
	span_end();
	if (err >= 0)
		top_absorb(b->t, now - b->since);
	b->since = now;
	return MIN(err, 0);
}

static struct hist *next(void *arg)
{
	struct browsing *b = arg;
	struct reason why = REASON_INIT;
	struct hist *h = NULL;

	if (!take(b, &why)) {
		if (!b->t->paused)
			h = top_snapshot(b->t, 0, &why);
		if (h)
			top_keep_table(b->t);
		else
			top_forget(b->t);
	}
	b->changes = h;
	reason_release(&why);
	return h;
}

static void shown(void *arg)
{
	struct browsing *b = arg;

	b->changes = false;
	top_forget(b->t);
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

static void take_for_code(void *arg)
{
	struct browsing *b = arg;
	struct reason why = REASON_INIT;

	/* an error that lasts is met by the reader, too */
	if (!take(b, &why))
		top_forget(b->t);
	reason_release(&why);
}

static void hold(void *arg, bool on)
{
	struct browsing *b = arg;

	b->held = on;
}

static bool annotate(void *arg, const struct hist_view *v, u32 image, u32 symbol)
{
	struct browsing *b = arg;
	const struct top_code_live live = { due, take_for_code, hold, b };

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

/* ---- run ---- */

static int start_reader(struct browsing *b, struct reason *r)
{
	sigset_t every, old;
	int err;

	sigfillset(&every); /* signals are for the thread with the screen */
	pthread_sigmask(SIG_SETMASK, &every, &old);
	err = pthread_create(&b->reader, NULL, take_in, b);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err ? reason_errno(r, err, "cannot start a thread") : 0;
}

static int first_table(struct browsing *b, struct hist **h, struct reason *r)
{
	struct top *t = b->t;
	struct watch *w = t->watch;
	int err = watch_step(w, top_first_table(t, b->since), r);

	if (err >= 0)
		err = watch_catch_up(w, loop_now() + TOP_CATCH_UP, r);
	if (err < 0)
		return err;
	top_absorb(t, loop_now() - b->since);
	b->since = loop_now();
	*h = top_snapshot(t, 0, r);
	if (!*h)
		return -r->err;
	top_keep_table(t);
	return 0;
}

int top_browse(struct top *t, struct reason *r)
{
	struct browsing b = { .t = t, .why = REASON_INIT, .since = loop_now() };
	const struct tui_live live = { due, next, shown, title, key, question, answer, limits, open_function };
	struct tui_report tui = {
		.ctx = t->a.ctx, .draw = &t->o.draw, .annotate = annotate, .live = &live, .arg = &b,
	};
	char *other = NULL;
	int err;

	top_code_begin(t);
	err = first_table(&b, &tui.hist, r);
	colors_from_settings(t->a.ctx);
	if (!err)
		err = screen_open(r);
	if (err)
		return err;
	pthread_mutex_init(&b.lock, NULL);
	pthread_mutex_lock(&b.lock);
	screen_while_waiting(before_wait, after_wait, &b);
	err = start_reader(&b, r);
	if (!err) {
		tui_report(&tui, &other);
		atomic_store(&b.stop, true);
		pthread_mutex_unlock(&b.lock);
		pthread_join(b.reader, NULL);
	}
	screen_while_waiting(NULL, NULL, NULL);
	screen_close();
	pthread_mutex_destroy(&b.lock);
	if (b.err) {
		reason_move(r, &b.why);
		err = b.err;
	}
	return err;
}
