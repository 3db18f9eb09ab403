// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/threads.h"

#include <pthread.h>
#include <signal.h>

#include "base/self_profile.h"
#include "base/types.h"

/* What another thread does, which --self-profile shows. */
struct spanned {
	void *(*fn)(void *);
	void *arg;
	struct phase_place of_starter;
};

static void *in_span(void *arg)
{
	const struct spanned *s = arg;

	phase_thread_begins(s->of_starter);
	s->fn(s->arg);
	phase_thread_ends();
	return NULL;
}

void threads_run(unsigned count, void *(*fn)(void *), void *const *args)
{
	pthread_t threads[MOST_THREADS];
	struct spanned spanned[MOST_THREADS];
	bool spans = phases_on;
	unsigned started = 0;

	/* Jobs without a thread are done here. */
	for (; started + 1 < MIN(count, (unsigned)MOST_THREADS); started++) {
		void *theirs = args[started + 1];

		if (spans)
			spanned[started] = (struct spanned){ fn, theirs, phase_here() };
		if (pthread_create(&threads[started], NULL, spans ? in_span : fn,
				   spans ? &spanned[started] : theirs))
			break;
	}
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

void threads_in_pieces(unsigned count, size_t pieces, void (*work)(void *arg, size_t piece),
		       void *arg)
{
	struct crew crew = { .work = work, .arg = arg, .count = pieces };
	void *args[MOST_THREADS];

	count = (unsigned)MAX(MIN(MIN((size_t)count, pieces), (size_t)MOST_THREADS), (size_t)1);
	for (unsigned i = 0; i < count; i++)
		args[i] = &crew;
	threads_run(count, take_pieces, args);
}

/*
 * Fills the set, except for the signals of a thread's own faults: where one is blocked, the kernel
 * ends the process instead of calling its handler.
 */
static void all_that_is_sent(sigset_t *set)
{
	sigfillset(set);
	sigdelset(set, SIGBUS); /* base/lost_pages.h answers it */
	sigdelset(set, SIGSEGV);
	sigdelset(set, SIGFPE);
	sigdelset(set, SIGILL);
	sigdelset(set, SIGTRAP);
	sigdelset(set, SIGSYS);
}

int thread_beside(pthread_t *thread, void *(*fn)(void *), void *arg)
{
	sigset_t sent, old;
	int err;

	all_that_is_sent(&sent);
	pthread_sigmask(SIG_SETMASK, &sent, &old);
	err = pthread_create(thread, NULL, fn, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}
