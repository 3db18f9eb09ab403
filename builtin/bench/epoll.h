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
	int epoll; /* its own descriptor with --multiq, else the one that all share */
	int nest[4];
	int *fds;
	u64 operations[3]; /* for epoll ctl: added, modified, deleted; for epoll wait: the first */
	int err;
};

int epoll_options(struct epoll_run *e, const struct option_row *more, size_t count, int argc,
		  const char **argv);
/* With -v only. */
void epoll_say(const struct epoll_run *e, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The limit of open files is raised where that is possible and needed. */
void epoll_allow_files(const struct epoll_run *e);
/* An instance with others below it: a descriptor or -errno; nest takes those of the others. */
int epoll_make(const struct epoll_run *e, int nest[4]);
/* Workers with their eventfds: NULL with an error line; epoll_free_workers(). */
struct epoll_worker *epoll_make_workers(struct epoll_run *e);
void epoll_free_workers(struct epoll_run *e, struct epoll_worker *w);
/* Numbers in random order. */
void epoll_shuffle(int *list, unsigned count, u64 *state);

#endif
