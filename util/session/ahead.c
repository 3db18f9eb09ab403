// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ordered reading by several threads. One thread reads, sorts and merges. The calling thread, and
 * others where the command takes pieces, run the callbacks. Batches of turns pass between them, in
 * order. A batch also carries the blocks whose last record is in it or in an earlier batch, so
 * their bytes stay until the callbacks have run.
 *
 * Where the command takes pieces, the reader is one of the workers: when it has read enough, it
 * runs the callbacks of a batch instead of sleeping. There are as many threads as workers, so none
 * takes a processor from another. Where the command takes no pieces, the reader makes jobs of the
 * callbacks then: text of lines, whose facts the callbacks have found.
 *
 * Without a second thread, ahead_pass_on() delivers the batch itself.
 */
#include <errno.h>

#include "base/self_profile.h"
#include "session/ahead.h"

void ahead_init(struct ahead *a, struct deliver *deliverers, unsigned workers)
{
	*a = (struct ahead){ .deliverers = deliverers, .workers = workers, .most = AHEAD_TURNS };
	a->batches = xcalloc(AHEAD_BATCHES, sizeof(*a->batches));
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->more, NULL);
	pthread_cond_init(&a->less, NULL);
	pthread_cond_init(&a->turn, NULL);
	pthread_cond_init(&a->jobs.made_one, NULL);
}

void ahead_release(struct ahead *a)
{
	for (unsigned i = 0; i < AHEAD_BATCHES; i++) {
		vec_release(&a->batches[i].done);
		reason_release(&a->made[i].why);
	}
	pthread_cond_destroy(&a->more);
	pthread_cond_destroy(&a->less);
	pthread_cond_destroy(&a->turn);
	pthread_cond_destroy(&a->jobs.made_one);
	pthread_mutex_destroy(&a->lock);
	free(a->batches);
}

struct turn_batch *ahead_batch(struct ahead *a)
{
	return &a->batches[a->filled % AHEAD_BATCHES];
}

bool ahead_is_full(struct ahead *a)
{
	const struct turn_batch *b = ahead_batch(a);

	return b->count >= ahead_most(a) ||
	       b->done.count >= (a->threaded ? AHEAD_DONE_THREADED : AHEAD_DONE);
}

static int deliver_batch(struct deliver *d, const struct turn_batch *b, struct reason *r)
{
	int err;

	phase_begin("pass 2: records in order");
	err = deliver_turns(d, b->turns, b->count, r);
	phase_end();
	return err;
}

/*
 * Ends a piece with piece_end(), once the piece and all before it are done. Returns err, or else
 * what piece_end() returned.
 */
static int end_made(const struct deliver *d, void *piece, int err, struct reason *r)
{
	int ended = d->ops->piece_end(piece, err ? NULL : r);

	return err ? err : ended;
}

static int end_piece(struct deliver *d, int err, struct reason *r)
{
	const struct session_ops *ops = d->ops;

	if (!ops->piece_end)
		return err;
	return end_made(d, ops->piece_take ? ops->piece_take(d->arg) : d->arg, err, r);
}

void ahead_piece_made(struct ahead *a, size_t bytes)
{
	u64 most = bytes ? (u64)AHEAD_MADE * a->ending / bytes : AHEAD_TURNS;

	most = MIN(MAX(most, (u64)AHEAD_LEAST), (u64)AHEAD_TURNS);
	__atomic_store_n(&a->most, (u32)most, __ATOMIC_RELAXED);
}

/* Waits until cond is signalled, or makes one waiting job instead. The caller holds the lock. */
static void wait_or_make(struct ahead *a, pthread_cond_t *cond)
{
	if (jobs_wait(&a->jobs))
		jobs_make_one(&a->jobs, &a->lock);
	else
		pthread_cond_wait(cond, &a->lock);
}

void ahead_give_job(struct ahead *a, struct session_job *job)
{
	if (!a->threaded) {
		session_do_job(job);
		return;
	}
	jobs_give(&a->jobs, &a->lock, job);
	pthread_cond_signal(&a->less);
}

/* Takes the next batch's number. Returns false when no more batches will come. */
static bool take(struct ahead *a, u64 *number)
{
	bool is;

	pthread_mutex_lock(&a->lock);
	phase_begin("pass 2: wait for the reader");
	while (a->taken == a->filled && !a->ended && !a->stop)
		wait_or_make(a, &a->more);
	phase_end();
	is = a->taken < a->filled && !a->stop;
	if (is)
		*number = a->taken++;
	pthread_mutex_unlock(&a->lock);
	return is;
}

/* Waits until all batches before this one are done. Returns false when one of them failed. */
static bool wait_turn(struct ahead *a, u64 number)
{
	bool is;

	pthread_mutex_lock(&a->lock);
	phase_begin("pass 2: wait for earlier records");
	while (a->done != number && !a->stop)
		pthread_cond_wait(&a->turn, &a->lock);
	phase_end();
	is = !a->stop;
	pthread_mutex_unlock(&a->lock);
	return is;
}

static void give_back(struct ahead *a, u64 number, int err, struct reason *r)
{
	pthread_mutex_lock(&a->lock);
	a->batches[number % AHEAD_BATCHES].count = 0;
	a->done++;
	if (err) {
		a->stop = true;
		a->failed = err;
		reason_move(&a->why, r);
		pthread_cond_broadcast(&a->more);
	}
	if (a->stop || a->done == a->wake_at)
		pthread_cond_signal(&a->less);
	pthread_cond_broadcast(&a->turn);
	pthread_mutex_unlock(&a->lock);
}

/*
 * Takes the piece whose turn it is. Returns false when it is not made yet, or when the run has
 * stopped.
 */
static bool take_made(struct ahead *a, struct made_piece *out)
{
	struct made_piece *next;
	bool is;

	pthread_mutex_lock(&a->lock);
	next = &a->made[a->done % AHEAD_BATCHES];
	a->passing = is = next->is && !a->stop;
	if (is) {
		*out = *next;
		*next = (struct made_piece){ .is = false };
	}
	pthread_mutex_unlock(&a->lock);
	return is;
}

/* Ends all pieces whose turn has come. */
static void pass_made(struct ahead *a, const struct deliver *d)
{
	struct made_piece m;

	while (take_made(a, &m)) {
		u64 number = a->done; /* no other thread changes it */

		a->ending = a->batches[number % AHEAD_BATCHES].count;
		m.err = end_made(d, m.piece, m.err, &m.why);
		give_back(a, number, m.err, &m.why);
		reason_release(&m.why);
	}
}

/*
 * Hands over a finished piece. The thread that made the last missing piece ends all pieces whose
 * turn has come, so no thread waits for its turn. Sleeping and waking would cost a good part of the
 * time of a piece.
 */
static void hand_over(struct ahead *a, struct deliver *d, u64 number, int err, struct reason *r)
{
	struct made_piece m = {
		.is = true, .piece = d->ops->piece_take(d->arg), .err = err, .why = REASON_INIT
	};
	bool pass;

	reason_move(&m.why, r);
	pthread_mutex_lock(&a->lock);
	a->made[number % AHEAD_BATCHES] = m;
	pass = !a->passing && a->done == number;
	a->passing |= pass;
	pthread_mutex_unlock(&a->lock);
	if (pass)
		pass_made(a, d);
}

/*
 * Calls back for the records of a batch and ends its piece after all pieces before it. Returns 0,
 * or -errno, which ends the run.
 */
static int deliver_number(struct ahead *a, struct deliver *d, u64 number, struct reason *r)
{
	int err = deliver_batch(d, &a->batches[number % AHEAD_BATCHES], r);

	if (d->ops->piece_take) {
		hand_over(a, d, number, err, r);
		return err;
	}
	if (!wait_turn(a, number))
		return -ECANCELED;
	a->ending = a->batches[number % AHEAD_BATCHES].count;
	err = end_piece(d, err, r);
	give_back(a, number, err, r);
	return err;
}

static void deliver_all(struct ahead *a, struct deliver *d)
{
	struct reason r = REASON_INIT;
	u64 number;
	int err = 0;

	while (!err && take(a, &number))
		err = deliver_number(a, d, number, &r);
	reason_release(&r);
}

/* ---- the reader ---- */

/*
 * Returns the reader's own deliverer, or NULL. The reader is the second worker where the command
 * takes pieces.
 */
static struct deliver *of_reader(const struct ahead *a)
{
	return a->workers > 1 ? &a->deliverers[1] : NULL;
}

/*
 * Takes a batch for the reader to deliver, if more than `most` batches are not delivered yet.
 * Returns false when the reader cannot help.
 */
static bool can_help(struct ahead *a, unsigned most, u64 *number)
{
	bool can;

	pthread_mutex_lock(&a->lock);
	can = of_reader(a) && !a->stop && a->filled - a->done > most && a->taken < a->filled;
	if (can)
		*number = a->taken++;
	pthread_mutex_unlock(&a->lock);
	return can;
}

static void help(struct ahead *a, unsigned most)
{
	struct reason r = REASON_INIT;
	u64 number;

	while (can_help(a, most, &number) && !deliver_number(a, of_reader(a), number, &r))
		;
	reason_release(&r);
}

/*
 * Waits until at most `most` batches are not delivered yet. Returns -ECANCELED when the run has
 * stopped.
 */
static int wait_for_workers(struct ahead *a, unsigned most)
{
	int err;

	pthread_mutex_lock(&a->lock);
	phase_begin("pass 2: reader waits for workers");
	if (a->filled - a->done > most) {
		/*
		 * sleeping and waking cost as much as hundreds of records, so wake once for several
		 * batches
		 */
		a->wake_at = a->filled - most / 2;
		while (a->done < a->wake_at && !a->stop)
			wait_or_make(a, &a->less);
	}
	phase_end();
	err = a->stop ? -ECANCELED : 0;
	pthread_mutex_unlock(&a->lock);
	return err;
}

int ahead_pass_on(struct ahead *a, unsigned most, struct reason *r)
{
	struct turn_batch *b = ahead_batch(a);
	int err;

	if (!a->threaded) {
		a->ending = b->count;
		err = end_piece(a->deliverers, deliver_batch(a->deliverers, b, r), r);
		b->count = 0;
		return err;
	}
	pthread_mutex_lock(&a->lock);
	a->filled++;
	pthread_cond_signal(&a->more);
	pthread_mutex_unlock(&a->lock);
	help(a, most);
	return wait_for_workers(a, most);
}

/* Makes the jobs that are still given after the reader has read everything. */
static void make_jobs(struct ahead *a)
{
	pthread_mutex_lock(&a->lock);
	while (!a->jobs.over)
		wait_or_make(a, &a->less);
	pthread_mutex_unlock(&a->lock);
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
	pthread_cond_broadcast(&a->more);
	pthread_mutex_unlock(&a->lock);
	if (of_reader(a))
		deliver_all(a, of_reader(a));
	make_jobs(a);
	return NULL;
}

/* ---- workers ---- */

struct ahead_worker {
	struct ahead *a;
	struct deliver *d;
	pthread_t thread;
	bool started;
};

static void *work(void *arg)
{
	struct ahead_worker *w = arg;

	deliver_all(w->a, w->d);
	return NULL;
}

static void run_workers(struct ahead *a)
{
	struct ahead_worker *w = xcalloc(a->workers, sizeof(*w));

	for (unsigned i = 2; i < a->workers; i++) { /* 0: the calling thread, 1: the reader */
		w[i] = (struct ahead_worker){ .a = a, .d = &a->deliverers[i] };
		w[i].started = !pthread_create(&w[i].thread, NULL, work, &w[i]);
	}
	deliver_all(a, a->deliverers);
	for (unsigned i = 2; i < a->workers; i++)
		if (w[i].started)
			pthread_join(w[i].thread, NULL);
	free(w);
}

static void end_jobs(struct ahead *a)
{
	jobs_finish(&a->jobs, &a->lock);
	pthread_mutex_lock(&a->lock);
	a->jobs.over = true;
	pthread_cond_signal(&a->less);
	pthread_mutex_unlock(&a->lock);
}

int ahead_run(struct ahead *a, bool threaded, int (*read)(void *, struct reason *), void *arg,
	      struct reason *r)
{
	pthread_t thread;
	int err;

	a->read = read;
	a->arg = arg;
	a->threaded = threaded;
	/* when a thread cannot be started, this costs time, but no results */
	if (threaded && pthread_create(&thread, NULL, read_ahead, a))
		a->threaded = false;
	if (!a->threaded) {
		err = read(arg, r);
		return err ? err : ahead_pass_on(a, 0, r);
	}
	run_workers(a);
	end_jobs(a);
	pthread_join(thread, NULL);
	err = a->failed ? a->failed : a->err;
	if (err)
		reason_move(r, a->failed ? &a->why : &a->reason);
	reason_release(&a->why);
	reason_release(&a->reason);
	return err;
}
