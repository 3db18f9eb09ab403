// SPDX-License-Identifier: GPL-2.0-or-later
/* Work on all threads: one of several jobs each, or pieces of many that are alike. */
#include <pthread.h>

#include "hist/internal.h"

unsigned hist_threads(const struct hist *h, size_t jobs)
{
	size_t n = MIN(context_workers(h->ctx), jobs);

	return (unsigned)MAX(MIN(n, (size_t)HIST_MAX_THREADS), (size_t)1);
}

void hist_run_threads(unsigned count, void *(*fn)(void *), void *const *args)
{
	pthread_t threads[HIST_MAX_THREADS];
	unsigned started = 0;

	/* Jobs without a thread of their own are done here. */
	while (started + 1 < MIN(count, (unsigned)HIST_MAX_THREADS) &&
	       !pthread_create(&threads[started], NULL, fn, args[started + 1]))
		started++;
	fn(args[0]);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = started + 1; i < count; i++)
		fn(args[i]);
}

struct crew {
	void (*work)(void *arg, size_t piece);
	void *arg;
	size_t next, count;
};

static void *take_pieces(void *arg)
{
	struct crew *c = arg;

	for (;;) {
		size_t piece = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED);

		if (piece >= c->count)
			return NULL;
		c->work(c->arg, piece);
	}
}

void hist_in_pieces(const struct hist *h, size_t count, void (*work)(void *arg, size_t piece), void *arg)
{
	struct crew crew = { .work = work, .arg = arg, .count = count };
	unsigned threads = hist_threads(h, count);
	void *args[HIST_MAX_THREADS];

	for (unsigned i = 0; i < threads; i++)
		args[i] = &crew;
	hist_run_threads(threads, take_pieces, args);
}
