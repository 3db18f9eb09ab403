// SPDX-License-Identifier: GPL-2.0-or-later
/* The screen while a file is read. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/text.h"
#include "ui/tui/menu.h"
#include "ui/tui/report.h"
#include "ui/tui/screen.h"

#define REDRAW_NS 100000000

struct tui_loading {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool stop, running;
	char *file;
	u64 (*samples)(void *arg, u64 *all);
	void *arg;
};

static void draw(struct tui_loading *l)
{
	struct strbuf b = STRBUF_INIT;

	u64 all = 0, samples = l->samples(l->arg, &all);

	strbuf_grouped(&b, samples);
	if (!all) {
		strbuf_str(&b, " samples\n\n");
	} else if (samples < all) {
		strbuf_str(&b, " of ");
		strbuf_grouped(&b, all);
		strbuf_f(&b, " samples, %" PRIu64 "%%\n\n", samples * 100 / all);
	} else {
		strbuf_str(&b, " samples, now sorting\n\n");
	}
	strbuf_str(&b, "Ctrl-C: give up");
	screen_clear();
	menu_box(l->file, strbuf_cstr(&b));
	strbuf_release(&b);
}

static void *draw_until_stopped(void *arg)
{
	struct tui_loading *l = arg;

	pthread_mutex_lock(&l->lock);
	while (!l->stop) {
		struct timespec t;

		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += REDRAW_NS;
		if (t.tv_nsec >= 1000000000) {
			t.tv_sec++;
			t.tv_nsec -= 1000000000;
		}
		pthread_cond_timedwait(&l->changed, &l->lock, &t);
		if (!l->stop)
			draw(l);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

struct tui_loading *tui_loading_start(const char *file, u64 (*samples)(void *arg, u64 *all),
				      void *arg)
{
	struct tui_loading *l = xcalloc(1, sizeof(*l));
	struct strbuf name = STRBUF_INIT;

	strbuf_str(&name, "Reading ");
	strbuf_printable(&name, file);
	l->file = strbuf_detach(&name);
	l->samples = samples;
	l->arg = arg;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->changed, NULL);
	screen_interrupts(true);
	draw(l);
	/* without the thread the box stays as it is */
	l->running = pthread_create(&l->thread, NULL, draw_until_stopped, l) == 0;
	return l;
}

void tui_loading_stop(struct tui_loading *l)
{
	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	l->stop = true;
	pthread_cond_signal(&l->changed);
	pthread_mutex_unlock(&l->lock);
	if (l->running)
		pthread_join(l->thread, NULL);
	screen_interrupts(false);
	pthread_mutex_destroy(&l->lock);
	pthread_cond_destroy(&l->changed);
	free(l->file);
	free(l);
}
