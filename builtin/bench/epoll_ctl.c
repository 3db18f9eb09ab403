// SPDX-License-Identifier: GPL-2.0-or-later
/* epoll ctl: threads add, modify and delete descriptors of one epoll instance. */
#include <errno.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "builtin/bench/epoll.h"

enum { OP_ADD, OP_MOD, OP_DEL, OPS };

static void do_operation(struct epoll_worker *w, int op, int fd)
{
	static const int calls[] = { EPOLL_CTL_ADD, EPOLL_CTL_MOD, EPOLL_CTL_DEL };
	struct epoll_event ev = { .events = op == OP_MOD ? EPOLLOUT : EPOLLIN, .data.fd = fd };

	/* in random order some cannot succeed; only successful calls count */
	if (!epoll_ctl(w->epoll, calls[op], fd, &ev))
		w->operations[op]++;
}

static void random_operation(struct epoll_worker *w, u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	do_operation(w, (int)((*state >> 32) % OPS), w->fds[*state % w->e->fds]);
}

static void *change_often(void *arg)
{
	const struct timespec pause = { 0, 250 };
	struct epoll_worker *w = arg;
	u64 random = 88172645463325252ULL + w->number;

	if (!team_gate(&w->e->team))
		return NULL;
	do {
		for (unsigned i = 0; i < w->e->fds && !w->e->randomize; i++)
			for (int op = 0; op < OPS; op++)
				do_operation(w, op, w->fds[i]);
		if (w->e->randomize)
			random_operation(w, &random);
		nanosleep(&pause, NULL);
	} while (bench_goes_on(w->e->b));
	return NULL;
}

/* Adds half of the descriptors, so neither adding nor deleting fails more often at first. */
static void add_half(struct epoll_run *e, struct epoll_worker *w)
{
	for (unsigned i = 0; i < e->threads; i++)
		for (unsigned j = 0; j < e->fds; j += 2) {
			struct epoll_event ev = { .events = EPOLLIN, .data.fd = w[i].fds[j] };

			epoll_ctl(e->epoll, EPOLL_CTL_ADD, w[i].fds[j], &ev);
		}
}

static void report(struct epoll_run *e, const struct epoll_worker *w)
{
	static const char *const names[] = { "ADD", "MOD", "DEL" };
	struct figures sums[OPS] = { { 0 } };

	for (unsigned i = 0; i < e->threads; i++) {
		const u64 *n = w[i].operations;

		for (int op = 0; op < OPS; op++)
			figures_add(&sums[op], (double)n[op]);
		bench_text(e->b, "[thread %2u] fdmap: %p", i, (void *)w[i].fds);
		if (e->fds > 1)
			bench_text(e->b, " ... %p", (void *)(w[i].fds + e->fds - 1));
		bench_text(e->b,
			   " [ add: %04" PRIu64 " ops; mod: %04" PRIu64 " ops; del: %04" PRIu64
			   " ops ]\n",
			   n[OP_ADD], n[OP_MOD], n[OP_DEL]);
	}
	for (int op = 0; op < OPS; op++) {
		bench_text(e->b, "%sAveraged %" PRIu64 " %s operations (+- %.2f%%)\n",
			   op ? "" : "\n", (u64)sums[op].mean, names[op],
			   figures_percent(&sums[op]));
		bench_metric(e->b, names[op], sums[op].mean, "operations");
	}
}

static int run_workers(struct epoll_run *e, struct epoll_worker *w)
{
	int code;

	if (e->randomize)
		add_half(e, w);
	code = team_start(&e->team, e->threads, !e->unbound, change_often, w, sizeof(*w));
	if (code)
		return code;
	team_open(&e->team);
	bench_let_run(e->b, e->runtime);
	epoll_say(e, "main thread: toggling done");
	team_join(&e->team);
	report(e, w);
	return 0;
}

int bench_epoll_ctl(struct bench *b, int argc, const char **argv)
{
	struct epoll_run e = { .b = b, .runtime = 8, .fds = 64 };
	int code = epoll_options(&e, NULL, 0, argc, argv), nest[4];
	struct epoll_worker *w;

	if (code)
		return bench_parsed(code);
	if (!e.threads)
		e.threads = team_cpus();
	epoll_say(&e, "Nesting level(s): %u", e.nested);
	epoll_allow_files(&e);
	bench_text(
		b,
		"Run summary [PID %d]: %u threads doing epoll_ctl ops %u file-descriptors for %u "
		"secs.\n\n",
		getpid(), e.threads, e.fds, e.runtime);
	e.epoll = epoll_make(&e, nest);
	if (e.epoll < 0)
		return bench_failed(-e.epoll, "cannot make an epoll instance");
	bench_catch_interrupt(b);
	w = epoll_make_workers(&e);
	code = w ? run_workers(&e, w) : 1;
	if (w)
		epoll_free_workers(&e, w);
	for (unsigned i = 0; i < ARRAY_SIZE(nest); i++)
		if (nest[i] >= 0)
			close(nest[i]);
	close(e.epoll);
	return code;
}
