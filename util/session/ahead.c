// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ordered reading by two threads: one reads, sorts and merges, the calling one runs the
 * callbacks.  Between them go batches of turns, in order; a batch also carries the blocks whose
 * last record it or an earlier one has, so that their bytes stay until the callbacks have run.
 *
 * Without a second thread a batch is delivered where it would be passed on.
 */
#include <errno.h>

#include "base/bytes.h"
#include "session/ahead.h"

void ahead_init(struct ahead *a, struct deliver *d)
{
	*a = (struct ahead){ .d = d };
	a->batches = xcalloc(AHEAD_BATCHES, sizeof(*a->batches));
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
}

void ahead_release(struct ahead *a)
{
	for (unsigned i = 0; i < AHEAD_BATCHES; i++)
		vec_release(&a->batches[i].done);
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	free(a->batches);
}

struct turn_batch *ahead_batch(struct ahead *a)
{
	return &a->batches[a->last];
}

static void record_of(const struct turn *t, bool swap, struct record *rec)
{
	rec->type = load_u32(t->data, swap);
	rec->misc = load_u16(t->data + 4, swap);
	rec->size = load_u16(t->data + 6, swap);
	rec->data = t->data;
	rec->position = t->position;
	rec->file_offset = t->file_offset;
	rec->file = t->file;
}

static int deliver_batch(struct ahead *a, const struct turn_batch *b, struct reason *r)
{
	enum { SOON = 12 }; /* records: what the other thread had in its cache comes in time */
	bool swap = a->d->s->set->swap;
	int err = 0;

	for (u32 i = 0; !err && i < b->count; i++) {
		const struct turn *t = &b->turns[i];
		struct order_key key = { t->time, t->file, t->position };
		struct record rec;

		if (i + SOON < b->count) {
			__builtin_prefetch(t[SOON].data);
			__builtin_prefetch(t[SOON].data + 64);
		}
		record_of(t, swap, &rec);
		err = deliver(a->d, &rec, &key, r);
	}
	return err;
}

/* By the reading thread: until so many batches at most wait. */
static int wait_for(struct ahead *a, unsigned most)
{
	while (a->full > most && !a->stop)
		pthread_cond_wait(&a->changed, &a->lock);
	return a->stop ? -ECANCELED : 0;
}

int ahead_pass_on(struct ahead *a, unsigned most, struct reason *r)
{
	struct turn_batch *b = ahead_batch(a);
	int err;

	if (!a->threaded) {
		err = deliver_batch(a, b, r);
		b->count = 0;
		return err;
	}
	pthread_mutex_lock(&a->lock);
	a->full++;
	a->last = (a->last + 1) % AHEAD_BATCHES;
	pthread_cond_signal(&a->changed);
	err = wait_for(a, most);
	pthread_mutex_unlock(&a->lock);
	return err;
}

static void *read_ahead(void *arg)
{
	struct ahead *a = arg;
	int err = a->read(a->arg, &a->reason);

	if (!err)
		err = ahead_pass_on(a, AHEAD_BATCHES, &a->reason);
	pthread_mutex_lock(&a->lock);
	a->err = err;
	a->ended = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* The next batch, or NULL at the end. */
static struct turn_batch *next_batch(struct ahead *a)
{
	struct turn_batch *b;

	pthread_mutex_lock(&a->lock);
	while (!a->full && !a->ended)
		pthread_cond_wait(&a->changed, &a->lock);
	b = a->full ? &a->batches[a->first] : NULL;
	pthread_mutex_unlock(&a->lock);
	return b;
}

static void give_back(struct ahead *a, bool failed)
{
	pthread_mutex_lock(&a->lock);
	a->batches[a->first].count = 0;
	a->first = (a->first + 1) % AHEAD_BATCHES;
	a->full--;
	a->stop = failed;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

static int deliver_all(struct ahead *a, struct reason *r)
{
	struct turn_batch *b;
	int err = 0;

	while (!err && (b = next_batch(a))) {
		err = deliver_batch(a, b, r);
		give_back(a, err);
	}
	return err;
}

int ahead_run(struct ahead *a, bool threaded, int (*read)(void *, struct reason *), void *arg,
	      struct reason *r)
{
	pthread_t thread;
	int err;

	a->read = read;
	a->arg = arg;
	a->threaded = threaded;
	/* a thread that cannot be had costs time, not results */
	if (threaded && pthread_create(&thread, NULL, read_ahead, a))
		a->threaded = false;
	if (!a->threaded) {
		err = read(arg, r);
		return err ? err : ahead_pass_on(a, 0, r);
	}
	err = deliver_all(a, r);
	pthread_join(thread, NULL);
	if (err || !a->err) {
		reason_release(&a->reason);
		return err;
	}
	reason_move(r, &a->reason);
	return a->err;
}
