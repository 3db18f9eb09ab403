/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf bench: small workloads that measure the kernel, the memory and perf itself.
 *
 * It is a table of collections, each a table of benchmarks. A benchmark parses its own
 * options, runs, and prints its results. Names, options, defaults and text are those of Linux 6.1
 * and 7.3; the code is our own.
 * Units: times are measured in ns by CLOCK_MONOTONIC and printed in microseconds or seconds.
 * Threads: started from one thread; the threads of a benchmark have ended when it returns.
 * Processes that it forks leave by _exit().
 * Errors: reported through cli/say.h; the exit code is returned.
 */
#ifndef BUILTIN_BENCH_BENCH_H
#define BUILTIN_BENCH_BENCH_H

#include "base/context.h"

enum bench_format {
	BENCH_DEFAULT,
	BENCH_SIMPLE, /* one number, where a benchmark has one */
	BENCH_JSON,   /* an object for each benchmark, one a line */
};

struct bench_settings {
	struct context *ctx;
	enum bench_format format;
	unsigned repeat; /* how often the short benchmarks run */
	/* perf inject, for the benchmark of it: no component may call a command */
	int (*inject)(struct context *ctx, int argc, const char **argv);
};

/*
 * Runs benchmarks; argv is COLLECTION [BENCHMARK [OPTIONS]]. With argc 0 it lists the collections.
 */
int bench_run(const struct bench_settings *s, int argc, const char **argv);
/*
 * Compares two files of --json, runs of A and of B, by their means: a table, or an object for each
 * metric. Returns the exit code.
 */
int bench_compare(const char *a, const char *b, enum bench_format format);
/* Returns the names of the collections, for completion; ended by NULL. */
const char *const *bench_collections(void);

#endif
