// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"
#include "live/loop.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bug.h"
#include "base/bytes.h"

enum { WAKE /* place of the first descriptor */ };
enum { RECORD_HEADER = 8 }; /* bytes */

void loop_init(struct loop *l, int wake_fd)
{
	*l = (struct loop){ .live = NULL };
	for (unsigned i = 0; i < LOOP_TIMES; i++)
		l->at[i] = LOOP_NEVER;
	loop_add(l, wake_fd);
}

void loop_release(struct loop *l)
{
	vec_release(&l->rings);
	vec_release(&l->fds);
}

size_t loop_add(struct loop *l, int fd)
{
	vec_push(&l->fds, (struct pollfd){ .fd = fd, .events = POLLIN });
	return l->fds.count - 1;
}

void loop_set(struct loop *l, size_t place, int fd)
{
	l->fds.items[place].fd = fd;
}

bool loop_ready(const struct loop *l, size_t place)
{
	return l->fds.items[place].fd >= 0 && l->fds.items[place].revents;
}

void loop_add_ring(struct loop *l, struct live *live, u32 ring)
{
	size_t place = loop_add(l, live_ring_fd(live, ring));

	BUG_ON(place != l->rings.count + 1);
	/* a ring that is overwritten has nothing to say until asked */
	if (live_ring_is_backward(live, ring))
		l->fds.items[place].events = 0;
	vec_push(&l->rings, ring);
	l->live = live;
}

void loop_rings_changed(struct loop *l)
{
	for (size_t i = 0; i < l->rings.count; i++) {
		struct pollfd *p = &l->fds.items[i + 1];

		p->fd = live_ring_fd(l->live, l->rings.items[i]);
		p->revents = 0; /* those of the descriptor before */
	}
}

bool loop_rings_alive(struct loop *l)
{
	bool alive = false;

	for (size_t i = 0; i < l->rings.count; i++) {
		struct pollfd *p = &l->fds.items[i + 1];

		if (p->fd >= 0 && p->revents & (POLLHUP | POLLERR)) {
			live_ring_next_fd(l->live, l->rings.items[i]);
			p->fd = live_ring_fd(l->live, l->rings.items[i]);
		}
		alive |= p->fd >= 0;
	}
	return alive;
}

/* Times */

void loop_at(struct loop *l, unsigned which, u64 when)
{
	l->at[which] = when;
}

bool loop_is_due(const struct loop *l, unsigned which)
{
	return l->at[which] != LOOP_NEVER && clock_now() >= l->at[which];
}

u64 loop_next(u64 due, u64 length, u64 now)
{
	return now < due ? due : due + ((now - due) / length + 1) * length;
}

/* The wait */

static void empty_wake(struct loop *l)
{
	u64 count;

	if (loop_ready(l, WAKE) && read(l->fds.items[WAKE].fd, &count, sizeof(count)) < 0)
		return; /* another thread has read it first */
}

int loop_wait(struct loop *l, u64 until)
{
	u64 now = clock_now(), left;
	struct timespec ts;
	int got;

	for (unsigned i = 0; i < LOOP_TIMES; i++)
		until = MIN(until, l->at[i]);
	left = until > now ? until - now : 0;
	ts = (struct timespec){ (time_t)(left / 1000000000), (long)(left % 1000000000) };
	got = ppoll(l->fds.items, l->fds.count, until == LOOP_NEVER ? NULL : &ts, NULL);
	if (got < 0) { /* what was ready the last time may not be ready now */
		int err = errno;

		vec_for_each(&l->fds, p)
			p->revents = 0;
		return err == EINTR ? 1 : -err;
	}
	empty_wake(l);
	return got > 0;
}

/* Programs that only wait */

bool loop_wait_target(const struct target *t, struct workload *w, int wake_fd, u64 until)
{
	enum { LOOK_NS = 50000000 }; /* no signal comes when a process ends that is not ours */
	bool look = t && !w && t->tid_count, ended;
	struct loop l;

	loop_init(&l, wake_fd);
	for (;;) {
		ended = loop_ending_signal() || (w && w->started && workload_wait(w, false)) ||
			(look && !target_is_alive(t));
		if (ended || (until != LOOP_NEVER && clock_now() >= until) ||
		    loop_wait(&l, look ? MIN(until, clock_now() + LOOK_NS) : until) < 0)
			break;
	}
	loop_release(&l);
	return ended;
}

bool loop_wait_end(struct workload *w, int wake_fd, u64 until)
{
	return loop_wait_target(NULL, w, wake_fd, until);
}

void loop_finish_workload(struct workload *w)
{
	if (!loop_ending_signal())
		workload_hand_on(w);
	loop_end_workload(w);
}

bool loop_ran_workload(const struct workload *w)
{
	return w && w->started && !loop_ending_signal();
}

void loop_end_workload(struct workload *w)
{
	int signals = loop_ending_signals();

	if (!w->pid || workload_wait(w, false))
		return;
	workload_kill(w, SIGTERM);
	while (!workload_wait(w, false)) {
		if (loop_ending_signals() > signals) {
			workload_kill(w, SIGKILL);
			workload_wait(w, true);
			return;
		}
		usleep(10000);
	}
}

/* Rings */

void ring_data_cut(struct ring_data *d, size_t most)
{
	size_t at = 0, end = d->first_size + d->second_size;

	while (at + RECORD_HEADER <= end && at < most) {
		const u8 *p = at < d->first_size ? d->first + at : d->second + (at - d->first_size);
		u16 size = load_u16(p + 6, false); /* a header does not lie across the wrap */

		if (size < RECORD_HEADER)
			return; /* cannot happen: the kernel wrote this record */
		at += size;
	}
	if (at < most || at >= end)
		return;
	d->first_size = MIN(d->first_size, at);
	d->second_size = at - d->first_size;
}

int ring_drain(struct live *live, u32 ring, size_t least, const struct ring_sink *to,
	       struct reason *r)
{
	size_t there = 0, done = 0, took;
	struct ring_data d;
	int err = 0;

	if (live_ring_is_backward(live, ring))
		return 0;
	while (!err && live_ring_get(live, ring, &d)) {
		if (!there)
			there = d.first_size + d.second_size;
		if (there < least)
			break;
		err = to->take(to->arg, ring, &d, r);
		live_ring_done(live, ring, &d);
		took = d.first_size + d.second_size;
		done += took;
		if (!took || done >= there)
			break;
	}
	return err;
}
