// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples in batches, from a thread that runs the session.
 *
 * The thread fills one batch and waits until the consumer asks for the next. While it reads a file
 * it is one batch ahead, since only the thread uses what it changes. A stream changes the history
 * as it is read, so there it waits for the consumer in between.
 */
#include "module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "watched.h"

enum {
	MOST_ENTRIES = 256,
	MOST_BYTES = 64 << 10,
	LOOK_AGAIN = 50000000, /* ns: a signal is noticed after so long */
};

struct reader {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct run *run;
	struct batch *filling; /* the thread's */
	struct batch *full;    /* for the consumer, or NULL */
	struct session_ops ops;
	bool wanted, stop, ended;
	int err;
	struct reason reason;
};

struct batch *batch_get(struct batch *b)
{
	b->refs++;
	return b;
}

/*
 * Frees a batch. Those that the thread made have no reference to the run until they are handed
 * over.
 */
static void batch_free(struct batch *b)
{
	if (!b)
		return;
	vec_release(&b->entries);
	free(b->bytes);
	free(b);
}

void batch_put(struct batch *b)
{
	if (!b || --b->refs)
		return;
	run_put(b->run);
	batch_free(b);
}

static struct batch *batch_new(size_t least)
{
	struct batch *b = xcalloc(1, sizeof(*b));

	b->space = MAX(least, (size_t)MOST_BYTES);
	b->bytes = xmalloc(b->space);
	vec_reserve(&b->entries, MOST_ENTRIES);
	return b;
}

/* Hands the batch over when it is wanted. Returns false to stop reading. */
static bool hand_over(struct reader *r)
{
	bool go;

	pthread_mutex_lock(&r->lock);
	while (r->full && !r->stop)
		pthread_cond_wait(&r->changed, &r->lock);
	r->full = r->stop ? NULL : r->filling;
	if (r->stop)
		batch_free(r->filling);
	r->filling = NULL;
	r->wanted = false;
	pthread_cond_broadcast(&r->changed);
	while (r->run->is_pipe && !r->wanted && !r->stop)
		pthread_cond_wait(&r->changed, &r->lock);
	go = !r->stop;
	pthread_mutex_unlock(&r->lock);
	return go;
}

static bool is_in(const struct record *rec, const u8 *p)
{
	return p && p >= rec->data && p < rec->data + rec->size;
}

static const u8 *moved(const u8 *p, const struct record *rec, const u8 *to)
{
	return is_in(rec, p) ? to + (p - rec->data) : NULL;
}

/*
 * Returns the size of a chain that the session made or changed, which it keeps only until the next
 * sample; otherwise 0.
 */
static size_t own_chain(const struct session_sample *ss)
{
	const struct sample *s = ss->sample;

	return s->chain && !is_in(ss->record, s->chain) ? s->chain_count * 8 : 0;
}

/* Keeps the sample with everything that it points to. */
static void keep(struct batch *b, const struct session_sample *ss)
{
	const struct record *rec = ss->record;
	struct entry e = { .sample = *ss->sample,
			   .key = ss->key,
			   .task = ss->task,
			   .comm = ss->comm,
			   .leaf = ss->leaf };
	struct sample *s = &e.sample;
	u8 *to = b->bytes + b->used;
	size_t chain = own_chain(ss);

	if (e.leaf.mapping) {
		e.map_start = e.leaf.mapping->start;
		e.map_end = e.leaf.mapping->end;
		e.map_pgoff = e.leaf.mapping->pgoff;
		e.leaf.mapping = NULL;
	}
	memcpy(to, rec->data, rec->size);
	b->used += (rec->size + 7u) & ~(size_t)7;
	if (chain) {
		memcpy(b->bytes + b->used, s->chain, chain);
		s->chain = b->bytes + b->used;
		b->used += chain;
	} else {
		s->chain = moved(s->chain, rec, to);
	}
	s->raw = moved(s->raw, rec, to);
	s->branches = moved(s->branches, rec, to);
	s->branch_counters = moved(s->branch_counters, rec, to);
	s->user_regs = moved(s->user_regs, rec, to);
	s->intr_regs = moved(s->intr_regs, rec, to);
	s->stack = moved(s->stack, rec, to);
	s->aux = moved(s->aux, rec, to);
	s->read_values = moved(s->read_values, rec, to);
	vec_push(&b->entries, e);
}

static int on_sample(void *arg, unsigned worker, const struct session_sample *ss,
		     struct reason *reason)
{
	struct reader *r = arg;
	size_t need = ss->record->size + 8 + own_chain(ss);

	(void)worker;
	if (r->filling &&
	    (r->filling->space - r->filling->used < need ||
	     r->filling->entries.count == MOST_ENTRIES) &&
	    !hand_over(r))
		return reason_set(reason, ECANCELED, "stopped");
	if (!r->filling)
		r->filling = batch_new(need);
	keep(r->filling, ss);
	return 0;
}

static bool told_to_stop(struct reader *r)
{
	bool stop;

	pthread_mutex_lock(&r->lock);
	stop = r->stop;
	pthread_mutex_unlock(&r->lock);
	return stop;
}

/*
 * Reads a live session. With each refresh, everything that has come is handed over, however little
 * it is.
 */
static int watch_it(struct reader *r)
{
	int err;

	do {
		err = watched_step(r->run->watched, &r->reason);
		if (err > 0 && r->filling && !hand_over(r))
			return 0;
	} while (err > 0 && !told_to_stop(r));
	return err;
}

static void *read_all_of_it(void *arg)
{
	struct reader *r = arg;
	int err = r->run->watched ? watch_it(r)
				  : session_run(r->run->session, &r->ops, r, &r->reason);

	if (r->filling)
		hand_over(r);
	pthread_mutex_lock(&r->lock);
	r->ended = true;
	r->err = MIN(err, 0);
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/*
 * Initializes the condition. Waits are for a time of the monotonic clock, even if the date is set.
 */
static void init_changed(struct reader *r)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&r->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

static int begin_watching(struct reader *r)
{
	int err = 0;

	if (r->run->watched) {
		Py_BEGIN_ALLOW_THREADS err = watched_start(r->run, &r->ops, r, &r->reason);
		Py_END_ALLOW_THREADS
	}
	return err;
}

struct reader *reader_new(struct run *run, bool chains)
{
	struct reader *r = xcalloc(1, sizeof(*r));
	int err;

	pthread_mutex_init(&r->lock, NULL);
	init_changed(r);
	r->run = run_get(run);
	run->busy++;
	run->read = true;
	r->ops = (struct session_ops){ .order = SESSION_ORDERED,
				       .sample = on_sample,
				       .no_chains = !chains };
	err = begin_watching(r);
	if (err) {
		raise_reason(err, &r->reason);
		watched_end(run->watched);
		run->busy--;
		run_put(run);
		free(r);
		return NULL;
	}
	if (pthread_create(&r->thread, NULL, read_all_of_it, r)) {
		run->busy--;
		run_put(r->run);
		free(r);
		return (struct reader *)PyErr_NoMemory();
	}
	return r;
}

/*
 * Waits for a change. A live source may be silent for long, so the caller gets to look for signals
 * in between.
 */
static void await_change(struct reader *r)
{
	struct timespec until;

	if (!r->run->watched) {
		pthread_cond_wait(&r->changed, &r->lock);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += LOOK_AGAIN;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&r->changed, &r->lock, &until);
}

/* Returns the next batch, or NULL; *more means that the caller should ask again. */
static struct batch *take_full(struct reader *r, int *err, bool *more)
{
	struct batch *b;

	pthread_mutex_lock(&r->lock);
	/*
	 * a ready batch was read before: of a stream nothing more is read while the consumer uses
	 * it
	 */
	r->wanted = !r->full;
	pthread_cond_broadcast(&r->changed);
	do
		if (!r->full && !r->ended)
			await_change(r);
	while (!r->full && !r->ended && !r->run->watched);
	b = r->full;
	r->full = NULL;
	*more = !b && !r->ended;
	*err = b ? 0 : r->err;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	return b;
}

struct batch *reader_next(struct reader *r)
{
	struct batch *b;
	bool more;
	int err;

	do {
		Py_BEGIN_ALLOW_THREADS b = take_full(r, &err, &more);
		Py_END_ALLOW_THREADS if (more && PyErr_CheckSignals()) return NULL;
	} while (more);
	if (b) {
		b->refs = 1;
		b->run = run_get(r->run);
	} else if (err) {
		raise_reason(err, &r->reason);
	}
	return b;
}

struct run *reader_run(struct reader *r)
{
	return r->run;
}

void reader_free(struct reader *r)
{
	if (!r)
		return;
	Py_BEGIN_ALLOW_THREADS pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	Py_END_ALLOW_THREADS batch_free(r->full);
	if (r->run->watched)
		watched_end(r->run->watched);
	r->run->busy--;
	run_put(r->run);
	reason_release(&r->reason);
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->changed);
	free(r);
}
