/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the epoll benchmarks share: options, descriptors, nested instances. Source: epoll(7). */
#ifndef BUILTIN_BENCH_EPOLL_H
#define BUILTIN_BENCH_EPOLL_H

#include "builtin/bench/internal.h"

struct epoll_run {
	struct bench *b;
	unsigned threads, runtime /* seconds */, fds /* of each thread */, nested;
	bool unbound, randomize, verbose;
	bool multiq, nonblocking, oneshot, edge; /* options of epoll wait */
	struct team team;
	int epoll; /* the instance of all threads */
};

struct epoll_worker {
	struct epoll_run *e;
	unsigned number;
	int epoll; /* its own with --multiq, else the one that all share */
	int nest[4];
	int *fds;
	u64 operations[3]; /* for epoll ctl: added, modified, deleted; for epoll wait: the first */
	int err;
};

int epoll_options(struct epoll_run *e, const struct option_row *more, size_t count, int argc,
		  const char **argv);
/* Prints a line, with -v only. */
void epoll_say(const struct epoll_run *e, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Raises the limit of open files where that is needed and possible. */
void epoll_allow_files(const struct epoll_run *e);
/*
 * Makes an epoll instance with others nested below it. Returns its descriptor or -errno; nest
 * receives the descriptors of the others.
 */
int epoll_make(const struct epoll_run *e, int nest[4]);
/*
 * Makes the workers with their eventfds, which epoll_free_workers() frees. Returns NULL after an
 * error line.
 */
struct epoll_worker *epoll_make_workers(struct epoll_run *e);
void epoll_free_workers(struct epoll_run *e, struct epoll_worker *w);
/* Shuffles the list; state is the random generator's. */
void epoll_shuffle(int *list, unsigned count, u64 *state);

#endif
