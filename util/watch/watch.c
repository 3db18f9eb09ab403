// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The thread that empties the rings, and the caller's side.
 *
 * The two share flags and an error, which w->lock guards, and two eventfds: `wake` ends the
 * reader's wait, `ready` says that pieces wait for the caller.
 */
#include "watch/watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bug.h"

enum {
	QUIET_MS = 100, /* rings below their watermark are emptied so often */
	PIECE = 1 << 20, /* bytes: a ring has its room back after so many */
};

struct watch {
	struct live *live;
	struct session *session;
	struct feed_settings settings;
	struct feed *feed;
	struct pollfd *fds; /* by ring, then wake */
	size_t rings;
	int wake, ready;
	pthread_t thread;
	bool started, begun;

	pthread_mutex_t lock;
	bool stop, alive;
	int err;
	struct reason why;
};

static void raise_fd(int fd)
{
	u64 one = 1;

	if (write(fd, &one, sizeof(one)) < 0)
		return; /* it is raised already */
}

static void lower_fd(int fd)
{
	u64 count;

	if (read(fd, &count, sizeof(count)) < 0)
		return; /* it was not raised */
}

/* The reader */

/* In pieces that end between two records. */
static struct ring_data first_records(const struct ring_data *d)
{
	struct ring_data part = *d;
	const struct data_chunk c = { .data = d->first, .size = d->first_size };
	struct record rec;
	size_t at = 0;

	if (d->first_size <= PIECE)
		return part;
	while (at < PIECE && data_chunk_record(&c, &at, &rec))
		;
	if (at) {
		part.first_size = at;
		part.second = NULL;
		part.second_size = 0;
	}
	return part;
}

static int empty_ring(struct watch *w, size_t ring, bool *any, struct reason *r)
{
	size_t there = 0, done = 0;
	struct ring_data d, part;
	int err = 0;

	/* what comes meanwhile is for the next turn, so that a round ends */
	while (!err && live_ring_get(w->live, ring, &d)) {
		if (!there)
			there = d.first_size + d.second_size;
		part = first_records(&d);
		err = feed_take(w->feed, &part, r);
		live_ring_done(w->live, ring, &part);
		done += part.first_size + part.second_size;
		*any = true;
		if (done >= there)
			break;
	}
	return err;
}

static int turn(struct watch *w, struct reason *r)
{
	bool any = false;
	int err = 0;

	for (size_t i = 0; i < w->rings && !err; i++)
		if (!live_ring_is_backward(w->live, i))
			err = empty_ring(w, i, &any, r);
	feed_round(w->feed);
	if (any)
		raise_fd(w->ready);
	return err;
}

/* Descriptors of tasks that ended hang up; another event may still feed the ring. */
static bool any_alive(struct watch *w)
{
	bool alive = false;

	for (size_t i = 0; i < w->rings; i++) {
		if (w->fds[i].fd >= 0 && w->fds[i].revents & (POLLHUP | POLLERR)) {
			live_ring_next_fd(w->live, i);
			w->fds[i].fd = live_ring_fd(w->live, i);
		}
		alive |= w->fds[i].fd >= 0;
	}
	return alive;
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
		poll(w->fds, w->rings + 1, QUIET_MS);
		if (w->fds[w->rings].revents)
			lower_fd(w->wake);
		stop = told_to_stop(w, any_alive(w));
		err = turn(w, &why);
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

	w->live = live;
	w->session = s;
	w->settings = *feed;
	w->feed = feed_new(s, feed);
	w->rings = live_ring_count(live);
	w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->alive = true;
	w->fds = xcalloc(w->rings + 1, sizeof(*w->fds));
	for (size_t i = 0; i < w->rings; i++)
		w->fds[i] = (struct pollfd){ .fd = live_ring_fd(live, i),
					     .events = live_ring_is_backward(live, i) ? 0 : POLLIN };
	w->fds[w->rings] = (struct pollfd){ .fd = w->wake, .events = POLLIN };
	pthread_mutex_init(&w->lock, NULL);
	return w;
}

static int synthesise(struct watch *w, struct strbuf *b, const struct event *ev, const struct target *t,
		      const struct synth_how *how, struct reason *r)
{
	struct reason hidden = REASON_INIT;

	if (synth_kernel(b, ev, &hidden))
		reason_release(&hidden);
	synth_bpf(b, ev);
	if (synth_cgroups(b, ev, &hidden))
		reason_release(&hidden);
	return synth_tasks(session_context(w->session), b, ev, t, how, r);
}

int watch_begin(struct watch *w, const struct event *ev, const struct target *t, const struct synth_how *how,
		struct reason *r)
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
	sigset_t every, old;
	int err;

	BUG_ON(w->begun);
	if (w->wake < 0 || w->ready < 0)
		return reason_errno(r, EMFILE, "cannot make a descriptor to wait for");
	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &old);
	err = pthread_create(&w->thread, NULL, read_rings, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
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

int watch_fd(const struct watch *w)
{
	return w->ready;
}

void watch_hurry(struct watch *w)
{
	raise_fd(w->wake);
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
	free(w->fds);
	reason_release(&w->why);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
