// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"
#include "builtin/top/refresher.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/self_profile.h"
#include "base/threads.h"

#define LOOK_EVERY 100000000ULL /* ns: is it the end, has the time between two tables changed? */

/* What the screen may change, as it was when the thread last had the lock. */
struct asked {
	u64 refresh; /* ns */
	bool zero, paused;
};

/* A table, and what must not be forgotten while it is looked at. */
struct made {
	struct hist *table; /* or NULL */
	struct hist_pool_names names;
};

struct refresher {
	struct top *t;
	pthread_t thread;
	bool runs;
	int wake;           /* eventfd: the thread's wait ends */
	int done;           /* eventfd: the screen's wait ends */
	atomic_bool wanted; /* the screen waits for the lock */
	atomic_bool stop;

	/* the thread's */
	u64 since; /* the last refresh, ns */
	struct asked asked;

	pthread_mutex_t lock; /* guards the rest, and see refresher.h */
	pthread_cond_t rested;
	bool working;     /* the thread reads the session, without the lock */
	bool held;        /* the screen keeps the lock while it waits */
	bool ready;       /* since the screen last asked there was a refresh */
	bool unwatched;   /* the screen did not fetch the last table */
	bool at_once;     /* the next refresh is due */
	struct made next; /* until the screen fetches it; its names until it is shown */
	/* the table on the screen is not older than the last time that symbols were read again */
	bool may_renew;
	int err;
	struct reason why;
};

static void raise_fd(int fd)
{
	u64 one = 1;

	if (write(fd, &one, sizeof(one)) < 0)
		return; /* it is raised already */
}

/* ---- the lock ---- */

static void lock(struct refresher *x)
{
	pthread_mutex_lock(&x->lock);
	x->asked = (struct asked){ x->t->o.refresh, x->t->o.zero, x->t->paused };
}

static void unlock(struct refresher *x)
{
	pthread_mutex_unlock(&x->lock);
}

/* If the lock were taken again at once, the screen would hardly ever get it in between. */
static void lock_after_the_screen(struct refresher *x)
{
	while (atomic_load(&x->wanted))
		usleep(500);
	lock(x);
}

void refresher_yield(struct refresher *x)
{
	if (!x || !atomic_load_explicit(&x->wanted, memory_order_relaxed))
		return;
	unlock(x);
	lock_after_the_screen(x);
}

void refresher_give(struct refresher *x)
{
	if (!x->held)
		unlock(x);
}

void refresher_take(struct refresher *x)
{
	if (x->held)
		return;
	atomic_store(&x->wanted, true);
	pthread_mutex_lock(&x->lock);
	atomic_store(&x->wanted, false);
}

/* The thread finishes what it is doing without the lock: that does not wait for the screen. */
void refresher_hold(struct refresher *x, bool on)
{
	x->held = on;
	if (!on)
		return;
	atomic_store(&x->wanted, true);
	while (x->working)
		pthread_cond_wait(&x->rested, &x->lock);
	atomic_store(&x->wanted, false);
}

/* ---- the thread: records ---- */

static int step(void *arg, struct reason *why)
{
	struct refresher *x = arg;
	int err;

	lock_after_the_screen(x);
	err = watch_step(x->t->watch, TOP_ONE_PIECE, why);
	unlock(x);
	return err == -EINTR ? 1 : err; /* the screen cancels what it draws, and goes on */
}

/* ---- the thread: tables ---- */

static void release_made(struct made *m)
{
	hist_free(m->table);
	hist_pool_names_release(&m->names);
	*m = (struct made){ 0 };
}

/* Will the table that is made now be looked at?  *unused: the one that was not. */
static bool is_watched(struct refresher *x, struct made *unused)
{
	*unused = x->next;
	x->next = (struct made){ 0 };
	x->unwatched |= unused->table != NULL;
	return !x->unwatched && !x->asked.paused;
}

static void make_table(struct refresher *x, struct made *m)
{
	struct reason why = REASON_INIT;

	m->table = top_make_table(x->t, 0, &why);
	if (m->table)
		hist_pool_names(x->t->pool, &m->names);
	reason_release(&why); /* without it the picture stays as it is */
}

/*
 * After all that was counted is in the pool, and before the next table is made: its rows need no
 * name that goes.
 */
static void forget(struct refresher *x, bool renew)
{
	top_forget(x->t);
	if (renew && x->may_renew && top_renew(x->t))
		x->may_renew = false; /* a table before knows numbers that go the next time */
}

static void publish(struct refresher *x, const struct made *m)
{
	x->next = *m;
	x->t->tables += m->table != NULL;
	x->ready = true;
	x->working = false;
	pthread_cond_signal(&x->rested);
	raise_fd(x->done);
}

static int refresh(struct refresher *x, struct reason *why)
{
	struct top *t = x->t;
	struct made unused, next = { 0 };
	u64 passed;
	bool wanted;
	int err;

	phase_begin("catch up with the rings");
	err = watch_catch_up_by(t->watch, clock_now() + TOP_CATCH_UP, step, x, why);
	phase_end();
	if (err < 0)
		return err;
	lock_after_the_screen(x);
	passed = clock_now() - x->since;
	x->since += passed;
	x->at_once = false;
	x->working = true;
	wanted = is_watched(x, &unused);
	top_count_up(t, passed);
	unlock(x);

	release_made(&unused);
	top_absorb_rows(t, passed, x->asked.zero);
	lock(x);
	forget(x, wanted);
	unlock(x);
	if (wanted)
		make_table(x, &next);
	lock(x);
	publish(x, &next);
	unlock(x);
	return 0;
}

static bool is_due(struct refresher *x)
{
	bool at_once;

	lock_after_the_screen(x);
	at_once = x->at_once;
	unlock(x);
	return at_once || clock_now() - x->since >= x->asked.refresh;
}

static int turn(struct refresher *x, struct loop *l, struct reason *why)
{
	struct watch *w = x->t->watch;
	u64 next = MIN(x->since + x->asked.refresh, clock_now() + LOOK_EVERY);
	int err;

	loop_wait(l, watch_has_work(w) ? 0 : next);
	err = step(x, why); /* also when nothing has come: it empties watch_fd() */
	if (err >= 0 && is_due(x))
		err = refresh(x, why);
	return err;
}

static void *run(void *arg)
{
	struct refresher *x = arg;
	struct reason why = REASON_INIT;
	struct loop l;
	int err = 0;

	x->t->refresher = x;
	loop_init(&l, x->wake);
	loop_add(&l, watch_fd(x->t->watch));
	while (!atomic_load(&x->stop) && err >= 0)
		err = turn(x, &l, &why);
	if (err < 0) {
		lock(x);
		x->err = err;
		reason_move(&x->why, &why);
		unlock(x);
	}
	x->t->refresher = NULL;
	loop_release(&l);
	reason_release(&why);
	return NULL;
}

/* ---- the screen ---- */

int refresher_fd(const struct refresher *x)
{
	return x->done;
}

bool refresher_due(const struct refresher *x)
{
	return x->ready || x->unwatched;
}

struct hist *refresher_next(struct refresher *x)
{
	struct hist *h = x->next.table;

	x->ready = false;
	x->next.table = NULL;
	if (!h && x->unwatched) {
		x->at_once = true;
		raise_fd(x->wake);
	}
	x->unwatched = false;
	return h;
}

void refresher_shown(struct refresher *x)
{
	struct top *t = x->t;

	hist_pool_names_release(&t->shown);
	t->shown = x->next.names;
	x->next.names = (struct hist_pool_names){ 0 };
	x->may_renew = true;
}

bool refresher_counts_due(const struct refresher *x)
{
	return x->ready;
}

void refresher_next_counts(struct refresher *x)
{
	x->ready = false;
}

/* ---- life ---- */

static int first_table(struct refresher *x, struct hist **h, struct reason *r)
{
	struct top *t = x->t;
	struct watch *w = t->watch;
	int err = watch_step(w, top_first_table(t, x->since), r);

	if (err >= 0)
		err = watch_catch_up(w, clock_now() + TOP_CATCH_UP, r);
	if (err < 0)
		return err;
	top_absorb(t, clock_now() - x->since);
	x->since = clock_now();
	*h = top_snapshot(t, 0, r);
	if (!*h)
		return -r->err;
	top_keep_table(t);
	return 0;
}

int refresher_new(struct top *t, struct refresher **out, struct hist **h, struct reason *r)
{
	struct refresher *x = xcalloc(1, sizeof(*x));
	int err;

	x->t = t;
	x->why = (struct reason)REASON_INIT;
	x->since = clock_now();
	x->asked.refresh = t->o.refresh;
	x->may_renew = true;
	x->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	x->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&x->lock, NULL);
	pthread_cond_init(&x->rested, NULL);
	if (x->wake < 0 || x->done < 0)
		err = reason_errno(r, EMFILE, "cannot create a descriptor to wait for");
	else
		err = first_table(x, h, r);
	*out = x;
	return err;
}

int refresher_start(struct refresher *x, struct reason *r)
{
	int err;

	pthread_mutex_lock(&x->lock);
	err = thread_beside(&x->thread, run, x); /* signals are for the thread with the screen */
	x->runs = !err;
	if (err)
		pthread_mutex_unlock(&x->lock);
	return err ? reason_errno(r, err, "cannot start a thread") : 0;
}

int refresher_free(struct refresher *x, struct reason *r)
{
	int err = x->err;

	if (x->runs) {
		atomic_store(&x->stop, true);
		raise_fd(x->wake);
		unlock(x);
		pthread_join(x->thread, NULL);
		err = x->err;
	}
	if (err)
		reason_move(r, &x->why);
	release_made(&x->next);
	reason_release(&x->why);
	if (x->wake >= 0)
		close(x->wake);
	if (x->done >= 0)
		close(x->done);
	pthread_cond_destroy(&x->rested);
	pthread_mutex_destroy(&x->lock);
	free(x);
	return err;
}
