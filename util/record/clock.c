// SPDX-License-Identifier: GPL-2.0-or-later
/* The recorder's own clock. */
#include <time.h>

#include "record/internal.h"

u64 record_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}
