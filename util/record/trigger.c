// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --switch-output-event: events that are not recorded; when one hits, the file so far
 * is finished and a new one begins.
 *
 * A thread waits for them, because they come rarely and the recorder's own poll may
 * sleep for long.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/threads.h"
#include "record/internal.h"

struct record_trigger {
	struct live *live;
	pthread_t thread;
	bool started;
	int end_fd;
	bool fired; /* atomic */
};

/*
 * Takes all records of these rings. Returns true if there was any: it is a sample, or says that one
 * was lost.
 */
static bool take_all(struct live *live)
{
	bool any = false;

	for (size_t i = 0; i < live_ring_count(live); i++) {
		struct ring_data d;

		if (live_ring_get(live, i, &d)) {
			any = true;
			live_ring_done(live, i, &d);
		}
	}
	return any;
}

static void *watch(void *arg)
{
	struct record_trigger *t = arg;
	size_t n = live_ring_count(t->live);
	struct pollfd *fds = xcalloc(n + 1, sizeof(*fds));

	for (size_t i = 0; i < n; i++)
		fds[i] = (struct pollfd){ .fd = live_ring_fd(t->live, i), .events = POLLIN };
	fds[n] = (struct pollfd){ .fd = t->end_fd, .events = POLLIN };
	while (poll(fds, n + 1, -1) >= 0 || errno == EINTR) {
		if (fds[n].revents)
			break;
		if (take_all(t->live)) {
			__atomic_store_n(&t->fired, true, __ATOMIC_RELAXED);
			loop_wake();
		}
		for (size_t i = 0; i < n; i++)
			if (fds[i].revents & (POLLHUP | POLLERR))
				fds[i].fd = -1; /* its task has ended */
	}
	free(fds);
	return NULL;
}

bool trigger_fired(struct record_trigger *t)
{
	return __atomic_exchange_n(&t->fired, false, __ATOMIC_RELAXED);
}

void trigger_free(struct record_trigger *t)
{
	const u64 one = 1;

	if (!t)
		return;
	if (t->started && write(t->end_fd, &one, sizeof(one)) == sizeof(one))
		pthread_join(t->thread, NULL);
	if (t->end_fd >= 0)
		close(t->end_fd);
	live_close(t->live);
	free(t);
}

static int start_thread(struct record_trigger *t, struct reason *r)
{
	int err;

	t->end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (t->end_fd < 0)
		return reason_errno(r, errno, "cannot make an eventfd");
	err = thread_beside(&t->thread, watch, t);
	t->started = !err;
	return err ? reason_errno(r, err, "cannot start a thread") : 0;
}

int record_trigger_start(struct recorder *rec, struct event_set *set, struct reason *r)
{
	const struct live_options o = { .ring_pages = 1, .backend = rec->backend, .sys = rec->sys };
	/* the command may wait for other tasks, so all are watched unless the user named some */
	bool tasks = rec->target->tid_count && !rec->target->held;
	struct target where = { .system_wide = !tasks, .per_thread = tasks };
	struct record_trigger *t = xcalloc(1, sizeof(*t));
	int err;

	t->end_fd = -1;
	if (tasks) {
		where.tids = rec->target->tids;
		where.tid_count = rec->target->tid_count;
	}
	vec_for_each(&set->list, it) {
		struct perf_event_attr *a = &(*it)->attr;

		a->flags &= ~(ATTR_INHERIT | ATTR_ENABLE_ON_EXEC);
		a->flags |= ATTR_DISABLED | ATTR_SAMPLE_ID_ALL;
		a->sample_type = PERF_SAMPLE_TIME;
		a->wakeup_events = 1;
		if (!a->sample_period)
			a->sample_period = 1;
	}
	err = event_set_finish(set, r);
	if (!err)
		err = live_open(rec->ctx, set, &where, &o, &t->live, r);
	if (!err)
		err = start_thread(t, r);
	if (!err && (err = live_enable(t->live)))
		reason_errno(r, -err, "cannot enable the events of --switch-output-event");
	if (err)
		trigger_free(t);
	else
		rec->trigger = t;
	return err;
}
