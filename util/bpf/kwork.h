/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program of perf kwork -b shares with perf: sums of work and of tasks. */
#ifndef BPF_KWORK_H
#define BPF_KWORK_H

#include "bpf/shared.h"

enum { KWORK_NAME = 32 };

struct kwork_settings {
	u32 latency; /* delays rather than runtimes */
};

/* What was dropped for lack of room. */
struct kwork_counts {
	u64 rows, spans;
};

/* A row; kinds are those of enum kwork_kind. */
struct kwork_row_key {
	u32 kind, cpu;
	u64 id, function;
	char name[KWORK_NAME];
};
struct kwork_row_sums {
	u64 count, total, max, max_from, max_until; /* ns */
};

/* Work that has begun, or was raised. */
struct kwork_span_key {
	u32 kind, cpu;
	u64 id; /* identifies the interrupt, softirq or item; or the worker that runs an item */
};
struct kwork_span {
	u64 since;
	struct kwork_row_key row;
};

/* For perf kwork top. */
struct kwork_task_key {
	u32 tid, cpu;
};
struct kwork_task {
	u64 runtime, last; /* last: when it had the name comm */
	u32 tgid, is_kernel;
	char comm[16];
};
struct kwork_cpu {
	u64 last;
	u32 irqs, softirqs;
	u64 hard, soft;
};

#endif
