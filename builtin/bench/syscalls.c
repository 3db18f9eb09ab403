// SPDX-License-Identifier: GPL-2.0-or-later
/* syscall: the cost of a system call that does next to nothing, and of a process. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "builtin/bench/internal.h"
#include "cli/say.h"

static int call_getppid(void)
{
	getppid();
	return 0;
}

static int call_getpgid(void)
{
	getpgid(0);
	return 0;
}

static int reap(pid_t pid)
{
	int status;

	if (pid < 0)
		return -errno;
	return waitpid(pid, &status, 0) == pid && !status ? 0 : -ECHILD;
}

static int call_fork(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return reap(pid);
}

static int call_execve(void)
{
	static char *const argv[] = { (char *)"/bin/true", NULL };
	pid_t pid = fork();

	if (!pid) {
		execve(argv[0], argv, environ);
		_exit(127);
	}
	return reap(pid);
}

static int run(struct bench *b, int argc, const char **argv, const char *name, int loops,
	       int (*call)(void))
{
	const struct option_row rows[] = {
		{ OPTION_INT, 'l', "loop", &loops, .help = "number of loops" },
		OPT_END_ROW,
	};
	int code = bench_options(b, rows, &argc, argv), err = 0;
	u64 start;

	if (code)
		return bench_parsed(code);
	if (loops <= 0) {
		say_error("--loop: at least one is needed, not %d", loops);
		return EXIT_USAGE;
	}
	bench_begin(b);
	start = clock_now();
	for (int i = 0; i < loops && !err; i++)
		err = call();
	start = clock_now() - start;
	if (err)
		return bench_failed(-err, "%s failed", name);
	if (b->format == BENCH_DEFAULT)
		bench_text(b, "# Executed %d %s calls\n", loops, name);
	bench_rate(b, start, (u64)loops);
	return 0;
}

static int basic(struct bench *b, int argc, const char **argv)
{
	return run(b, argc, argv, "getppid()", 10000000, call_getppid);
}

static int getpgid_calls(struct bench *b, int argc, const char **argv)
{
	return run(b, argc, argv, "getpgid()", 10000000, call_getpgid);
}

static int fork_calls(struct bench *b, int argc, const char **argv)
{
	return run(b, argc, argv, "fork()", 10000, call_fork);
}

static int execve_calls(struct bench *b, int argc, const char **argv)
{
	return run(b, argc, argv, "execve()", 10000, call_execve);
}

const struct benchmark syscall_benchmarks[] = {
	{ "basic", "Benchmark for basic getppid(2) calls", basic },
	{ "getpgid", "Benchmark for getpgid(2) calls", getpgid_calls },
	{ "fork", "Benchmark for fork(2) calls", fork_calls },
	{ "execve", "Benchmark for execve(2) calls", execve_calls },
	{ NULL },
};
