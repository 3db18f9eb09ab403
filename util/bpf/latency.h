/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs that measure between two points of a thread share with perf; and how a latency
 * finds its slot, which perf computes itself where the tracer measures.
 */
#ifndef BPF_LATENCY_H
#define BPF_LATENCY_H

#include "bpf/shared.h"

enum { LATENCY_POWERS = 22, LATENCY_SLOTS = 1024, LATENCY_DEPTH = 64 };

/*
 * Slots by powers of two of the unit (range 0): slot 0 below 1, slot n below 2^n, the last one for
 * the rest. With a range: slot 0 is below min, then each is range wide, and the last one starts at
 * max.
 */
struct latency_scale {
	u64 unit;            /* ns */
	u64 range, min, max; /* in units */
	u32 slots;
	u32 unused;
};

struct latency_sums {
	u64 count, total, min, max; /* ns */
};

struct latency_settings {
	struct latency_scale scale;
	u32 self;                                 /* tgid of perf */
	u8 some_tasks, some_processes, some_cpus; /* only those in the map of the same name */
	u8 nests; /* functions may call themselves; two events do not nest */
};

struct latency_counts {
	struct latency_sums sums;
	u64 slots[LATENCY_SLOTS];
	u64 too_deep;  /* calls not measured because they are inside LATENCY_DEPTH others */
	u64 no_room;   /* calls not measured because the map was full */
	u64 unmatched; /* ends without a start */
	u32 enabled, unused;
};

static inline u32 latency_slot(const struct latency_scale *s, u64 ns)
{
	u64 v = ns / s->unit, slot = 0;

	if (s->range) {
		if (v < s->min)
			return 0;
		slot = v >= s->max ? s->slots - 1 : (v - s->min) / s->range + 1;
		return slot < s->slots ? (u32)slot : s->slots - 1;
	}
	for (u32 step = 32; step; step /= 2)
		if (v >> step) {
			slot += step;
			v >>= step;
		}
	slot += v != 0;
	return slot < s->slots ? (u32)slot : s->slots - 1;
}

#endif
