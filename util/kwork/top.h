/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What perf kwork top knows of CPUs and tasks. */
#ifndef KWORK_TOP_H
#define KWORK_TOP_H

#include "kwork/internal.h"

struct cpu_time {
	bool known; /* who runs */
	u32 task, irqs, softirqs; /* nested */
	u64 last; /* ns: of its last event */
	u64 hard, soft, idle, tasks;
};

struct top_task {
	u32 pid, cpu; /* cpu: of an idle task */
	u32 name;
	u32 softirqs; /* that it was preempted in */
	bool wanted;
	u64 runtime;
	double rate; /* percent, over CPUs */
};

/* A task's time on a CPU. */
struct share {
	u32 task, cpu;
	u64 time;
};

struct top {
	struct kwork *k;
	struct session *session;
	VEC(struct cpu_time) cpus;
	VEC(struct top_task) tasks;
	VEC(struct share) shares;
	struct map64 by_pid; /* idle tasks by CPU, above 1 << 32 -> plus one */
	struct map64 by_share;
	struct strtab names;
};

/* Names and rates of all tasks, sorts them, and prints. */
void kwork_print_top(struct top *t, const struct sort_order *order);

#endif
