// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the threads that read rings run. */
#include <sched.h>

#include "record/internal.h"

void run_on_cpus(const u32 *cpus, size_t count)
{
	u32 most = count ? cpus[count - 1] : 0;
	cpu_set_t *set = CPU_ALLOC(most + 1);
	size_t size = CPU_ALLOC_SIZE(most + 1);

	CPU_ZERO_S(size, set);
	for (size_t i = 0; i < count; i++)
		CPU_SET_S(cpus[i], size, set);
	/* a CPU that may not be used costs speed only */
	if (count)
		sched_setaffinity(0, size, set);
	CPU_FREE(set);
}
