/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program of sched latency --bpf shares with perf: delays of tasks that wait for a CPU. */
#ifndef BPF_RUNQ_H
#define BPF_RUNQ_H

#include "bpf/shared.h"

enum {
	RUNQ_SLOTS = 40,     /* 0: below 1 us; n: from 2^(n-1) us to below 2^n us */
	RUNQ_CPU_WORDS = 64, /* 4096 CPUs */
};

enum runq_mode { RUNQ_ALL, RUNQ_TASK, RUNQ_CPU, RUNQ_CGROUP };

struct runq_settings {
	u32 mode;      /* enum runq_mode */
	u32 some_cpus; /* only waits that end on cpus */
	u64 cpus[RUNQ_CPU_WORDS];
};

struct runq_counts {
	/* Written by perf: 0 stops counting; the round whose rows are updated. */
	u32 enabled, round;
	u64 no_row;   /* delays not counted because the map was full */
	u64 no_start; /* waits whose start could not be stored */
	/* delays whose end follows from the run time, because the switch was not reported */
	u64 unseen;
};

struct runq_key {
	u32 round, unused;
	u64 id;        /* the mode's key: 0, tid, CPU, cgroup */
	char comm[16]; /* RUNQ_TASK */
};

struct runq_row {
	u64 slots[RUNQ_SLOTS];
	u64 count, sum, least, most; /* ns */
};

#endif
