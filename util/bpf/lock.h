/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs that count waits for locks share with perf. */
#ifndef BPF_LOCK_H
#define BPF_LOCK_H

#include "bpf/shared.h"

enum { LOCK_STACK_DEPTH = 64, LOCK_SLOTS = 44 };

/* What a row counts. */
enum lock_count_by {
	LOCK_COUNT_STACK,
	LOCK_COUNT_ADDRESS,
	LOCK_COUNT_TASK,
	LOCK_COUNT_CGROUP,
	LOCK_COUNT_OWNER,       /* the task that held the lock when the wait began; 0 if unknown */
	LOCK_COUNT_OWNER_STACK, /* where that task was; 0 if unknown */
};

struct lock_settings {
	u32 by, depth; /* depth: frames of a stack */
	u64 kinds;     /* bit n: count waits whose flags are n; ~0: all */
	u32 self;      /* tgid of perf, which is not counted; 0 counts it */
	/* only those in the map of the same name: */
	u8 some_tasks, some_processes, some_cpus, some_locks, some_cgroups;
	u8 user;   /* waits in futex(2), with user stacks */
	u8 delays; /* delays threads that waited for a lock of the map of that name; LOCK_DELAYS_ */
	u8 owner_stacks; /* the kernel has bpf_task_from_pid() */
	/*
	 * a row is one stack of a lock, task, cgroup or owner: the stack decides whether it counts
	 */
	u8 by_stack_too;
};

struct lock_counts {
	u64 no_wait;  /* waits not followed because the map of open ones was full */
	u64 no_row;   /* waits not counted because the map of rows was full */
	u64 no_stack; /* rows without a stack because that map was full */
	u64 delayed;
	u32 enabled;
	u32 unused;
};

struct lock_row_key {
	u64 what;  /* hash of the stack, address, tid, cgroup */
	u32 flags; /* determines the kind of lock; for STACK only */
	u32 tgid;  /* the process of user locks */
	u64 stack; /* its hash; 0 unless settings.by_stack_too */
};

/* A lock of the kernel that has no name. */
enum lock_known { LOCK_UNKNOWN, LOCK_OF_MEMORY_MAP, LOCK_OF_SIGNALS };

/* The keys of the map of delays are addresses, or numbers of such locks; the values are in ns. */
enum { LOCK_DELAYS = 64, LOCK_DELAY_LONGEST_NS = 10000000 };
enum { LOCK_DELAYS_NONE, LOCK_DELAYS_BY_ADDRESS, LOCK_DELAYS_OF_KNOWN };

struct lock_row_counts {
	u64 contended, waits, total, min, max; /* ns; min and max are valid if waits is not 0 */
	u64 addr, time; /* the first lock, and when it was seen; CLOCK_MONOTONIC */
	u64 stack;      /* hash, or 0 */
	u32 flags, tid, known, tgid;
	char comm[16];
	u32 slots[LOCK_SLOTS];
};

#endif
