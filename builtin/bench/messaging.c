// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sched messaging, known as hackbench: in each group 20 senders write to each of 20
 * receivers, 100 bytes at a time.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "builtin/bench/internal.h"
#include "cli/say.h"

enum { FDS = 20, MESSAGE = 100 };

struct messaging {
	struct bench *b;
	unsigned groups, loops;
	bool pipes, threads;
	int ready[2], wake[2];
	pthread_t *ids; /* threads by id, else pids */
	pid_t *pids;
	unsigned started;
};

struct sender {
	struct messaging *m;
	int out[FDS];
};

struct receiver {
	struct messaging *m;
	int in, other_end;
};

static int make_pair(const struct messaging *m, int fds[2])
{
	return m->pipes ? pipe(fds) : socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
}

/* Says that this task is there, and waits for the start. */
static bool wait_for_start(struct messaging *m)
{
	struct pollfd p = { .fd = m->wake[0], .events = POLLIN };

	if (write(m->ready[1], "R", 1) != 1)
		return false;
	while (poll(&p, 1, -1) < 0)
		if (errno != EINTR)
			return false;
	return p.revents & POLLIN;
}

static void *send_all(void *arg)
{
	struct sender *s = arg;
	char data[MESSAGE];

	memset(data, 'S', sizeof(data));
	if (!wait_for_start(s->m))
		return s;
	for (unsigned i = 0; i < s->m->loops; i++) {
		for (unsigned j = 0; j < FDS; j++) {
			for (size_t done = 0; done < sizeof(data);) {
				ssize_t n = write(s->out[j], data + done, sizeof(data) - done);

				if (n < 0 && errno != EINTR)
					return s;
				done += n > 0 ? (size_t)n : 0;
			}
		}
	}
	return NULL;
}

static void *receive_all(void *arg)
{
	struct receiver *rc = arg;
	char data[MESSAGE];
	u64 packets = (u64)FDS * rc->m->loops;

	if (!rc->m->threads)
		close(rc->other_end);
	if (!wait_for_start(rc->m))
		return rc;
	for (u64 i = 0; i < packets; i++) {
		for (size_t done = 0; done < sizeof(data);) {
			ssize_t n = read(rc->in, data + done, sizeof(data) - done);

			if (!n || (n < 0 && errno != EINTR))
				return rc;
			done += n > 0 ? (size_t)n : 0;
		}
	}
	return NULL;
}

/* Starts a task. Returns 0 or -errno. */
static int start_task(struct messaging *m, void *(*fn)(void *), void *arg)
{
	pthread_attr_t attr;
	int err;

	if (!m->threads) {
		pid_t pid = bench_fork();

		if (pid < 0)
			return -errno;
		if (!pid)
			_exit(fn(arg) ? 1 : 0);
		m->pids[m->started++] = pid;
		return 0;
	}
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, MAX((size_t)PTHREAD_STACK_MIN, (size_t)256 << 10));
	err = pthread_create(&m->ids[m->started], &attr, fn, arg);
	pthread_attr_destroy(&attr);
	m->started += !err;
	return -err;
}

/*
 * Starts the tasks of a group. Threads continue to use what they are given; forked processes have
 * copies of it.
 */
static int start_group(struct messaging *m, struct sender *s, struct receiver *receivers)
{
	int err = 0;

	s->m = m;
	memset(s->out, -1, sizeof(s->out));
	for (unsigned i = 0; i < FDS && !err; i++) {
		int fds[2];

		if (make_pair(m, fds))
			return -errno;
		receivers[i] = (struct receiver){ .m = m, .in = fds[0], .other_end = fds[1] };
		s->out[i] = fds[1];
		err = start_task(m, receive_all, &receivers[i]);
		if (!m->threads || err)
			close(fds[0]);
	}
	for (unsigned i = 0; i < FDS && !err; i++)
		err = start_task(m, send_all, s);
	return err;
}

static void close_ends(struct sender *s)
{
	for (unsigned i = 0; i < FDS; i++)
		if (s->out[i] >= 0)
			close(s->out[i]);
}

static bool reap(struct messaging *m)
{
	bool good = true;

	for (unsigned i = 0; i < m->started; i++) {
		void *result = NULL;
		int status = 0;

		if (m->threads)
			pthread_join(m->ids[i], &result);
		else if (waitpid(m->pids[i], &status, 0) != m->pids[i])
			status = -1;
		good &= !result && !status;
	}
	return good;
}

/*
 * Ends the tasks that wait for a start that will not come: kills processes, and hangs up the
 * wake-up of threads.
 */
static void abandon(struct messaging *m)
{
	for (unsigned i = 0; i < m->started && !m->threads; i++)
		kill(m->pids[i], SIGKILL);
	close(m->wake[1]);
	m->wake[1] = -1;
	reap(m);
}

static bool all_ready(struct messaging *m)
{
	char byte;

	for (unsigned i = 0; i < m->started; i++)
		if (read(m->ready[0], &byte, 1) != 1)
			return false;
	return true;
}

static int finish(struct messaging *m, struct sender *senders)
{
	u64 start = clock_now();
	bool good;

	if (write(m->wake[1], "G", 1) != 1)
		return bench_failed(errno, "cannot start the tasks");
	good = reap(m);
	start = clock_now() - start;
	for (unsigned g = 0; g < m->groups && m->threads; g++)
		close_ends(&senders[g]);
	if (!good) {
		say_error("a sender or receiver failed");
		return 1;
	}
	if (m->b->format == BENCH_DEFAULT) {
		const char *what = m->threads ? "threads" : "processes";

		bench_text(m->b, "# %d sender and receiver %s per group\n", FDS, what);
		bench_text(m->b, "# %u groups == %u %s run\n\n", m->groups, m->groups * 2 * FDS,
			   what);
	}
	bench_total(m->b, start);
	return 0;
}

static int run_groups(struct messaging *m)
{
	struct sender *senders = xcalloc(m->groups, sizeof(*senders));
	struct receiver *receivers = xcalloc((size_t)m->groups * FDS, sizeof(*receivers));
	int err = 0, code;
	unsigned g;

	for (g = 0; g < m->groups && !err; g++) {
		err = start_group(m, &senders[g], receivers + (size_t)g * FDS);
		if (!m->threads || err)
			close_ends(&senders[g]);
	}
	if (err) {
		abandon(m);
		code = bench_failed(-err, "cannot start the tasks of group %u of %u", g, m->groups);
		say_hint("%s",
			 err == -EMFILE
				 ? "fewer groups (-g) need fewer open files; ulimit -n allows more"
				 : "fewer groups (-g) need fewer tasks");
	} else if (!all_ready(m)) {
		abandon(m);
		code = bench_failed(errno, "not every task is ready");
	} else {
		code = finish(m, senders);
	}
	for (size_t i = 0; i < (size_t)m->groups * FDS && m->threads; i++)
		if (receivers[i].m)
			close(receivers[i].in);
	free(senders);
	free(receivers);
	return code;
}

int bench_sched_messaging(struct bench *b, int argc, const char **argv)
{
	struct messaging m = { .b = b, .groups = 10, .loops = 100 };
	const struct option_row rows[] = {
		{ OPTION_FLAG, 'p', "pipe", &m.pipes,
		  .help = "use pipe(2) instead of socketpair(2)" },
		{ OPTION_FLAG, 't', "thread", &m.threads,
		  .help = "use threads instead of processes" },
		{ OPTION_UINT, 'g', "group", &m.groups, .help = "number of groups (default: 10)" },
		{ OPTION_UINT, 'l', "nr_loops", &m.loops,
		  .help = "number of loops (default: 100)" },
		OPT_END_ROW,
	};
	int code = bench_options(b, rows, &argc, argv);

	if (code)
		return bench_parsed(code);
	if (!m.groups || m.groups > 100000) {
		say_error("--group: %u is not from 1 to 100000", m.groups);
		return EXIT_USAGE;
	}
	bench_begin(b);
	if (make_pair(&m, m.ready) || make_pair(&m, m.wake))
		return bench_failed(errno, "cannot connect the tasks");
	m.ids = xcalloc((size_t)m.groups * 2 * FDS, sizeof(*m.ids));
	m.pids = xcalloc((size_t)m.groups * 2 * FDS, sizeof(*m.pids));
	code = run_groups(&m);
	close(m.ready[0]);
	close(m.ready[1]);
	close(m.wake[0]);
	if (m.wake[1] >= 0)
		close(m.wake[1]);
	free(m.ids);
	free(m.pids);
	return code;
}
