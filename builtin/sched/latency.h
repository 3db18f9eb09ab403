/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf sched latency: delays by task, CPU or cgroup, from either source.
 *
 * latency.c takes them from a recording, latency_live.c from a BPF program; latency_rows.c orders
 * and joins rows, latency_print.c writes them. Times are ns. One thread.
 */
#ifndef BUILTIN_SCHED_LATENCY_H
#define BUILTIN_SCHED_LATENCY_H

#include "base/hash.h"
#include "builtin/sched/histogram.h"
#include "builtin/sched/internal.h"

/* The delays of one task under one name, of all tasks of a name, or of a cgroup. */
struct delays {
	u32 comm, tid; /* comm: for latency.name(); tid of the first */
	u32 merged;    /* how many rows are in it; 0: not a row */
	/* in order of appearance: of the first one, of the one with the greatest delay */
	u64 serial, most_serial;
	u64 runtime, count, total, most, most_from, most_to;
	u64 since_begin;        /* waits that began before the recording */
	struct histogram *hist; /* its own histogram, or NULL */
};

struct latency {
	struct sched_analysis a;
	const char *sort, *mode;
	bool by_task, histogram, sort_given, mode_given;
	int (*keys[8])(const struct delays *, const struct delays *);
	size_t key_count;
	enum { HIST_ALL, HIST_TASK, HIST_CPU, HIST_CGROUP } hist_mode;
	bool bpf, interval_given, linear; /* linear: histograms have slots of equal width */
	u64 interval;

	VEC(struct delays) rows;
	VEC(struct delays) gone;   /* by name, of tasks that are forgotten */
	struct map64 gone_by_comm; /* -> index in it */
	struct histogram all;
	VEC(struct histogram) cpus;
	const char *(*name)(struct latency *l, u32 comm);
	struct sched *s;
};

/* Parses --sort. An error lists the keys. */
int latency_parse_keys(struct latency *l, struct reason *r);
/* Parses --hist-mode. */
int latency_parse_mode(struct latency *l, struct reason *r);
bool delays_are_empty(const struct delays *d);
/* Returns the histogram of a CPU, which it adds if needed. */
struct histogram *latency_cpu(struct latency *l, u32 cpu);
/* Adds the row of a forgotten task to the other forgotten ones of its name, and empties it. */
void latency_set_aside(struct latency *l, struct delays *d);
/* Merges the rows of one name into the first; the others are left empty. */
void latency_merge(struct latency *l);
/* Sorts the rows by the keys, empty ones last. */
void latency_order(struct latency *l);
/* Forgets all rows and histograms. */
void latency_clear(struct latency *l);

void latency_put_table(struct latency *l, struct out *out);
/* Prints the histograms of the chosen mode. */
void latency_put_histograms(struct latency *l, struct out *out);

/*
 * Measures the current delays for --bpf, while the command runs (argc 0: until a signal). Returns
 * the exit code.
 */
int latency_run_live(struct latency *l, int argc, const char **argv);

#endif
