/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program of record --off-cpu and perf share: waits of tasks, with where they began. */
#ifndef BPF_OFFCPU_H
#define BPF_OFFCPU_H

#include "bpf/shared.h"

enum {
	OFFCPU_KERNEL = 16, /* frames of the kernel */
	OFFCPU_USER = 32,
	OFFCPU_CPU_WORDS = 64, /* 4096 CPUs */
	OFFCPU_TOP = 512,      /* bytes: C libraries' waiting functions take 100 to 400 */
};

struct offcpu_settings {
	u64 threshold; /* ns; longer waits are sent at once, shorter ones are summed up */
	u32 all_tasks; /* else those of the map "tracked" */
	u32 inherit;   /* children of tracked tasks are tracked, too */
	u32 user_frames, kernel_frames; /* wanted at all? */
	u32 some_cpus;                  /* only waits that end on cpus */
	u32 own_tgid;                   /* the recorder itself, which is left out; 0: nobody */
	u32 tops, pad;                  /* is the top of the stack wanted? */
	u64 cpus[OFFCPU_CPU_WORDS];
};

struct offcpu_counts {
	u64 waits, sent;
	u64 ring_full; /* waits that should have been sent, and are in the sums instead */
	u64 sums_full, sums_full_ns; /* waits that are nowhere, and their time */
	u64 untracked;               /* tasks for which there was no room */
	u64 kept;                    /* sums since the last time that they were taken */
	u64 no_memory;               /* times that a task could not be watched */
};

/* Where a task waits: the key of the map "sums", which counts the time in offcpu_sum. */
struct offcpu_place {
	u32 tid, tgid;
	u32 state;                    /* the kernel's: 1 S, 2 D, 4 T, 8 t */
	u16 kernel_count, user_count; /* frames; 0 of a stack that could not be read */
	u32 life, execs; /* when the task started, and how often it executed a program */
	char comm[16];
	/*
	 * A hash of the return addresses in offcpu_top: frames lack callers that keep no frame
	 * pointer, and waits of different ones are different places. 0: not known, or there are too
	 * many places already.
	 */
	u64 callers;
	u64 frames[OFFCPU_KERNEL + OFFCPU_USER]; /* kernel's from 0, user's from OFFCPU_KERNEL */
};

/*
 * What a task had in user space: the registers by which callers are found where functions keep no
 * frame pointer, and its stack from the stack pointer on.
 */
struct offcpu_top {
	u64 ip, sp, fp, link; /* link: the link register; 0: the machine has none */
	u32 size, pad;        /* bytes; 0: not known */
	u8 bytes[OFFCPU_TOP];
};

struct offcpu_sum {
	u64 ns, count;
	u64 time;              /* when the newest of these waits began */
	struct offcpu_top top; /* of the first; the others have the same callers */
};

/* In the ring "events". */
struct offcpu_wait {
	u64 begin, end; /* ns of CLOCK_MONOTONIC */
	u64 cgroup;
	u32 cpu, pad;
	struct offcpu_place place;
	struct offcpu_top top;
};

#endif
