// SPDX-License-Identifier: GPL-2.0-or-later
#include "ui/tui/job.h"

#include <pthread.h>
#include <time.h>

#include "ui/tui/menu.h"
#include "ui/tui/screen.h"

/*
 * A job that takes longer than this is shown in a box; a shorter delay is not noticed after a key.
 */
#define QUIET_MS 40
#define LOOK_MS  20

static bool joined(pthread_t thread, int ms)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += (long)ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return pthread_timedjoin_np(thread, NULL, &t) == 0;
}

static bool gives_up(int key)
{
	return key == KEY_ESC || key == KEY_LEFT || key == 'q' || key == KEY_CTRL('c') ||
	       key == KEY_GONE;
}

bool tui_job(struct context *ctx, const char *what, void *(*fn)(void *arg), void *arg)
{
	bool given_up;
	pthread_t thread;

	if (pthread_create(&thread, NULL, fn, arg)) {
		fn(arg);
		return true;
	}
	if (joined(thread, QUIET_MS))
		return true;
	menu_box(what, "This takes a while.\n\nESC: give up");
	while (!joined(thread, 1))
		if (gives_up(screen_key(LOOK_MS)))
			atomic_store(&ctx->cancelled, true);
	given_up = context_cancelled(ctx);
	atomic_store(&ctx->cancelled, false);
	return !given_up;
}
