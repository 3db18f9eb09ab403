// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The thread that empties the rings, and the caller's side. The two share flags and an error, which
 * w->lock guards, and two eventfds: `wake` ends the reader's wait, `ready` says that pieces wait
 * for the caller.
 */
#include "base/clock.h"
#include "watch/watch.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bug.h"
#include "base/threads.h"
#include "live/loop.h"
#include "live/offline.h"
#include "synth/synth.h"

enum { ONE_PIECE = 1 }; /* a step ends after one piece, not at a time */
enum {
	QUIET_NS = 100000000, /* how often rings below their watermark are emptied by default */
	PIECE = 1 << 20,      /* bytes after which a ring gets its room back */
};

struct watch {
	struct live *live;
	struct session *session;
	struct feed_settings settings;
	struct feed *feed;
	struct loop loop; /* the reader's; for the rings and wake */
	size_t rings;
	bool any;                  /* the reader's: something arrived in this turn */
	struct offline_watch cpus; /* the reader's */
	int wake, ready;
	pthread_t thread;
	bool started, begun;

	pthread_mutex_t lock;
	pthread_cond_t turned;
	bool stop, alive;
	u64 turns;          /* rounds over all rings */
	struct strbuf gone; /* names of CPUs without events */
	int err;
	struct reason why;
};

static void raise_fd(int fd)
{
	u64 one = 1;

	if (write(fd, &one, sizeof(one)) < 0)
		return; /* already raised */
}

static void lower_fd(int fd)
{
	u64 count;

	if (read(fd, &count, sizeof(count)) < 0)
		return; /* not raised */
}

/* The reader */

static int take(void *arg, u32 ring, struct ring_data *d, struct reason *r)
{
	struct watch *w = arg;

	(void)ring;
	w->any = true;
	ring_data_cut(d, PIECE);
	return feed_take(w->feed, d, r);
}

/* Takes the records of a ring that is overwritten, which is stopped while they are copied. */
static int take_newest(struct watch *w, u32 ring, struct reason *r)
{
	struct ring_data d;
	int err;

	if (!live_newest_get(w->live, ring, &d))
		return 0;
	w->any = true;
	err = feed_take(w->feed, &d, r);
	live_snapshot_done(w->live, ring);
	return err;
}

static int turn(struct watch *w, struct reason *r)
{
	const struct ring_sink to = { take, w };
	int err = 0;

	w->any = false;
	for (u32 i = 0; i < w->rings && !err; i++)
		err = live_ring_is_backward(w->live, i) ? take_newest(w, i, r)
							: ring_drain(w->live, i, 0, &to, r);
	feed_round(w->feed);
	pthread_mutex_lock(&w->lock);
	w->turns++;
	pthread_cond_signal(&w->turned);
	pthread_mutex_unlock(&w->lock);
	if (w->any)
		raise_fd(w->ready);
	return err;
}

/*
 * Opens the events of a CPU again, after taking what its old ring still holds. Returns false if
 * that fails.
 */
static bool open_again(void *arg, size_t cpu, u64 gone_at, u64 after)
{
	const struct ring_sink to = { take, arg };
	struct watch *w = arg;

	(void)gone_at, (void)after;
	if (!live_can_reopen(w->live) || ring_drain(w->live, (u32)cpu, 0, &to, NULL) ||
	    live_reopen(w->live, cpu, NULL))
		return false;
	loop_rings_changed(&w->loop);
	return true;
}

static void look_after_cpus(struct watch *w)
{
	const struct offline_ops ops = { .back = open_again };

	offline_look(&w->cpus, w->live, NULL, clock_now(), &ops, w);
	pthread_mutex_lock(&w->lock);
	strbuf_clear(&w->gone);
	for (size_t i = 0; i < w->cpus.count; i++)
		if (w->cpus.cpus[i].went_at && !live_cpu_is_added(w->live, i))
			strbuf_f(&w->gone, "%sCPU %d", w->gone.len ? ", " : "",
				 live_cpu(w->live, i));
	pthread_mutex_unlock(&w->lock);
}

static bool told_to_stop(struct watch *w, bool alive)
{
	bool stop;

	pthread_mutex_lock(&w->lock);
	stop = w->stop;
	w->alive = alive;
	pthread_mutex_unlock(&w->lock);
	return stop;
}

static void fail(struct watch *w, int err, struct reason *why)
{
	pthread_mutex_lock(&w->lock);
	w->err = err;
	reason_move(&w->why, why);
	pthread_mutex_unlock(&w->lock);
}

static void *read_rings(void *arg)
{
	struct watch *w = arg;
	struct reason why = REASON_INIT;
	int err = 0;
	bool stop;

	do {
		loop_wait(&w->loop,
			  clock_now() + (w->settings.quiet ? w->settings.quiet : QUIET_NS));
		stop = told_to_stop(w, loop_rings_alive(&w->loop));
		err = turn(w, &why);
		look_after_cpus(w);
	} while (!stop && !err);
	if (err)
		fail(w, err, &why);
	feed_end(w->feed);
	raise_fd(w->ready);
	reason_release(&why);
	return NULL;
}

/* The caller */

struct watch *watch_new(struct live *live, struct session *s, const struct feed_settings *feed)
{
	struct watch *w = xcalloc(1, sizeof(*w));
	pthread_condattr_t monotonic;

	w->live = live;
	w->session = s;
	w->settings = *feed;
	w->feed = feed_new(s, feed);
	w->rings = live_ring_count(live);
	w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->alive = true;
	loop_init(&w->loop, w->wake);
	for (u32 i = 0; i < w->rings; i++)
		loop_add_ring(&w->loop, live, i);
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&w->turned, &monotonic);
	pthread_condattr_destroy(&monotonic);
	look_after_cpus(w); /* finds the CPUs that are online at first */
	return w;
}

static int synthesise(struct watch *w, struct strbuf *b, const struct event *ev,
		      const struct target *t, const struct synth_how *how, struct reason *r)
{
	struct reason hidden = REASON_INIT;

	if (synth_kernel(b, ev, &hidden))
		reason_release(&hidden);
	synth_bpf(b, ev);
	if (synth_cgroups(b, ev, &hidden))
		reason_release(&hidden);
	return synth_tasks(session_context(w->session), b, ev, t, how, r);
}

int watch_begin(struct watch *w, const struct event *ev, const struct target *t,
		const struct synth_how *how, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	int err = synthesise(w, &b, ev, t, how, r);

	BUG_ON(w->started);
	if (!err) {
		const struct data_chunk c = { .data = (const u8 *)b.s, .size = b.len };

		err = session_push(w->session, w->settings.ops, w->settings.arg, &c, r);
	}
	if (!err)
		err = session_flush(w->session, w->settings.ops, w->settings.arg, r);
	strbuf_release(&b);
	return err;
}

int watch_start(struct watch *w, struct reason *r)
{
	int err;

	BUG_ON(w->begun);
	if (w->wake < 0 || w->ready < 0)
		return reason_errno(r, EMFILE, "cannot create a descriptor to wait for");
	err = thread_beside(&w->thread, read_rings, w);
	w->started = w->begun = !err;
	return err ? reason_errno(r, err, "cannot start a thread") : 0;
}

int watch_step(struct watch *w, u64 until, struct reason *r)
{
	int err;

	BUG_ON(!w->begun);
	lower_fd(w->ready);
	err = feed_work(w->feed, until, r);
	if (err < 0)
		return err;
	pthread_mutex_lock(&w->lock);
	if (w->err) {
		err = w->err;
		reason_move(r, &w->why);
	}
	pthread_mutex_unlock(&w->lock);
	return err;
}

/* Waits until one more turn has begun and ended; false if the time runs out. */
static bool await_turn(struct watch *w, u64 until)
{
	const struct timespec ts = { (time_t)(until / 1000000000), (long)(until % 1000000000) };
	u64 enough;
	int err = 0;

	pthread_mutex_lock(&w->lock);
	enough = w->turns + 1;
	raise_fd(w->wake);
	while (w->turns < enough && !w->err && !err)
		err = pthread_cond_timedwait(&w->turned, &w->lock, &ts);
	pthread_mutex_unlock(&w->lock);
	return !err;
}

int watch_catch_up_by(struct watch *w, u64 until, int (*step)(void *arg, struct reason *r),
		      void *arg, struct reason *r)
{
	int err = 1;

	/*
	 * the second turn releases what the first one found; neither may be the turn that is
	 * already under way
	 */
	for (int i = 0; i < 3 && err > 0 && await_turn(w, until); i++)
		do
			err = step(arg, r);
		while (err > 0 && feed_has_work(w->feed) && clock_now() < until);
	return err;
}

static int one_piece(void *arg, struct reason *r)
{
	return watch_step(arg, ONE_PIECE, r);
}

int watch_catch_up(struct watch *w, u64 until, struct reason *r)
{
	return watch_catch_up_by(w, until, one_piece, w, r);
}

int watch_fd(const struct watch *w)
{
	return w->ready;
}

bool watch_has_work(const struct watch *w)
{
	return feed_has_work(w->feed);
}

bool watch_alive(const struct watch *cw)
{
	struct watch *w = (struct watch *)(uintptr_t)cw;
	bool alive;

	pthread_mutex_lock(&w->lock);
	alive = w->alive;
	pthread_mutex_unlock(&w->lock);
	return alive;
}

void watch_cpus_gone(const struct watch *cw, struct strbuf *b)
{
	struct watch *w = (struct watch *)(uintptr_t)cw;

	pthread_mutex_lock(&w->lock);
	strbuf_str(b, strbuf_cstr(&w->gone));
	pthread_mutex_unlock(&w->lock);
}

void watch_stop(struct watch *w)
{
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_mutex_unlock(&w->lock);
	raise_fd(w->wake);
	if (w->started)
		pthread_join(w->thread, NULL);
	w->started = false;
}

struct feed *watch_feed(struct watch *w)
{
	return w->feed;
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	watch_stop(w);
	feed_free(w->feed);
	if (w->wake >= 0)
		close(w->wake);
	if (w->ready >= 0)
		close(w->ready);
	loop_release(&w->loop);
	reason_release(&w->why);
	offline_release(&w->cpus);
	strbuf_release(&w->gone);
	pthread_cond_destroy(&w->turned);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
