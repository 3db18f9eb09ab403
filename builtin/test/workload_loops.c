// SPDX-License-Identifier: GPL-2.0-or-later
/* Workloads that use the processor: loops with known functions. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/child.h"
#include "builtin/test/workload.h"

#define NOINLINE __attribute__((noinline))

static volatile u64 sink;

/* Loops. It is a function by itself for tests that look for its name. */
static NOINLINE void noploop(void)
{
	while (!workload_done)
		continue;
}

int workload_noploop(int argc, const char **argv, struct reason *r)
{
	double seconds;
	int err = workload_seconds(argc, argv, 0, &seconds, r);

	if (err)
		return err;
	prctl(PR_SET_NAME, "perf-noploop");
	workload_timer(seconds);
	noploop();
	return 0;
}

static NOINLINE void test_loop(void)
{
	while (!workload_done)
		sink++;
}

static NOINLINE void *thfunc(void *arg)
{
	test_loop();
	return arg;
}

int workload_thloop(int argc, const char **argv, struct reason *r)
{
	enum { MOST = 1000 };
	pthread_t *threads;
	double seconds;
	u64 count, started = 0;
	int err = workload_seconds(argc, argv, 0, &seconds, r);

	if (!err)
		err = workload_number(argc, argv, 1, MOST, 2, &count, r);
	if (!err && !count)
		err = reason_usage(r, "at least one thread is needed");
	if (err)
		return err;
	threads = xcalloc(count, sizeof(*threads));
	workload_timer(seconds);
	/* the first thread is this one */
	for (; started + 1 < count; started++) {
		err = pthread_create(&threads[started], NULL, thfunc, NULL);
		if (err) {
			workload_done = 1;
			err = reason_errno(r, err, "cannot start thread %" PRIu64, started + 2);
			break;
		}
	}
	test_loop();
	for (u64 i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return err;
}

static NOINLINE void leaf(volatile u64 *a)
{
	while (!workload_done)
		*a += *a * 3 + 1;
}

static NOINLINE void parent(volatile u64 *a)
{
	leaf(a);
	sink = *a;
}

int workload_leafloop(int argc, const char **argv, struct reason *r)
{
	double seconds;
	volatile u64 a = 34;
	int err = workload_seconds(argc, argv, 0, &seconds, r);

	if (err)
		return err;
	workload_timer(seconds);
	parent(&a);
	return 0;
}

static NOINLINE void take_square_roots(void)
{
	volatile double v = 1234567.0;

	while (!workload_done)
		v = sqrt(v) + 1000.0;
}

int workload_sqrtloop(int argc, const char **argv, struct reason *r)
{
	double seconds;
	int status, err = workload_seconds(argc, argv, 0, &seconds, r);
	pid_t pid;

	if (err)
		return err;
	pid = fork_bound(SIGKILL);
	if (pid < 0)
		return reason_errno(r, errno, "cannot fork");
	if (!pid) {
		workload_timer(seconds);
		take_square_roots();
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return 0;
}

static NOINLINE void brstack_bar(void)
{
	sink++;
}

static NOINLINE void brstack_foo(void)
{
	brstack_bar();
}

static NOINLINE void brstack_bench(void)
{
	void (*volatile indirect)(void) = brstack_foo;

	if (sink % 3)
		brstack_bar();
	brstack_foo();
	indirect();
}

static NOINLINE void brstack(u64 loops)
{
	for (u64 i = 0; i < loops; i++)
		brstack_bench();
}

int workload_brstack(int argc, const char **argv, struct reason *r)
{
	u64 loops;
	int err = workload_number(argc, argv, 0, UINT64_MAX, 999999, &loops, r);

	if (!err)
		brstack(loops);
	return err;
}

/* One cache line; tests expect its first byte and byte 0x38 to be accessed. */
struct datasym_buffer {
	u8 often;
	u8 between[55];
	u8 seldom;
} __attribute__((aligned(64)));

/* Not zero, which puts it into the data section. */
static volatile struct datasym_buffer workload_datasym_buf1 = { .between[0] = 1 };

static NOINLINE void datasym_touch(void)
{
	for (int i = 0; i < 1000 && !workload_done; i++)
		workload_datasym_buf1.often++;
	workload_datasym_buf1.seldom =
		(u8)(workload_datasym_buf1.seldom + workload_datasym_buf1.often);
}

int workload_datasym(int argc, const char **argv, struct reason *r)
{
	double seconds;
	int err = workload_seconds(argc, argv, 0, &seconds, r);

	if (err)
		return err;
	workload_timer(seconds);
	while (!workload_done)
		datasym_touch();
	return 0;
}

struct named_thread {
	pthread_t thread;
	u64 loops;
	char name[16];
};

static NOINLINE void *named_thread_loop(void *arg)
{
	struct named_thread *t = arg;
	volatile u64 n = 0;

	prctl(PR_SET_NAME, t->name);
	for (u64 i = 0; i < t->loops; i++)
		n += i;
	return n ? NULL : arg; /* nobody looks at it */
}

int workload_named_threads(int argc, const char **argv, struct reason *r)
{
	struct named_thread *threads;
	u64 count, loops, started = 0;
	int err = workload_number(argc, argv, 0, 1000, 1, &count, r);

	if (!err)
		err = workload_number(argc, argv, 1, UINT64_MAX, 100000000, &loops, r);
	if (err)
		return err;
	threads = xcalloc(count, sizeof(*threads));
	for (; started < count; started++) {
		struct named_thread *t = &threads[started];
		char *name = xasprintf("thread%" PRIu64, started);

		__builtin_strncpy(t->name, name, sizeof(t->name) - 1);
		free(name);
		t->loops = loops;
		err = pthread_create(&t->thread, NULL, named_thread_loop, t);
		if (err) {
			err = reason_errno(r, err, "cannot start thread %" PRIu64, started);
			break;
		}
	}
	for (u64 i = 0; i < started; i++)
		pthread_join(threads[i].thread, NULL);
	free(threads);
	return err;
}

static NOINLINE void callchain_leaf(void)
{
	while (!workload_done)
		sink++;
}

static NOINLINE void callchain_step(u64 depth)
{
	if (depth > 1)
		callchain_step(depth - 1);
	else
		callchain_leaf();
	sink++;
}

int workload_callchain(int argc, const char **argv, struct reason *r)
{
	double seconds;
	u64 depth;
	int err = workload_number(argc, argv, 0, 10000, 10, &depth, r);

	if (!err)
		err = workload_seconds(argc, argv, 1, &seconds, r);
	if (err)
		return err;
	workload_timer(seconds);
	callchain_step(depth);
	return 0;
}
