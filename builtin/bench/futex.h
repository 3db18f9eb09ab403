/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the futex benchmarks share: their options, the calls (futex(2)), and the round in which
 * threads block on a futex before they are woken.
 */
#ifndef BUILTIN_BENCH_FUTEX_H
#define BUILTIN_BENCH_FUTEX_H

#include "builtin/bench/internal.h"

struct futex_run {
	struct bench *b;
	unsigned threads; /* 0: as many as CPUs */
	unsigned runtime; /* seconds */
	unsigned futexes, at_once;
	bool silent, shared, locked, multi, broadcast, pi, immutable;
	int buckets; /* -1: the kernel's choice */
};

enum { FUTEX_ROW_TIME = 1, FUTEX_ROW_BUCKETS = 2 };
/*
 * Parses the rows that all benchmarks have, those of the bits, and more; settles threads, memory
 * and buckets.
 */
int futex_options(struct futex_run *f, unsigned which, const struct option_row *more, size_t count,
		  int argc, const char **argv);
static inline const char *futex_scope(const struct futex_run *f)
{
	return f->shared ? "shared" : "private";
}
/* Makes the system call with this run's flag. Returns its result or -errno. */
long futex_call(const struct futex_run *f, u32 *at, int op, u32 value, unsigned long value2,
		u32 *other, u32 value3);
/* Prints how many hash buckets there were, after the runs of a benchmark with --buckets. */
void futex_print_buckets(const struct futex_run *f);

#endif
