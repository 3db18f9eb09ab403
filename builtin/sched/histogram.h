/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Durations counted by powers of two of microseconds, or by steps of 100, with exact count, sum,
 * least and greatest.
 */
#ifndef BUILTIN_SCHED_HISTOGRAM_H
#define BUILTIN_SCHED_HISTOGRAM_H

#include "base/strbuf.h"

enum { HISTOGRAM_SLOTS = 40, HISTOGRAM_STEPS = 21 };

struct histogram {
	/* [0]: below 1 us, [n]: from 2^(n-1) us to below 2^n us; see linear */
	u64 slots[HISTOGRAM_SLOTS];
	u64 count, sum, least, most; /* ns */
	/*
	 * [n]: from n * 100 us to below (n + 1) * 100 us; longer ones are in slot HISTOGRAM_STEPS
	 */
	bool linear;
};

void histogram_add(struct histogram *h, u64 ns);
void histogram_merge(struct histogram *into, const struct histogram *from);
/* Prints slots with bars, then the average and percentiles (as exact as the slots allow). */
void histogram_put(const struct histogram *h, struct strbuf *b);

#endif
