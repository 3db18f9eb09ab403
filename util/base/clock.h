/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time by a clock of the kernel, in ns. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <time.h>

#include "base/types.h"

/* Returns the time of a clock, as CLOCK_REALTIME; 0 if the kernel does not have it. */
static inline u64 clock_ns(clockid_t clock)
{
	struct timespec t = { 0 };

	clock_gettime(clock, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

/* Returns the time by which waits and durations are measured: since boot, never set back. */
static inline u64 clock_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
