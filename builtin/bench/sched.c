// SPDX-License-Identifier: GPL-2.0-or-later
/* sched pipe: two tasks hand a number to each other. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "builtin/bench/internal.h"
#include "cli/say.h"
#include "sys/cgroup.h"

struct pipe_run {
	struct bench *b;
	int loops;
	bool threads, nonblocking;
	const char *cgroups; /* the cgroups of the sender and the receiver, or NULL */
};

struct pipe_side {
	const struct pipe_run *run;
	int in, out;
	bool first;         /* begins with a write */
	const char *cgroup; /* it moves into, or NULL */
	int err;
};

static int wait_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, -1) < 0 && errno != EINTR ? -errno : 0;
}

static int take(const struct pipe_side *s)
{
	int m;

	for (;;) {
		ssize_t n = read(s->in, &m, sizeof(m));

		if (n == (ssize_t)sizeof(m))
			return 0;
		if (n >= 0)
			return -EPIPE; /* the other side has gone */
		if (errno == EAGAIN && s->run->nonblocking) {
			int err = wait_readable(s->in);

			if (err)
				return err;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
}

static int give(const struct pipe_side *s)
{
	int m = 0;

	return write(s->out, &m, sizeof(m)) == (ssize_t)sizeof(m) ? 0 : -errno;
}

/*
 * Enters a cgroup. "0" means the writing thread in cgroup.threads, and also in tasks of version 1.
 */
static int enter_cgroup(const char *name)
{
	struct reason r = REASON_INIT;
	int dir = cgroup_open(NULL, name, &r), fd;

	if (dir < 0)
		return say_reason(&r), -ENOENT;
	fd = openat(dir, "cgroup.threads", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) < 0) {
		/* a process of a domain cgroup moves as a whole */
		if (fd >= 0)
			close(fd);
		fd = openat(dir, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	} else {
		close(fd);
		close(dir);
		return 0;
	}
	close(dir);
	if (fd < 0 || write(fd, "0", 1) < 0) {
		bench_failed(errno, "cannot enter the cgroup '%s'", name);
		if (fd >= 0)
			close(fd);
		return -EACCES;
	}
	close(fd);
	return 0;
}

static void *play(void *arg)
{
	struct pipe_side *s = arg;

	s->err = s->cgroup ? enter_cgroup(s->cgroup) : 0;
	for (int i = 0; i < s->run->loops && !s->err; i++) {
		s->err = s->first ? give(s) : take(s);
		if (!s->err)
			s->err = s->first ? take(s) : give(s);
	}
	/* the task that waits for this side sees the end */
	if (s->err)
		close(s->out);
	return NULL;
}

static int play_threads(struct pipe_side side[2])
{
	pthread_t other;
	int err = pthread_create(&other, NULL, play, &side[0]);

	if (err)
		return bench_failed(err, "cannot start a thread");
	play(&side[1]);
	pthread_join(other, NULL);
	return 0;
}

static int play_processes(struct pipe_side side[2])
{
	int status;
	pid_t pid = bench_fork();

	if (pid < 0)
		return bench_failed(errno, "cannot start a process");
	if (!pid) {
		close(side[1].out);
		play(&side[0]);
		_exit(side[0].err ? 1 : 0);
	}
	close(side[0].out);
	side[0].out = -1;
	play(&side[1]);
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status))
		side[0].err = -ECHILD;
	return 0;
}

static int timed(struct pipe_run *run, struct pipe_side side[2])
{
	u64 start = clock_now();
	int code;

	signal(SIGPIPE, SIG_IGN);
	code = run->threads ? play_threads(side) : play_processes(side);
	start = clock_now() - start;
	if (code)
		return code;
	if (side[0].err == -ENOENT || side[0].err == -EACCES || side[1].err == -ENOENT ||
	    side[1].err == -EACCES)
		return 1; /* said */
	if (side[1].err || side[0].err)
		return bench_failed(-(side[1].err ? side[1].err : side[0].err),
				    "cannot pass a message through the pipe");
	if (run->b->format == BENCH_DEFAULT)
		bench_text(run->b, "# Executed %d pipe operations between two %s\n\n", run->loops,
			   run->threads ? "threads" : "processes");
	bench_rate(run->b, start, (u64)run->loops);
	return 0;
}

static int with_pipes(struct pipe_run *run, struct strlist *cgroups)
{
	int one[2], two[2], flags = O_CLOEXEC | (run->nonblocking ? O_NONBLOCK : 0), code;
	struct pipe_side side[2];

	if (pipe2(one, flags))
		return bench_failed(errno, "cannot make a pipe");
	if (pipe2(two, flags)) {
		code = bench_failed(errno, "cannot make a pipe");
		close(one[0]);
		close(one[1]);
		return code;
	}
	side[0] = (struct pipe_side){ .run = run, .in = one[0], .out = two[1] };
	side[1] = (struct pipe_side){ .run = run, .in = two[0], .out = one[1], .first = true };
	if (cgroups->list.count) {
		side[1].cgroup = cgroups->list.items[0];
		side[0].cgroup = cgroups->list.items[1];
	}
	code = timed(run, side);
	close(one[0]);
	close(two[0]);
	if (!side[0].err && side[0].out >= 0)
		close(side[0].out);
	if (!side[1].err)
		close(side[1].out);
	return code;
}

static int bench_sched_pipe(struct bench *b, int argc, const char **argv)
{
	struct pipe_run run = { .b = b, .loops = 1000000 };
	struct strlist cgroups = { VEC_INIT };
	const struct option_row rows[] = {
		{ OPTION_INT, 'l', "loop", &run.loops,
		  .help = "number of loops (default: 1000000)" },
		{ OPTION_FLAG, 'T', "threaded", &run.threads,
		  .help = "between threads instead of processes" },
		{ OPTION_FLAG, 'n', "nonblocking", &run.nonblocking,
		  .help = "use pipes that do not block, and poll(2)" },
		{ OPTION_STRING, 'G', "cgroups", &run.cgroups, .arg = "SEND,RECV",
		  .help = "put sender and receiver into these cgroups" },
		OPT_END_ROW,
	};
	int code = bench_options(b, rows, &argc, argv);

	if (code)
		return bench_parsed(code);
	if (run.cgroups)
		strlist_split(&cgroups, run.cgroups, ",");
	if (run.loops <= 0) {
		say_error("--loop: at least one is needed, not %d", run.loops);
		code = EXIT_USAGE;
	} else if (run.cgroups && cgroups.list.count != 2) {
		say_error("--cgroups: '%s' is not two names with a comma between them",
			  run.cgroups);
		code = EXIT_USAGE;
	} else {
		bench_begin(b);
		code = with_pipes(&run, &cgroups);
	}
	strlist_release(&cgroups);
	return code;
}

const struct benchmark sched_benchmarks[] = {
	{ "messaging", "Benchmark for scheduling and IPC", bench_sched_messaging },
	{ "pipe", "Benchmark for pipe() between two processes", bench_sched_pipe },
	{ "seccomp-notify", "Benchmark for seccomp user notify", bench_seccomp_notify },
	{ NULL },
};
