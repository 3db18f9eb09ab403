// SPDX-License-Identifier: GPL-2.0-or-later
/* epoll: options, descriptors, nested instances. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "builtin/bench/epoll.h"
#include "cli/say.h"

enum { MOST_NESTED = 4 }; /* as deep as the kernel lets instances watch each other */

int epoll_options(struct epoll_run *e, const struct option_row *more, size_t count, int argc,
		  const char **argv)
{
	option_rows rows = VEC_INIT;
	const struct option_row common[] = {
		{ OPTION_UINT, 't', "threads", &e->threads, .help = "number of threads" },
		{ OPTION_UINT, 'r', "runtime", &e->runtime, .arg = "SECONDS",
		  .help = "how long it runs (default: 8)" },
		{ OPTION_UINT, 'f', "nfds", &e->fds,
		  .help = "file descriptors of each thread (default: 64)" },
		{ OPTION_FLAG, 'n', "noaffinity", &e->unbound,
		  .help = "do not bind threads to CPUs" },
		{ OPTION_UINT, 'N', "nested", &e->nested,
		  .help = "levels of instances that watch each other (default: 0, at most 4)" },
		{ OPTION_FLAG, 'R', "randomize", &e->randomize, .help = "random order" },
		{ OPTION_FLAG, 'v', "verbose", &e->verbose, .help = "report more" },
	};
	int code;

	option_rows_add(&rows, common, ARRAY_SIZE(common));
	option_rows_add(&rows, more, count);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	code = bench_options(e->b, rows.items, &argc, argv);
	vec_release(&rows);
	if (code)
		return code;
	if (!e->fds || e->fds > 1000000 || e->threads > 1000000) {
		say_error("%s", e->fds && e->fds <= 1000000 ? "--threads: more than a million"
							    : "--nfds: not from 1 to 1000000");
		return EXIT_USAGE;
	}
	e->nested = MIN(e->nested, (unsigned)MOST_NESTED);
	return 0;
}

void epoll_say(const struct epoll_run *e, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vf(&text, fmt, ap);
	va_end(ap);
	if (e->verbose)
		bench_text(e->b, "%s\n", strbuf_cstr(&text));
	strbuf_release(&text);
}

void epoll_allow_files(const struct epoll_run *e)
{
	rlim_t wanted = (rlim_t)e->fds * e->threads * 2 + 50;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
		return;
	epoll_say(e, "Setting RLIMIT_NOFILE rlimit from %" PRIu64 " to: %" PRIu64,
		  (u64)limit.rlim_cur, (u64)wanted);
	limit.rlim_cur = wanted;
	if (limit.rlim_max < wanted)
		limit.rlim_max = wanted;
	/* where it cannot be raised, opening the files says so */
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int add_below(int outer, int inner)
{
	struct epoll_event ev = { .events = EPOLLHUP };

	return epoll_ctl(outer, EPOLL_CTL_ADD, inner, &ev) ? -errno : 0;
}

int epoll_make(const struct epoll_run *e, int nest[4])
{
	int fd = epoll_create1(EPOLL_CLOEXEC), outer = fd, err = fd < 0 ? -errno : 0;

	for (unsigned i = 0; i < MOST_NESTED; i++)
		nest[i] = -1;
	for (unsigned i = 0; i < e->nested && !err; i++) {
		nest[i] = epoll_create1(EPOLL_CLOEXEC);
		err = nest[i] < 0 ? -errno : add_below(outer, nest[i]);
		outer = nest[i];
	}
	if (!err)
		return fd;
	for (unsigned i = 0; i < MOST_NESTED; i++)
		if (nest[i] >= 0)
			close(nest[i]);
	if (fd >= 0)
		close(fd);
	return err;
}

static int fill_worker(struct epoll_run *e, struct epoll_worker *w)
{
	w->epoll = e->multiq ? epoll_make(e, w->nest) : e->epoll;
	if (w->epoll < 0)
		return w->epoll;
	for (unsigned i = 0; i < e->fds; i++) {
		w->fds[i] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		if (w->fds[i] < 0)
			return -errno;
	}
	return 0;
}

struct epoll_worker *epoll_make_workers(struct epoll_run *e)
{
	struct epoll_worker *w = xcalloc(e->threads, sizeof(*w));
	int err = 0;

	for (unsigned i = 0; i < e->threads; i++) {
		w[i] = (struct epoll_worker){
			.e = e, .number = i, .epoll = -1, .nest = { -1, -1, -1, -1 }
		};
		w[i].fds = xcalloc(e->fds, sizeof(int));
		memset(w[i].fds, -1, e->fds * sizeof(int));
	}
	for (unsigned i = 0; i < e->threads && !err; i++)
		err = fill_worker(e, &w[i]);
	if (!err)
		return w;
	bench_failed(-err, "cannot open %u file descriptors for each of %u threads", e->fds,
		     e->threads);
	if (err == -EMFILE)
		say_hint("ulimit -n allows more open files");
	epoll_free_workers(e, w);
	return NULL;
}

void epoll_free_workers(struct epoll_run *e, struct epoll_worker *w)
{
	for (unsigned i = 0; i < e->threads; i++) {
		for (unsigned j = 0; j < e->fds; j++)
			if (w[i].fds[j] >= 0)
				close(w[i].fds[j]);
		for (unsigned j = 0; j < MOST_NESTED; j++)
			if (w[i].nest[j] >= 0)
				close(w[i].nest[j]);
		if (e->multiq && w[i].epoll >= 0)
			close(w[i].epoll);
		free(w[i].fds);
	}
	free(w);
}

/* Shuffles by the method of Fisher and Yates, with numbers of xorshift. */
void epoll_shuffle(int *list, unsigned count, u64 *state)
{
	for (unsigned i = count; i > 1; i--) {
		unsigned j;
		int swap;

		*state ^= *state << 13;
		*state ^= *state >> 7;
		*state ^= *state << 17;
		j = (unsigned)(*state % i);
		swap = list[i - 1];
		list[i - 1] = list[j];
		list[j] = swap;
	}
}
