/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What perf kwork top knows of CPUs and tasks. */
#ifndef BUILTIN_KWORK_TOP_H
#define BUILTIN_KWORK_TOP_H

#include "builtin/kwork/internal.h"

/*
 * An interrupt handler or softirq that began. Its time is its own once it has ended, else that of
 * the work it interrupted.
 */
struct top_work {
	bool open;
	u32 id; /* the interrupt, or the softirq's vector */
	u32 cpu;
	u64 time;
};

struct cpu_time {
	bool known; /* which task runs is known */
	u32 task;
	struct top_work irq, softirq;
	u64 last; /* ns: of its last event */
	u64 hard, soft, idle, tasks;
};

struct top_task {
	u32 pid, cpu; /* cpu: of an idle task */
	u32 name;
	struct top_work softirq; /* that it was preempted in */
	bool wanted;
	u32 tgid;  /* in_kernel only */
	u64 named; /* likewise: ns, when it had this name */
	bool is_kernel;
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
	struct session *session; /* NULL: counted in the kernel */
	bool in_kernel;
	VEC(struct cpu_time) cpus;
	VEC(struct top_task) tasks;
	VEC(struct share) shares;
	struct map64 by_pid; /* idle tasks by CPU, above 1 << 32 -> plus one */
	struct map64 by_share;
	struct strtab names;
};

/* A task that was counted elsewhere. */
struct counted_task {
	u32 pid, cpu, tgid;
	bool is_kernel;
	u64 runtime, last; /* ns; last: when comm was its name */
	const char *comm;
};
void kwork_top_add(struct top *t, const struct counted_task *task);
void kwork_top_add_interrupts(struct top *t, u32 cpu, u64 hard, u64 soft);
void kwork_top_release(struct top *t);
/* Finds names and rates of all tasks, sorts the tasks and prints them. */
void kwork_print_top(struct top *t, const struct sort_order *order);

#endif
