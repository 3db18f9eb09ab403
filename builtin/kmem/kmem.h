/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf kmem: what the kernel's slab and page allocators handed out, by caller and by address.
 *
 *	kmem_init()           before options are parsed
 *	kmem_option_rows()    the options
 *	kmem_settle()         checks them: 0 or EXIT_USAGE, reported
 *	kmem_stat()           perf kmem stat: reads a recording, prints: the exit code
 *	kmem_record_args()    perf kmem record: the command line of perf record for it
 *
 * Sizes are bytes. An allocation counts the requested size and the given one, which is at least as
 * large; the rest is wasted. A free counts once what the allocation of that address was given. A
 * free of an address whose allocation is not in the recording has an unknown size. Threads: one.
 *
 * Source: the formats of the kmem tracepoints of Linux 2.6.31 to 6.18.
 */
#ifndef BUILTIN_KMEM_KMEM_H
#define BUILTIN_KMEM_KMEM_H

#include "analysis/analysis.h"
#include "base/text.h"

/* The two allocators. */
enum kmem_allocator {
	KMEM_SLAB,
	KMEM_PAGE,
	KMEM_ALLOCATORS,
};

/* The two tables of each. */
enum kmem_table {
	KMEM_CALLERS,
	KMEM_ALLOCS,
	KMEM_TABLES,
};

struct kmem {
	struct analysis a;
	bool want[KMEM_ALLOCATORS];    /* --slab, --page */
	bool table[KMEM_TABLES];       /* --caller, --alloc */
	const char *sort[KMEM_TABLES]; /* -s; NULL: the default */
	s64 lines[KMEM_TABLES];        /* -l; -1: all */
	s32 last;                      /* the table named last; -1: none */
	bool raw_ip, live;
	bool bpf, all_cpus, bpf_words; /* --bpf; bpf_words: some that only it has */
	u64 map_entries, interval;     /* interval: ns, 0: none */
	const char *time;
};

void kmem_init(struct kmem *k, struct context *ctx);
void kmem_option_rows(struct kmem *k, option_rows *rows);
int kmem_settle(struct kmem *k, const struct options *o);
/* Prints the statistics. argv is the command of --bpf; argc 0 means none. */
int kmem_stat(struct kmem *k, int argc, const char **argv);
/*
 * Adds "record" and what follows to args; argv is what the user gave after "record". The texts
 * belong to the caller or are constants. Returns -errno with a reason when this kernel has no such
 * events.
 */
int kmem_record_args(struct kmem *k, int argc, const char **argv, struct strlist *args,
		     struct reason *r) MUST_CHECK;
/*
 * What the recording of these words would cost, by the events of all CPUs in the next tenth of a
 * second: false when they cannot be counted.
 */
struct kmem_cost {
	u64 events, bytes; /* a second */
};
bool kmem_forecast(struct kmem *k, const struct strlist *args, struct kmem_cost *cost);
#endif
