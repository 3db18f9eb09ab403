/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations for the files of this component and its unit tests. */
#ifndef BUILTIN_BENCH_INTERNAL_H
#define BUILTIN_BENCH_INTERNAL_H

#include <pthread.h>
#include <sched.h>

#include "base/reason.h"
#include "base/strbuf.h"
#include "builtin/bench/bench.h"
#include "cli/options.h"

struct bench {
	struct context *ctx;
	enum bench_format format;
	unsigned repeat;
	int (*inject)(struct context *ctx, int argc, const char **argv);
	const char *name;       /* "sched/pipe" */
	const char *options;    /* "bench sched pipe" */
	struct strbuf metrics;  /* the text for BENCH_JSON */
	atomic_bool time_is_up; /* its threads end */
	const char *title; /* "# Running ...", until bench_begin() has printed it; NULL: none */
	double baseline, previous; /* us, of the benchmarks of a collection that compare; 0: none */
};

struct benchmark {
	const char *name, *summary;
	/* Returns the exit code. */
	int (*run)(struct bench *b, int argc, const char **argv);
	bool alone; /* not part of "all" */
};

struct collection {
	const char *name, *summary;
	const struct benchmark *benchmarks; /* ended by a row without name */
};

/* bench.c */
/*
 * Prints the title, once. A benchmark calls it when its options are settled, so nothing is printed
 * before an error. bench_text() also calls it.
 */
void bench_begin(struct bench *b);
/* Prints text of the default and simple formats, and flushes it so a later fork repeats nothing. */
void bench_text(struct bench *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Adds one number to the object of BENCH_JSON. */
void bench_metric(struct bench *b, const char *name, double value, const char *unit);
/* Prints "error: TEXT: errno" and returns 1. */
int bench_failed(int err, const char *fmt, ...) PRINTF_LIKE(2, 3);
/*
 * Parses the benchmark's options; what is left over is an error. Returns 0, EXIT_USAGE, or -1 after
 * giving help: the benchmark then returns bench_parsed(code).
 */
int bench_options(struct bench *b, const struct option_row *rows, int *argc, const char **argv);
static inline int bench_parsed(int code)
{
	return code < 0 ? 0 : code;
}

/*
 * Forks, in the main thread: the child is killed when perf ends without having waited for it, for
 * instance because perf was killed.
 */
pid_t bench_fork(void);
/* Prints the lines with which most benchmarks end. */
void bench_total(struct bench *b, u64 ns);
/* Prints "Total time", microseconds for each operation, operations for each second. */
void bench_rate(struct bench *b, u64 ns, u64 operations);

/* figures.c: mean and how sure it is, as perf prints them */
struct figures {
	u64 count;
	double mean, squares; /* sum of the squared distances from the mean */
};
void figures_add(struct figures *f, double value);
double figures_deviation(const struct figures *f); /* the deviation of the mean */
double figures_percent(const struct figures *f);   /* the same, of 100 for the mean */

/* team.c: threads that begin together */
struct team {
	pthread_mutex_t lock;
	pthread_cond_t arrived, opened;
	pthread_t *threads;
	unsigned count, waiting;
	bool open, given_up;
	cpu_set_t cpus; /* the CPUs that this process may use */
};
/* Returns how many CPUs this process may use. */
unsigned team_cpus(void);
/*
 * Starts count threads that run fn(arg + i * size), each bound to its own CPU as long as there are
 * enough (not when !bound). Returns 0, or an exit code after an error line; then no thread is left.
 */
int team_start(struct team *t, unsigned count, bool bound, void *(*fn)(void *), void *arg,
	       size_t size);
/*
 * Waits until all threads have called this, which each does first. Returns false to end
 * immediately.
 */
bool team_gate(struct team *t);
/* Waits until all threads are there, then lets them begin. */
void team_open(struct team *t);
void team_join(struct team *t);

/* stop.c: SIGINT ends a benchmark that runs for a time, and its figures are printed */
void bench_catch_interrupt(struct bench *b);
/*
 * Lets the threads run for this long, or until SIGINT, and then ends them. Returns how many ns they
 * had.
 */
u64 bench_let_run(struct bench *b, unsigned seconds);
static inline bool bench_goes_on(const struct bench *b)
{
	return !atomic_load_explicit(&b->time_is_up, memory_order_relaxed);
}

/* the collections */
extern const struct benchmark sched_benchmarks[], syscall_benchmarks[], mem_benchmarks[],
	numa_benchmarks[], internals_benchmarks[], breakpoint_benchmarks[], uprobe_benchmarks[];

int bench_sched_messaging(struct bench *b, int argc, const char **argv);
int bench_seccomp_notify(struct bench *b, int argc, const char **argv);
int bench_find_bit(struct bench *b, int argc, const char **argv);
int bench_futex_hash(struct bench *b, int argc, const char **argv);
int bench_futex_wake(struct bench *b, int argc, const char **argv);
int bench_futex_wake_parallel(struct bench *b, int argc, const char **argv);
int bench_futex_requeue(struct bench *b, int argc, const char **argv);
int bench_futex_lock_pi(struct bench *b, int argc, const char **argv);
int bench_epoll_wait(struct bench *b, int argc, const char **argv);
int bench_epoll_ctl(struct bench *b, int argc, const char **argv);
int bench_inject_build_id(struct bench *b, int argc, const char **argv);
int bench_evlist_open_close(struct bench *b, int argc, const char **argv);

#endif
