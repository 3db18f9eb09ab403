// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs work on all threads: one of several jobs each, or pieces of many that are alike. */
#include "base/threads.h"
#include "hist/internal.h"

unsigned hist_threads(const struct hist *h, size_t jobs)
{
	size_t n = MIN(context_workers(h->ctx), jobs);

	return (unsigned)MAX(MIN(n, (size_t)HIST_MAX_THREADS), (size_t)1);
}

void hist_run_threads(unsigned count, void *(*fn)(void *), void *const *args)
{
	threads_run(count, fn, args);
}

void hist_in_pieces(const struct hist *h, size_t count, void (*work)(void *arg, size_t piece),
		    void *arg)
{
	threads_in_pieces(hist_threads(h, count), count, work, arg);
}
