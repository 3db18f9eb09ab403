// SPDX-License-Identifier: GPL-2.0-or-later
/* breakpoint thread, enable: what threads cost that inherit breakpoints, and switching one. */
#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "builtin/bench/internal.h"
#include "cli/say.h"
#include "sys/explain.h"

/* from linux/perf_event.h */
#define IOC_ENABLE  _IO('$', 0)
#define IOC_DISABLE _IO('$', 1)

struct watched {
	int fd;
	char byte;
};

static int set_breakpoint(void *address)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_RW,
		.flags = ATTR_INHERIT | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV,
	};
	const struct open_attempt attempt = {
		.attr = &attr, .event = "a breakpoint", .pid = 0, .cpu = -1
	};
	struct reason r = REASON_INIT;
	int fd;

	attr.config1 = (u64)(uintptr_t)address;
	attr.config2 = 1;
	fd = sys_perf_event_open(&attr, 0, -1, -1, 0);
	if (fd >= 0)
		return fd;
	explain_open(NULL, &attempt, -fd, &r);
	say_reason(&r);
	return -1;
}

static void *block(void *arg)
{
	u32 *done = arg;

	while (!__atomic_load_n(done, __ATOMIC_RELAXED))
		syscall(SYS_futex, done, FUTEX_WAIT, 0, NULL, NULL, 0);
	return NULL;
}

static void *spin(void *arg)
{
	u32 *done = arg;

	while (!__atomic_load_n(done, __ATOMIC_RELAXED))
		;
	return NULL;
}

static void end_threads(u32 *done, pthread_t *threads, unsigned count)
{
	__atomic_store_n(done, 1, __ATOMIC_RELAXED);
	syscall(SYS_futex, done, FUTEX_WAKE, (int)count, NULL, NULL, 0);
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

struct thread_run {
	unsigned breakpoints, parallel, threads;
	int left; /* batches of threads that are still to be run */
	int err;
};

/* Makes batch after batch of threads and waits until they end. */
static void *run_batches(void *arg)
{
	struct thread_run *t = arg;
	pthread_t *threads = xcalloc(t->threads, sizeof(*threads));

	while (__atomic_fetch_sub(&t->left, 1, __ATOMIC_RELAXED) > 0) {
		unsigned started = 0;
		u32 done = 0;
		int err = 0;

		while (started < t->threads && !err) {
			err = pthread_create(&threads[started], NULL, block, &done);
			started += !err;
		}
		end_threads(&done, threads, started);
		if (err) {
			__atomic_store_n(&t->err, err, __ATOMIC_RELAXED);
			break;
		}
	}
	free(threads);
	return NULL;
}

static int time_batches(struct bench *b, struct thread_run *t, u64 *taken)
{
	pthread_t *parallel = xcalloc(t->parallel, sizeof(*parallel));
	unsigned started = 0;
	u64 start = clock_now();
	int err = 0;

	t->left = (int)b->repeat;
	while (started < t->parallel && !err) {
		err = pthread_create(&parallel[started], NULL, run_batches, t);
		started += !err;
	}
	for (unsigned i = 0; i < started; i++)
		pthread_join(parallel[i], NULL);
	*taken = clock_now() - start;
	free(parallel);
	err = err ? err : t->err;
	return err ? bench_failed(err, "cannot start a thread") : 0;
}

static void put_threads(struct bench *b, const struct thread_run *t, u64 taken)
{
	double us = (double)taken / 1e3 / b->repeat / t->threads;

	if (b->format == BENCH_DEFAULT)
		bench_text(b,
			   "# Created/joined %u threads with %u breakpoints and %u parallelism\n",
			   b->repeat * t->threads, t->breakpoints, t->parallel);
	bench_total(b, taken);
	bench_metric(b, "time-per-operation", us, "usec");
	if (b->format == BENCH_DEFAULT) {
		bench_text(b, "\n %14f usecs/op\n", us);
		bench_text(b, " %14f usecs/op/cpu\n", us * t->parallel);
	}
}

static int run_threads(struct bench *b, int argc, const char **argv)
{
	struct thread_run t = { .breakpoints = 1, .parallel = 1, .threads = 1 };
	const struct option_row rows[] = {
		{ OPTION_UINT, 'b', "breakpoints", &t.breakpoints,
		  .help = "number of breakpoints (default: 1)" },
		{ OPTION_UINT, 'p', "parallelism", &t.parallel,
		  .help = "threads that make threads (default: 1)" },
		{ OPTION_UINT, 't', "threads", &t.threads,
		  .help = "threads at a time (default: 1)" },
		OPT_END_ROW,
	};
	int code = bench_options(b, rows, &argc, argv);
	struct watched *watched;
	unsigned set = 0;
	u64 taken;

	if (code)
		return bench_parsed(code);
	if (!t.threads || !t.parallel) {
		say_error("at least one thread is needed");
		return EXIT_USAGE;
	}
	bench_begin(b);
	watched = xcalloc(MAX(t.breakpoints, 1u), sizeof(*watched));
	for (; set < t.breakpoints && !code; set++) {
		watched[set].fd = set_breakpoint(&watched[set].byte);
		if (watched[set].fd < 0) {
			code = 1;
			break;
		}
	}
	if (!code)
		code = time_batches(b, &t, &taken);
	while (set)
		close(watched[--set].fd);
	free(watched);
	if (!code)
		put_threads(b, &t, taken);
	return code;
}

static int time_switching(int fd, unsigned repeat, u64 *taken)
{
	u64 start = clock_now();

	for (unsigned i = 0; i < repeat; i++)
		if (ioctl(fd, IOC_DISABLE, 0) || ioctl(fd, IOC_ENABLE, 0))
			return bench_failed(errno, "cannot disable and enable the breakpoint");
	*taken = clock_now() - start;
	return 0;
}

static int with_threads(struct bench *b, int fd, unsigned passive, unsigned active)
{
	unsigned count = passive + active, started = 0;
	pthread_t *threads = xcalloc(MAX(count, 1u), sizeof(*threads));
	u32 done = 0;
	u64 taken = 0;
	int err = 0, code;

	while (started < count && !err) {
		err = pthread_create(&threads[started], NULL, started < passive ? block : spin,
				     &done);
		started += !err;
	}
	/* time for the threads to block */
	usleep(10000);
	code = err ? bench_failed(err, "cannot start thread %u of %u", started + 1, count)
		   : time_switching(fd, b->repeat, &taken);
	end_threads(&done, threads, started);
	free(threads);
	if (code)
		return code;
	if (b->format == BENCH_DEFAULT)
		bench_text(b,
			   "# Enabled/disabled breakpoint %u time with %u passive and %u active "
			   "threads\n",
			   b->repeat, passive, active);
	bench_total(b, taken);
	bench_metric(b, "time-per-operation", (double)taken / 1e3 / b->repeat, "usec");
	if (b->format == BENCH_DEFAULT)
		bench_text(b, "\n %14f usecs/op\n", (double)taken / 1e3 / b->repeat);
	return 0;
}

static int run_enable(struct bench *b, int argc, const char **argv)
{
	unsigned passive = 0, active = 0;
	const struct option_row rows[] = {
		{ OPTION_UINT, 'p', "passive", &passive, .help = "threads that are blocked" },
		{ OPTION_UINT, 'a', "active", &active, .help = "threads that run" },
		OPT_END_ROW,
	};
	int code = bench_options(b, rows, &argc, argv), fd;
	char byte;

	if (code)
		return bench_parsed(code);
	if (passive > 1000000 || active > 1000000) {
		say_error("more than a million threads cannot be started");
		return EXIT_USAGE;
	}
	bench_begin(b);
	fd = set_breakpoint(&byte);
	if (fd < 0)
		return 1;
	code = with_threads(b, fd, passive, active);
	close(fd);
	return code;
}

const struct benchmark breakpoint_benchmarks[] = {
	{ "thread", "Benchmark thread start/finish with breakpoints", run_threads },
	{ "enable", "Benchmark breakpoint enable/disable", run_enable },
	{ NULL },
};
