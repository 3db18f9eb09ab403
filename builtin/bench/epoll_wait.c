// SPDX-License-Identifier: GPL-2.0-or-later
/* epoll wait: threads wait for eventfds that one thread writes to. */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "builtin/bench/epoll.h"

struct writer {
	struct epoll_run *e;
	struct epoll_worker *workers;
	atomic_bool stop;
};

/*
 * Waits up to 100 ms for one event, so a blocked thread notices the end; reports whether one came.
 */
static bool take_event(struct epoll_worker *w, struct epoll_event *ev)
{
	int n = epoll_wait(w->epoll, ev, 1, w->e->nonblocking ? 0 : 100);

	if (n < 0 && errno != EINTR)
		w->err = errno;
	return n > 0;
}

static void *wait_for_events(void *arg)
{
	struct epoll_worker *w = arg;
	struct epoll_event ev;
	u64 n = 0, value;

	if (!team_gate(&w->e->team))
		return NULL;
	while (bench_goes_on(w->e->b) && !w->err) {
		if (!take_event(w, &ev)) {
			/* each non-blocking call counts */
			n += w->e->nonblocking;
			continue;
		}
		/*
		 * one of the threads woken for the same event takes it, and as in 6.1 the others
		 * wait
		 */
		while (read(ev.data.fd, &value, sizeof(value)) < 0 && errno == EAGAIN &&
		       bench_goes_on(w->e->b))
			;
		if (w->e->oneshot) {
			ev.events = EPOLLIN | EPOLLONESHOT;
			epoll_ctl(w->epoll, EPOLL_CTL_MOD, ev.data.fd, &ev);
		}
		n++;
	}
	w->operations[0] = n;
	return NULL;
}

static void write_all_fds(struct writer *wr, unsigned *order, u64 *random)
{
	const struct timespec pause = { 0, 500 };
	struct epoll_run *e = wr->e;
	u64 one = 1;

	if (e->randomize)
		epoll_shuffle((int *)order, e->threads, random);
	for (unsigned i = 0; i < e->threads; i++) {
		struct epoll_worker *w = &wr->workers[order[i]];

		if (e->randomize)
			epoll_shuffle(w->fds, e->fds, random);
		for (unsigned j = 0; j < e->fds; j++)
			while (write(w->fds[j], &one, sizeof(one)) < 0 && errno == EAGAIN &&
			       !atomic_load_explicit(&wr->stop, memory_order_relaxed))
				;
	}
	nanosleep(&pause, NULL);
}

static void *write_events(void *arg)
{
	struct writer *wr = arg;
	unsigned *order = xcalloc(wr->e->threads, sizeof(*order));
	u64 random = 88172645463325252ULL, loops = 0;

	for (unsigned i = 0; i < wr->e->threads; i++)
		order[i] = i;
	epoll_say(wr->e, "starting writer-thread: doing %s writes ...",
		  wr->e->randomize ? "random" : "lineal");
	for (; !atomic_load_explicit(&wr->stop, memory_order_relaxed); loops++)
		write_all_fds(wr, order, &random);
	epoll_say(wr->e, "exiting writer-thread (total full-loops: %" PRIu64 ")", loops);
	free(order);
	return NULL;
}

static int watch(struct epoll_run *e, struct epoll_worker *workers)
{
	u32 events = EPOLLIN | (e->oneshot ? EPOLLONESHOT : 0) | (e->edge ? EPOLLET : 0);

	for (unsigned i = 0; i < e->threads; i++) {
		for (unsigned j = 0; j < e->fds; j++) {
			struct epoll_event ev = { .events = events, .data.fd = workers[i].fds[j] };

			if (epoll_ctl(workers[i].epoll, EPOLL_CTL_ADD, ev.data.fd, &ev))
				return bench_failed(errno, "cannot watch a file descriptor");
		}
	}
	return 0;
}

static int report(struct epoll_run *e, const struct epoll_worker *w, u64 ns)
{
	struct figures rates = { 0 };
	int err = 0;

	for (unsigned i = 0; i < e->threads; i++) {
		double rate = (double)w[i].operations[0] / ((double)MAX(ns, 1ULL) / 1e9);

		figures_add(&rates, rate);
		err = err ? err : w[i].err;
		if (e->fds == 1)
			bench_text(e->b, "[thread %2u] fdmap: %p [ %04" PRIu64 " ops/sec ]\n", i,
				   (void *)w[i].fds, (u64)rate);
		else
			bench_text(e->b,
				   "[thread %2u] fdmap: %p ... %p [ %04" PRIu64 " ops/sec ]\n", i,
				   (void *)w[i].fds, (void *)(w[i].fds + e->fds - 1), (u64)rate);
	}
	bench_text(e->b,
		   "\nAveraged %" PRIu64 " operations/sec (+- %.2f%%), total secs = %" PRIu64 "\n",
		   (u64)rates.mean, figures_percent(&rates), (ns + 500000000) / 1000000000);
	bench_metric(e->b, "operations", rates.mean, "1/sec");
	bench_metric(e->b, "deviation", figures_percent(&rates), "%");
	return err ? bench_failed(err, "epoll_wait(2) failed") : 0;
}

static int run_workers(struct epoll_run *e, struct epoll_worker *w)
{
	struct writer writer = { .e = e, .workers = w };
	pthread_t thread;
	u64 ran = 0;
	int code = watch(e, w), err;

	if (code)
		return code;
	epoll_say(e, "starting worker/consumer %sthreads%s", e->unbound ? "" : "CPU affinity ",
		  e->nonblocking ? " (nonblocking)" : "");
	code = team_start(&e->team, e->threads, !e->unbound, wait_for_events, w, sizeof(*w));
	if (code)
		return code;
	team_open(&e->team);
	err = pthread_create(&thread, NULL, write_events, &writer);
	ran = bench_let_run(e->b, err ? 0 : e->runtime);
	epoll_say(e, "main thread: toggling done");
	team_join(&e->team);
	if (err)
		return bench_failed(err, "cannot start the writing thread");
	atomic_store(&writer.stop, true);
	pthread_join(thread, NULL);
	return report(e, w, ran);
}

static int with_instance(struct epoll_run *e)
{
	struct epoll_worker *w;
	int nest[4], code = 1;

	e->epoll = epoll_make(e, nest);
	if (e->epoll < 0)
		return bench_failed(-e->epoll, "cannot make an epoll instance");
	bench_catch_interrupt(e->b);
	w = epoll_make_workers(e);
	if (w) {
		code = run_workers(e, w);
		epoll_free_workers(e, w);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(nest); i++)
		if (nest[i] >= 0)
			close(nest[i]);
	close(e->epoll);
	return code;
}

int bench_epoll_wait(struct bench *b, int argc, const char **argv)
{
	struct epoll_run e = { .b = b, .runtime = 8, .fds = 64 };
	const struct option_row more[] = {
		{ OPTION_FLAG, 'm', "multiq", &e.multiq,
		  .help = "an epoll instance for each thread" },
		{ OPTION_FLAG, 'B', "nonblocking", &e.nonblocking,
		  .help = "do not block in epoll_wait(2)" },
		{ OPTION_FLAG, 'S', "oneshot", &e.oneshot, .help = "watch with EPOLLONESHOT" },
		{ OPTION_FLAG, 'E', "edge", &e.edge, .help = "watch edges (default: levels)" },
	};
	int code = epoll_options(&e, more, ARRAY_SIZE(more), argc, argv);

	if (code)
		return bench_parsed(code);
	/* one CPU is left to the thread that writes */
	if (!e.threads)
		e.threads = MAX(team_cpus() - 1, 1u);
	epoll_say(&e, "Using %s queue model", e.multiq ? "multi" : "single");
	epoll_say(&e, "Nesting level(s): %u", e.nested);
	epoll_allow_files(&e);
	bench_text(b,
		   "Run summary [PID %d]: %u threads monitoring%s on %u file-descriptors for %u "
		   "secs.\n\n",
		   getpid(), e.threads, e.oneshot ? " (EPOLLONESHOT semantics)" : "", e.fds,
		   e.runtime);
	return with_instance(&e);
}
