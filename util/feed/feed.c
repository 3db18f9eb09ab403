// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The queue between the reader and the worker.
 *
 * f->lock guards the queue, the flags and the counts.  The order of pieces does not depend on
 * where they wait, so neither does the outcome.
 */
#include "feed/feed.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bug.h"
#include "feed/internal.h"

enum {
	MOST_WAITING = 64 << 20, /* bytes */
	UNUSED_OF_RECORDING = 16 << 20, /* bytes of buffers that are kept for later */
	UNUSED_OF_SCREEN = 1 << 20,
	WORKER_NICE = 10,
	LOOK_AGAIN = 50000000, /* ns: a cancelled context is noticed after so long */
};

struct piece {
	struct piece *next;
	enum feed_piece kind;
	u8 *data; /* NULL: spilled */
	u64 spilled_at;
	size_t size;
	u64 number;
};

struct feed {
	struct session *session;
	struct feed_settings o;
	struct buffers buffers;
	struct spill spill;
	/* the reader's */
	u64 taken;
	unsigned rounds_due; /* two after the last piece: the second one lets it out of the window */
	struct session_shedder shedder;
	/* the worker's */
	u64 done, position;
	int err;
	pthread_t thread;
	bool started;

	pthread_mutex_t lock;
	pthread_cond_t work;
	struct piece *first, **last;
	u64 waiting; /* bytes in memory */
	u64 dropped;
	bool stop;
};

/* The worker */

static int load(struct feed *f, struct piece *p, struct reason *r)
{
	if (p->data)
		return 0;
	p->data = piece_bytes(&f->buffers, p->size);
	if (!p->data)
		return reason_set(r, ENOMEM, "not enough memory for %zu bytes of records", p->size);
	return spill_read(&f->spill, p->data, p->size, p->spilled_at, r);
}

static int push(struct feed *f, struct piece *p, struct reason *r)
{
	struct data_chunk c = { .size = p->size, .position = f->position };
	int err = load(f, p, r);

	if (err)
		return err;
	c.data = p->data;
	p->data = NULL; /* the session's now; it comes back by give_back() */
	f->position += p->size;
	f->done = p->number;
	return session_push_owned(f->session, f->o.ops, f->o.arg, &c, r);
}

static int work_on(struct feed *f, struct piece *p, struct reason *r)
{
	int err;

	if (p->kind == FEED_RECORDS)
		return push(f, p, r);
	if (p->kind == FEED_END)
		return session_flush(f->session, f->o.ops, f->o.arg, r);
	err = session_round(f->session, f->o.ops, f->o.arg, r);
	if (!err && !f->o.remembers) {
		session_compact(f->session, &f->o.keep);
		session_trim(f->session, &f->o.keep);
	}
	return err;
}

static void give_back(void *arg, u8 *bytes)
{
	struct feed *f = arg;

	piece_bytes_put(&f->buffers, bytes);
}

static void free_piece(struct feed *f, struct piece *p)
{
	piece_bytes_put(&f->buffers, p->data);
	free(p);
}

/* f->lock is held. */
static struct piece *take_first(struct feed *f)
{
	struct piece *p = f->stop ? NULL : f->first;

	if (!p)
		return NULL;
	f->first = p->next;
	if (!f->first)
		f->last = &f->first;
	if (p->data)
		f->waiting -= p->size;
	return p;
}

/* After the first error pieces are only let go, but whoever waits for an end hears of it. */
static int run_piece(struct feed *f, struct piece *p, struct reason *why)
{
	enum feed_piece kind = p->kind;
	int err = f->err ? 0 : work_on(f, p, why);

	free_piece(f, p);
	if (err)
		f->err = err;
	if (f->o.after && (err || !f->err || kind == FEED_END))
		f->o.after(f->o.arg, kind, err, why);
	return err;
}

static void *run_worker(void *arg)
{
	struct feed *f = arg;
	struct piece *p;

	/* emptying rings comes first: what waits here is not lost */
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), WORKER_NICE);
	for (;;) {
		struct reason why = REASON_INIT;

		pthread_mutex_lock(&f->lock);
		while (!f->first && !f->stop)
			pthread_cond_wait(&f->work, &f->lock);
		p = take_first(f);
		pthread_mutex_unlock(&f->lock);
		if (!p)
			return NULL;
		run_piece(f, p, &why);
		reason_release(&why);
	}
}

static u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

/* The first piece; NULL when none came until then. */
static struct piece *await_piece(struct feed *f, u64 until)
{
	u64 look = MIN(until, now_ns() + LOOK_AGAIN);
	struct timespec ts = { (time_t)(look / 1000000000), (long)(look % 1000000000) };
	struct piece *p;

	pthread_mutex_lock(&f->lock);
	if (!f->first && !f->stop)
		pthread_cond_timedwait(&f->work, &f->lock, &ts);
	p = take_first(f);
	pthread_mutex_unlock(&f->lock);
	return p;
}

int feed_work(struct feed *f, u64 until, struct reason *r)
{
	struct piece *p;

	BUG_ON(f->started);
	do {
		bool ends;
		int err;

		if (context_cancelled(session_context(f->session)))
			return reason_set(r, EINTR, "interrupted");
		p = await_piece(f, until);
		if (!p)
			continue;
		ends = p->kind == FEED_END;
		err = run_piece(f, p, r);
		if (err || ends)
			return err;
	} while (until ? now_ns() < until : p != NULL);
	return 1;
}

bool feed_has_work(struct feed *f)
{
	bool has;

	pthread_mutex_lock(&f->lock);
	has = f->first != NULL;
	pthread_mutex_unlock(&f->lock);
	return has;
}

/* The reader */

static void enqueue(struct feed *f, struct piece *p)
{
	pthread_mutex_lock(&f->lock);
	*f->last = p;
	f->last = &p->next;
	f->waiting += p->data ? p->size : 0;
	pthread_cond_signal(&f->work);
	pthread_mutex_unlock(&f->lock);
}

static void mark(struct feed *f, enum feed_piece kind)
{
	struct piece *p = xcalloc(1, sizeof(*p));

	p->kind = kind;
	enqueue(f, p);
}

void feed_round(struct feed *f)
{
	if (!f->rounds_due)
		return;
	f->rounds_due--;
	mark(f, FEED_ROUND);
}

void feed_end(struct feed *f)
{
	mark(f, FEED_END);
}

/* What a ring's two pieces hold, in one. */
static void copy(u8 *to, const struct ring_data *d)
{
	memcpy(to, d->first, d->first_size);
	if (d->second_size)
		memcpy(to + d->first_size, d->second, d->second_size);
}

/* Leave out samples, if too much waits already. */
static void shed(struct feed *f, struct piece *p, u64 waiting)
{
	const struct data_chunk c = { .data = p->data, .size = p->size };
	u64 before = f->shedder.dropped;
	struct record rec;
	size_t at = 0, left = 0;

	while (data_chunk_record(&c, &at, &rec)) {
		if (rec.type == PERF_RECORD_SAMPLE && session_sheds(&f->shedder, waiting + left, f->o.most_waiting))
			continue;
		memmove(p->data + left, rec.data, rec.size);
		left += rec.size;
	}
	p->size = left;
	pthread_mutex_lock(&f->lock);
	f->dropped += f->shedder.dropped - before;
	pthread_mutex_unlock(&f->lock);
}

static int copy_piece(struct feed *f, struct piece *p, const struct ring_data *d, u64 waiting, struct reason *r)
{
	p->data = piece_bytes(&f->buffers, p->size);
	if (!p->data)
		return reason_set(r, ENOMEM, "not enough memory for %zu bytes of records", p->size);
	copy(p->data, d);
	if (f->o.taken)
		f->o.taken(f->o.arg, p->data, p->size, p->number);
	if (f->o.overload == FEED_SHED && waiting >= f->o.most_waiting / 2)
		shed(f, p, waiting);
	return 0;
}

/* Records on disk are not in one piece: what is to be seen of them is looked at in the ring. */
static int put_aside(struct feed *f, struct piece *p, const struct ring_data *d, struct reason *r)
{
	u8 *whole = NULL;

	if (f->o.taken && d->second_size) {
		whole = piece_bytes(&f->buffers, p->size);
		if (!whole)
			return reason_set(r, ENOMEM, "not enough memory for %zu bytes of records", p->size);
		copy(whole, d);
	}
	if (f->o.taken)
		f->o.taken(f->o.arg, whole ? whole : d->first, p->size, p->number);
	piece_bytes_put(&f->buffers, whole);
	return spill_write(&f->spill, d, &p->spilled_at, r);
}

int feed_take(struct feed *f, const struct ring_data *d, struct reason *r)
{
	struct piece *p = xcalloc(1, sizeof(*p));
	u64 waiting = feed_waiting(f);
	int err;

	p->size = d->first_size + d->second_size;
	p->number = ++f->taken;
	if (f->o.overload == FEED_SPILL && waiting + p->size > f->o.most_waiting)
		err = put_aside(f, p, d, r);
	else
		err = copy_piece(f, p, d, waiting, r);
	if (err) {
		free_piece(f, p);
		return err;
	}
	f->rounds_due = 2;
	enqueue(f, p);
	return 0;
}

/* Life */

struct feed *feed_new(struct session *s, const struct feed_settings *settings)
{
	struct feed *f = xcalloc(1, sizeof(*f));
	pthread_condattr_t monotonic;

	f->session = s;
	f->o = *settings;
	if (!f->o.most_waiting)
		f->o.most_waiting = MOST_WAITING;
	f->last = &f->first;
	f->spill.fd = -1;
	buffers_init(&f->buffers, f->o.overload == FEED_SPILL ? UNUSED_OF_RECORDING : UNUSED_OF_SCREEN);
	session_set_give_back(s, give_back, f);
	pthread_mutex_init(&f->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&f->work, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return f;
}

int feed_start(struct feed *f, struct reason *r)
{
	sigset_t every, old;
	int err;

	BUG_ON(f->started);
	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &old);
	err = pthread_create(&f->thread, NULL, run_worker, f);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	f->started = !err;
	return err ? reason_errno(r, err, "cannot start a thread") : 0;
}

static void stop(struct feed *f)
{
	pthread_mutex_lock(&f->lock);
	f->stop = true;
	pthread_cond_signal(&f->work);
	pthread_mutex_unlock(&f->lock);
	if (f->started)
		pthread_join(f->thread, NULL);
	f->started = false;
}

void feed_free(struct feed *f)
{
	if (!f)
		return;
	stop(f);
	while (f->first) {
		struct piece *p = f->first;

		f->first = p->next;
		free_piece(f, p);
	}
	session_drop_held(f->session);
	session_set_give_back(f->session, NULL, NULL);
	spill_release(&f->spill);
	buffers_release(&f->buffers);
	pthread_cond_destroy(&f->work);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

u64 feed_done(const struct feed *f)
{
	return f->done;
}

u64 feed_waiting(struct feed *f)
{
	u64 waiting;

	pthread_mutex_lock(&f->lock);
	waiting = f->waiting;
	pthread_mutex_unlock(&f->lock);
	return waiting;
}

u64 feed_spilled(struct feed *f)
{
	return __atomic_load_n(&f->spill.written, __ATOMIC_RELAXED);
}

u64 feed_dropped(struct feed *f)
{
	u64 dropped;

	pthread_mutex_lock(&f->lock);
	dropped = f->dropped;
	pthread_mutex_unlock(&f->lock);
	return dropped;
}
