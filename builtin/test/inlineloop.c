// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Workload: a loop two levels deep in inlined functions.
 *
 * Tests look for lines by the name of this file: the inlined code is between lines 20 and 29, the
 * function around it between 30 and 39. tests/cli/test.bats keeps it there.
 */
#include "base/alloc.h"
#include "builtin/test/workload.h"

#define INLINED static inline __attribute__((always_inline))

static volatile u64 sink;

INLINED void leaf(u64 n)
{
	while (!workload_done)
		sink += n;
}
INLINED void middle(u64 n)
{
	leaf(n);
}

static __attribute__((noinline)) void parent(u64 n)
{
	middle(n);
	sink++;
}

int workload_inlineloop(int argc, const char **argv, struct reason *r)
{
	double seconds;
	int err = workload_seconds(argc, argv, 0, &seconds, r);

	if (err)
		return err;
	workload_timer(seconds);
	parent(34);
	return 0;
}
