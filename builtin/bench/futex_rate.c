// SPDX-License-Identifier: GPL-2.0-or-later
/* futex hash, lock-pi: threads call for a time, and operations for each second are counted. */
#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "builtin/bench/futex.h"
#include "cli/say.h"

struct worker {
	struct futex_run *f;
	struct team *team;
	u32 *futex;
	u64 operations;
	int err; /* the first of a call that failed unexpectedly */
};

/* Waits with a value that never matches, so only the hashing of the address is measured. */
static void *hash(void *arg)
{
	struct worker *w = arg;
	u64 n = 0;

	if (!team_gate(w->team))
		return NULL;
	do {
		for (unsigned i = 0; i < w->f->futexes; i++, n++) {
			long got = futex_call(w->f, &w->futex[i], FUTEX_WAIT, 1234, 0, NULL, 0);

			if (got != -EAGAIN && !w->err)
				w->err = got < 0 ? (int)-got : EINVAL;
		}
	} while (bench_goes_on(w->f->b));
	w->operations = n;
	return NULL;
}

static void *lock(void *arg)
{
	struct worker *w = arg;
	u64 n = 0;

	if (!team_gate(w->team))
		return NULL;
	do {
		long got = futex_call(w->f, w->futex, FUTEX_LOCK_PI, 0, 0, NULL, 0);

		if (got < 0) {
			w->err = w->err ? w->err : (int)-got;
			continue;
		}
		usleep(1);
		got = futex_call(w->f, w->futex, FUTEX_UNLOCK_PI, 0, 0, NULL, 0);
		if (got < 0 && !w->err)
			w->err = (int)-got;
		n++;
	} while (bench_goes_on(w->f->b));
	w->operations = n;
	return NULL;
}

static void print_worker(const struct futex_run *f, unsigned i, const struct worker *w, u64 rate,
			 const char *what)
{
	if (f->silent)
		return;
	if (*what == 'l')
		bench_text(f->b, "[thread %3u] futex: %p [ %" PRIu64 " ops/sec ]\n", i,
			   (void *)w->futex, rate);
	else if (f->futexes == 1)
		bench_text(f->b, "[thread %2u] futex: %p [ %" PRIu64 " ops/sec ]\n", i,
			   (void *)w->futex, rate);
	else
		bench_text(f->b, "[thread %2u] futexes: %p ... %p [ %" PRIu64 " ops/sec ]\n", i,
			   (void *)w->futex, (void *)(w->futex + f->futexes - 1), rate);
}

static int report(struct futex_run *f, const struct worker *w, u64 ns, const char *what)
{
	struct figures rates = { 0 };
	int err = 0;

	for (unsigned i = 0; i < f->threads; i++) {
		double rate = (double)w[i].operations / ((double)MAX(ns, 1ULL) / 1e9);

		figures_add(&rates, rate);
		print_worker(f, i, &w[i], (u64)rate, what);
		err = err ? err : w[i].err;
	}
	bench_text(f->b,
		   "%sAveraged %" PRIu64 " operations/sec (+- %.2f%%), total secs = %" PRIu64 "\n",
		   f->silent ? "" : "\n", (u64)rates.mean, figures_percent(&rates),
		   (ns + 500000000) / 1000000000);
	bench_metric(f->b, "operations", rates.mean, "1/sec");
	bench_metric(f->b, "deviation", figures_percent(&rates), "%");
	bench_metric(f->b, "runtime", (double)ns / 1e9, "sec");
	futex_print_buckets(f);
	if (err && !f->silent)
		return bench_failed(err, "calls of futex(2) failed unexpectedly");
	return 0;
}

static int run_workers(struct futex_run *f, void *(*fn)(void *), u32 *common, const char *what)
{
	struct worker *w = xcalloc(f->threads, sizeof(*w));
	struct team team;
	u64 ran;
	int code;

	for (unsigned i = 0; i < f->threads; i++) {
		w[i] = (struct worker){ .f = f, .team = &team };
		w[i].futex = common ? common : xcalloc(f->futexes, sizeof(u32));
	}
	bench_catch_interrupt(f->b);
	code = team_start(&team, f->threads, true, fn, w, sizeof(*w));
	if (!code) {
		team_open(&team);
		ran = bench_let_run(f->b, f->runtime);
		team_join(&team);
		code = report(f, w, ran, what);
	}
	for (unsigned i = 0; i < f->threads && !common; i++)
		free(w[i].futex);
	free(w);
	return code;
}

int bench_futex_hash(struct bench *b, int argc, const char **argv)
{
	struct futex_run f = { .b = b, .futexes = 1024, .runtime = 10 };
	const struct option_row more = {
		OPTION_UINT,
		'f',
		"futexes",
		&f.futexes,
		.help = "futexes of each thread (default: 1024)",
	};
	int code = futex_options(&f, FUTEX_ROW_TIME | FUTEX_ROW_BUCKETS, &more, 1, argc, argv);

	if (code)
		return bench_parsed(code);
	if (!f.futexes) {
		say_error("--futexes: at least one is needed");
		return EXIT_USAGE;
	}
	bench_text(b,
		   "Run summary [PID %d]: %u threads, each operating on %u [%s] futexes for %u "
		   "secs.\n\n",
		   getpid(), f.threads, f.futexes, futex_scope(&f), f.runtime);
	return run_workers(&f, hash, NULL, "hash");
}

int bench_futex_lock_pi(struct bench *b, int argc, const char **argv)
{
	struct futex_run f = { .b = b, .futexes = 1, .runtime = 10 };
	const struct option_row more = { OPTION_FLAG, 'M', "multi", &f.multi,
					 .help = "a futex for each thread" };
	int code = futex_options(&f, FUTEX_ROW_TIME | FUTEX_ROW_BUCKETS, &more, 1, argc, argv);
	u32 common = 0;

	if (code)
		return bench_parsed(code);
	bench_text(b,
		   "Run summary [PID %d]: %u threads doing pi lock/unlock pairing for %u secs.\n\n",
		   getpid(), f.threads, f.runtime);
	return run_workers(&f, lock, f.multi ? NULL : &common, "lock-pi");
}
