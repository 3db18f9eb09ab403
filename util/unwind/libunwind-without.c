// SPDX-License-Identifier: GPL-2.0-or-later
/* For builds without libunwind. */
#include "unwind/internal.h"

static bool never(void)
{
	return false;
}

static struct unwind_result no_frames(struct unwinder *u, const struct unwind_request *q, u64 *ips,
				      u32 max)
{
	(void)u, (void)q, (void)ips, (void)max;
	return (struct unwind_result){ .end = UNWIND_UNSUPPORTED };
}

const struct unwind_backend unwind_libunwind = {
	.package = "libunwind-dev, and build perf with it",
	.usable = never,
	.sample = no_frames,
};
