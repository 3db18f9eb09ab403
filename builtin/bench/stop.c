// SPDX-License-Identifier: GPL-2.0-or-later
/* SIGINT sets the context's cancel token; the benchmark's threads and its sleep look at it. */
#include <signal.h>
#include <time.h>

#include "base/clock.h"
#include "builtin/bench/internal.h"

static atomic_bool *cancelled;

static void interrupted(int sig)
{
	(void)sig;
	atomic_store_explicit(cancelled, true, memory_order_relaxed);
}

void bench_catch_interrupt(struct bench *b)
{
	struct sigaction act = { .sa_handler = interrupted };

	cancelled = &b->ctx->cancelled;
	sigfillset(&act.sa_mask);
	sigaction(SIGINT, &act, NULL);
}

static void sleep_until(struct bench *b, u64 end)
{
	/* a signal that another thread took leaves this one asleep, so it wakes now and then */
	for (u64 now = clock_now(); now < end && !context_cancelled(b->ctx); now = clock_now()) {
		u64 ns = MIN(end - now, 100000000ULL);
		struct timespec step = { 0, (long)ns };

		nanosleep(&step, NULL);
	}
}

u64 bench_let_run(struct bench *b, unsigned seconds)
{
	u64 start = clock_now();

	sleep_until(b, start + seconds * 1000000000ULL);
	atomic_store(&b->time_is_up, true);
	return clock_now() - start;
}
