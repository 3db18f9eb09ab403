/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the program that drops samples shares with perf; the tests are those of
 * event/sample_filter.h.
 */
#ifndef BPF_SAMPLE_FILTER_H
#define BPF_SAMPLE_FILTER_H

#include "bpf/shared.h"

enum {
	SAMPLE_FILTER_TESTS = 64,
	/* limit of tests for an ordinary user's pinned filter, in a map */
	PINNED_FILTER_TESTS = 16,
	PINNED_FILTERS = 8192,
};

struct sample_test {
	u8 field, operator;
	u8 shift, bits;
	u8 or_next;
	u8 unused[3];
	u64 value;
};

struct sample_filter_settings {
	u32 count, unused;
	struct sample_test tests[SAMPLE_FILTER_TESTS];
};

struct sample_filter_counts {
	u64 dropped;
};

/* An element of the map of ordinary users' filters. */
struct pinned_filter {
	u32 count, unused;
	u64 dropped;
	struct sample_test tests[PINNED_FILTER_TESTS];
};

#endif
