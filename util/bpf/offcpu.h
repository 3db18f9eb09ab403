/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program of record --off-cpu shares with perf: waits of tasks, with their stacks. */
#ifndef BPF_OFFCPU_H
#define BPF_OFFCPU_H

#include "bpf/shared.h"

enum {
	OFFCPU_KERNEL = 16, /* frames of the kernel */
	OFFCPU_USER = 32,
	OFFCPU_CPU_WORDS = 64, /* 4096 CPUs */
	OFFCPU_TOP = 512,      /* bytes: waiting functions of C libraries take 100 to 400 */
};

struct offcpu_settings {
	u64 threshold; /* ns; longer waits are sent immediately, shorter ones are added to sums */
	u32 all_tasks; /* otherwise those of the map "tracked" */
	u32 inherit;   /* also tracks children of tracked tasks */
	u32 user_frames, kernel_frames; /* whether to record them */
	u32 some_cpus;                  /* only waits that end on cpus */
	u32 own_tgid;                   /* the recorder itself, which is excluded; 0 for none */
	u32 tops, pad;                  /* whether to record the top of the stack */
	u64 cpus[OFFCPU_CPU_WORDS];
};

struct offcpu_counts {
	u64 waits, sent;
	u64 ring_full;               /* waits that should have been sent, but are in the sums */
	u64 sums_full, sums_full_ns; /* lost waits, and their time */
	u64 untracked;               /* tasks not tracked for lack of room */
	u64 kept;                    /* sums since they were last taken */
	u64 no_memory;               /* times that a task could not be watched */
};

/* Where a task waits: the key of the map "sums", whose offcpu_sum has the time. */
struct offcpu_place {
	u32 tid, tgid;
	u32 state;                    /* the kernel's: 1 S, 2 D, 4 T, 8 t */
	u16 kernel_count, user_count; /* frames; 0 if the stack could not be read */
	u32 life, execs;              /* when the task started, and how often it called exec */
	char comm[16];
	/*
	 * A hash of the return addresses in offcpu_top: frames lack callers without a frame
	 * pointer, and waits of different callers are different places. 0 if unknown, or if there
	 * are too many places already.
	 */
	u64 callers;
	u64 frames[OFFCPU_KERNEL + OFFCPU_USER]; /* kernel's from 0, user's from OFFCPU_KERNEL */
};

/*
 * A task's state in user space: the registers that lead to callers without frame pointers, and its
 * stack from the stack pointer on.
 */
struct offcpu_top {
	u64 ip, sp, fp, link; /* link: the link register; 0 if the machine has none */
	u32 size, pad;        /* bytes; 0 if unknown */
	u8 bytes[OFFCPU_TOP];
};

struct offcpu_sum {
	u64 ns, count;
	u64 time;              /* when the newest of these waits began */
	struct offcpu_top top; /* of the first wait; the others have the same callers */
};

/* A record in the ring "events". */
struct offcpu_wait {
	u64 begin, end; /* ns of CLOCK_MONOTONIC */
	u64 cgroup;
	u32 cpu, pad;
	struct offcpu_place place;
	struct offcpu_top top;
};

#endif
