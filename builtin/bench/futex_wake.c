// SPDX-License-Identifier: GPL-2.0-or-later
/* futex wake, wake-parallel, requeue: how long it takes to wake or move blocked threads. */
#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "builtin/bench/futex.h"
#include "cli/say.h"

/* One round: threads that block on `first`; requeued ones are on `second`. */
struct round {
	struct futex_run *f;
	struct team team;
	u32 first, second;
	unsigned number;
};

static void *wait_requeue_pi(struct round *rd)
{
	struct futex_run *f = rd->f;
	long got;

	do
		got = futex_call(f, &rd->first, FUTEX_WAIT_REQUEUE_PI, 0, 0, &rd->second, 0);
	while (got == -EINTR || (got == -EAGAIN && !__atomic_load_n(&rd->first, __ATOMIC_RELAXED)));
	if (!got)
		futex_call(f, &rd->second, FUTEX_UNLOCK_PI, 0, 0, NULL, 0);
	return NULL;
}

static void *block(void *arg)
{
	struct round *rd = arg;
	long got;

	if (!team_gate(&rd->team))
		return NULL;
	if (rd->f->pi)
		return wait_requeue_pi(rd);
	do
		got = futex_call(rd->f, &rd->first, FUTEX_WAIT, 0, 0, NULL, 0);
	while (got == -EINTR);
	return NULL;
}

/* Wakes, or moves, all; the time it took in ns, or -errno. */
typedef s64 (*round_fn)(struct round *rd);

static int wake_rest(struct round *rd)
{
	__atomic_store_n(&rd->first, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&rd->second, 1, __ATOMIC_RELAXED);
	futex_call(rd->f, &rd->first, FUTEX_WAKE, INT32_MAX, 0, NULL, 0);
	return 0;
}

/* Starts threads and waits until they sleep on `first`. */
static int block_all(struct futex_run *f, struct round *rd, unsigned number)
{
	int code;

	*rd = (struct round){ .f = f, .number = number };
	code = team_start(&rd->team, f->threads, true, block, rd, 0);
	if (code)
		return code;
	team_open(&rd->team);
	/* nothing reports when they are asleep */
	usleep(100000);
	return 0;
}

static int one_round(struct futex_run *f, struct round *rd, unsigned number, round_fn fn, s64 *ns)
{
	int code = block_all(f, rd, number);

	if (code)
		return code;
	*ns = fn(rd);
	if (*ns < 0)
		wake_rest(rd);
	team_join(&rd->team);
	return *ns < 0 ? bench_failed((int)-*ns, "cannot wake or requeue the blocked threads") : 0;
}

static int all_rounds(struct futex_run *f, struct round *rd, round_fn fn, struct figures *times)
{
	int code = 0;

	bench_catch_interrupt(f->b);
	for (unsigned i = 0; i < f->b->repeat && !code && !context_cancelled(f->b->ctx); i++) {
		s64 ns;

		code = one_round(f, rd, i, fn, &ns);
		if (!code)
			figures_add(times, (double)ns / 1e6);
	}
	return code;
}

static s64 wake_all(struct round *rd)
{
	struct futex_run *f = rd->f;
	u64 start = clock_now();
	unsigned woken = 0;

	while (woken < f->threads) {
		long n = futex_call(f, &rd->first, FUTEX_WAKE, f->at_once, 0, NULL, 0);

		if (n < 0)
			return n;
		woken += (unsigned)n;
	}
	start = clock_now() - start;
	if (!f->silent)
		bench_text(f->b, "[Run %u]: Wokeup %u of %u threads in %.4f ms\n", rd->number + 1,
			   woken, f->threads, (double)start / 1e6);
	return (s64)start;
}

int bench_futex_wake(struct bench *b, int argc, const char **argv)
{
	struct futex_run f = { .b = b, .at_once = 1 };
	const struct option_row more = { OPTION_UINT, 'w', "nwakes", &f.at_once,
					 .help = "threads that are woken at once (default: 1)" };
	int code = futex_options(&f, FUTEX_ROW_BUCKETS, &more, 1, argc, argv);
	struct figures times = { 0 };
	struct round rd;

	if (code)
		return bench_parsed(code);
	if (!f.at_once) {
		say_error("--nwakes: at least one thread has to be woken");
		return EXIT_USAGE;
	}
	bench_text(
		b,
		"Run summary [PID %d]: blocking on %u threads (at [%s] futex %p), waking up %u at "
		"a time.\n\n",
		getpid(), f.threads, futex_scope(&f), (void *)&rd.first, f.at_once);
	code = all_rounds(&f, &rd, wake_all, &times);
	if (code)
		return code;
	bench_text(b, "Wokeup %u of %u threads in %.4f ms (+-%.2f%%)\n", f.threads, f.threads,
		   times.mean, figures_percent(&times));
	bench_metric(b, "time", times.mean, "msec");
	bench_metric(b, "deviation", figures_percent(&times), "%");
	futex_print_buckets(&f);
	return 0;
}

/* wake-parallel: wakers that each wake their share at the same time */
struct waker {
	struct round *rd;
	struct team *team;
	unsigned share, woken;
	u64 ns;
};

static void *wake_share(void *arg)
{
	struct waker *w = arg;
	u64 start;
	long n;

	if (!team_gate(w->team))
		return NULL;
	start = clock_now();
	n = futex_call(w->rd->f, &w->rd->first, FUTEX_WAKE, w->share, 0, NULL, 0);
	w->ns = clock_now() - start;
	w->woken = n > 0 ? (unsigned)n : 0;
	return NULL;
}

struct parallel {
	struct figures times, woken; /* over all rounds */
};

static int wake_round(struct futex_run *f, struct round *rd, struct parallel *p)
{
	struct figures times = { 0 }, woken = { 0 };
	struct waker *wakers = xcalloc(f->at_once, sizeof(*wakers));
	struct team team;
	unsigned sum = 0;
	int code;

	for (unsigned i = 0; i < f->at_once; i++)
		wakers[i] =
			(struct waker){ .rd = rd, .team = &team, .share = f->threads / f->at_once };
	code = team_start(&team, f->at_once, false, wake_share, wakers, sizeof(*wakers));
	if (!code) {
		team_open(&team);
		team_join(&team);
	}
	for (unsigned i = 0; i < f->at_once && !code; i++) {
		sum += wakers[i].woken;
		figures_add(&times, (double)wakers[i].ns / 1e6);
		figures_add(&woken, wakers[i].woken);
		figures_add(&p->times, (double)wakers[i].ns / 1e6);
		figures_add(&p->woken, wakers[i].woken);
	}
	free(wakers);
	if (!code && !f->silent)
		bench_text(f->b,
			   "[Run %u]: Avg per-thread latency (waking %.0f/%u threads) in %.4f ms "
			   "(+-%.2f%%)\n",
			   rd->number + 1, woken.mean, f->threads, times.mean,
			   figures_percent(&times));
	if (sum < f->threads)
		wake_rest(rd);
	return code;
}

static int parallel_rounds(struct futex_run *f, struct round *rd, struct parallel *p)
{
	int code = 0;

	bench_catch_interrupt(f->b);
	for (unsigned i = 0; i < f->b->repeat && !code && !context_cancelled(f->b->ctx); i++) {
		code = block_all(f, rd, i);
		if (code)
			return code;
		code = wake_round(f, rd, p);
		team_join(&rd->team);
	}
	return code;
}

int bench_futex_wake_parallel(struct bench *b, int argc, const char **argv)
{
	struct futex_run f = { .b = b };
	const struct option_row more = {
		OPTION_UINT, 'w', "nwakers", &f.at_once,
		.help = "threads that wake (default: as many as blocked ones)"
	};
	int code = futex_options(&f, FUTEX_ROW_BUCKETS, &more, 1, argc, argv);
	struct parallel p = { { 0 }, { 0 } };
	struct round rd;

	if (code)
		return bench_parsed(code);
	if (!f.at_once || f.at_once > f.threads)
		f.at_once = f.threads;
	if (f.threads % f.at_once) {
		say_error("--nwakers: %u waking threads cannot share %u threads evenly", f.at_once,
			  f.threads);
		return EXIT_USAGE;
	}
	bench_text(b,
		   "Run summary [PID %d]: blocking on %u threads (at [%s] futex %p), %u threads "
		   "waking up %u at a time.\n\n",
		   getpid(), f.threads, futex_scope(&f), (void *)&rd.first, f.at_once,
		   f.threads / f.at_once);
	code = parallel_rounds(&f, &rd, &p);
	if (code)
		return code;
	bench_text(b, "Avg per-thread latency (waking %.0f/%u threads) in %.4f ms (+-%.2f%%)\n",
		   p.woken.mean, f.threads, p.times.mean, figures_percent(&p.times));
	bench_metric(b, "time", p.times.mean, "msec");
	bench_metric(b, "deviation", figures_percent(&p.times), "%");
	futex_print_buckets(&f);
	return 0;
}

static void put_requeued(struct round *rd, unsigned moved, unsigned calls, u64 ns)
{
	struct futex_run *f = rd->f;

	if (f->silent)
		return;
	if (f->pi)
		bench_text(f->b, "[Run %u]: Awoke and Requeued (%u+%u) of %u threads in %.4f ms\n",
			   rd->number + 1, calls, moved - calls, f->threads, (double)ns / 1e6);
	else
		bench_text(f->b, "[Run %u]: Requeued %u of %u threads in %.4f ms\n", rd->number + 1,
			   moved, f->threads, (double)ns / 1e6);
}

/*
 * Requeues all waiters and returns the time in ns, or -errno. A PI-aware call wakes the first
 * waiter and requeues the others.
 */
static s64 requeue_all(struct round *rd)
{
	struct futex_run *f = rd->f;
	int op = f->pi ? FUTEX_CMP_REQUEUE_PI : FUTEX_CMP_REQUEUE;
	unsigned moved = 0, calls = 0;
	u64 start = clock_now();

	while (moved < f->threads) {
		long n = futex_call(f, &rd->first, op, f->pi ? 1 : 0, f->at_once, &rd->second, 0);

		if (n < 0)
			return n;
		moved += (unsigned)n;
		calls++;
	}
	start = clock_now() - start;
	put_requeued(rd, moved, calls, start);
	if (!f->pi)
		futex_call(f, &rd->second, FUTEX_WAKE, moved, 0, NULL, 0);
	return (s64)start;
}

int bench_futex_requeue(struct bench *b, int argc, const char **argv)
{
	struct futex_run f = { .b = b, .at_once = 1 };
	const struct option_row more[] = {
		{ OPTION_UINT, 'q', "nrequeue", &f.at_once,
		  .help = "threads that are requeued at once (default: 1)" },
		{ OPTION_FLAG, 'B', "broadcast", &f.broadcast,
		  .help = "requeue all threads at once" },
		{ OPTION_FLAG, 'p', "pi", &f.pi, .help = "use the PI-aware calls" },
	};
	int code = futex_options(&f, FUTEX_ROW_BUCKETS, more, ARRAY_SIZE(more), argc, argv);
	struct figures times = { 0 };
	struct round rd;

	if (code)
		return bench_parsed(code);
	if (f.broadcast || f.at_once > f.threads)
		f.at_once = f.threads;
	if (!f.at_once) {
		say_error("--nrequeue: at least one thread has to be requeued");
		return EXIT_USAGE;
	}
	bench_text(b,
		   "Run summary [PID %d]: Requeuing %u threads (from [%s] %p to %s%p), %u at a "
		   "time.\n\n",
		   getpid(), f.threads, futex_scope(&f), (void *)&rd.first, f.pi ? "PI " : "",
		   (void *)&rd.second, f.at_once);
	code = all_rounds(&f, &rd, requeue_all, &times);
	if (code)
		return code;
	bench_text(b, "Requeued %u of %u threads in %.4f ms (+-%.2f%%)\n", f.threads, f.threads,
		   times.mean, figures_percent(&times));
	bench_metric(b, "time", times.mean, "msec");
	bench_metric(b, "deviation", figures_percent(&times), "%");
	futex_print_buckets(&f);
	return 0;
}
