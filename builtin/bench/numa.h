/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * numa mem: processes of threads that read and write memory, bound to CPUs and nodes or not.
 *
 * What all processes share is one mapping (struct numa_shared): parameters, tasks, the state of
 * the start and the end. Where a CPU belongs is read from sysfs, memory is bound by
 * set_mempolicy(2), so no library is needed.
 * Units: bytes, ns.
 */
#ifndef BUILTIN_BENCH_NUMA_H
#define BUILTIN_BENCH_NUMA_H

#include "builtin/bench/internal.h"

enum { NUMA_CPUS_MAX = 1024, NUMA_NODES_MAX = 64, NO_NODE = -1 };

struct numa_params {
	int processes, threads;
	const char *mb_global, *mb_process, *mb_locked, *mb_thread;
	unsigned loops, seconds, sleep_us;
	bool reads, writes, backwards, zero, random_walk;
	bool init_zero, init_random, init_cpu0;
	int perturb_seconds, details, run_all, huge_pages;
	bool show_convergence, measure_convergence, quiet, serialize;
	const char *cpus, *nodes;
	/* worked out */
	u64 global_bytes, process_bytes, locked_bytes, thread_bytes;
	int tasks;
};

struct numa_task {
	cpu_set_t cpus;
	int node; /* memory is bound to, or NO_NODE */
	int process, thread;
	int cpu; /* where it ran last; -1: not yet */
	u8 *process_data;
	u64 value; /* what was read, so reading is not optimized away */
	u64 loops, ran_ns, system_ns, user_ns, bytes;
	pthread_mutex_t *process_lock;
	struct numa_shared *g;
};

struct numa_shared {
	struct numa_params p;
	struct bench *b;
	u8 *data; /* memory that all processes share */
	int node_of_cpu[NUMA_CPUS_MAX];
	bool node_present[NUMA_NODES_MAX];
	int cpu_count, node_count; /* highest number and one */
	pthread_mutex_t lock;
	pthread_cond_t arrived, go;
	int waiting;
	bool open;
	atomic_bool stop;
	struct numa_task tasks[];
};

/* numa.c: text of -d and the like, not with -q */
void numa_say(const struct numa_shared *g, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* numa_bind.c: -C and -M; an exit code after an error line, -1: this machine has not enough */
int numa_bind_tasks(struct numa_shared *g);
int numa_bind_memory(int node); /* 0 or -errno */
/* Maps memory as the parameters say, or returns NULL when there is none. */
u8 *numa_memory(const struct numa_shared *g, u64 bytes, bool shared);
void numa_give_back(u8 *p, u64 bytes);
/* numa_work.c: a process, until it is to stop: its exit code */
int numa_process(struct numa_shared *g, int number);
/* numa_converge.c: a line of progress, once a second */
void numa_progress(struct numa_shared *g, u64 ns, u64 loop, double *converged);

#endif
