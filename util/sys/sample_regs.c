// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/sample_regs.h"

#include <errno.h>
#include <unistd.h>

#include "base/perf_abi.h"
#include "sys/sys.h"

static bool opens(const struct perf_event_attr *attr)
{
	int fd = sys_perf_event_open(attr, 0, -1, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd != -EINVAL && fd != -EOPNOTSUPP && fd != -ENOSYS && fd != -ENOENT;
}

/* Vector registers are the business of a PMU that takes the sample by itself. */
static bool pmu_gives(u64 mask)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = ATTR_SIZE_VER7,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_REGS_INTR,
		.sample_regs_intr = mask,
		.flags = ATTR_DISABLED | ATTR_EXCLUDE_KERNEL | 1ULL << ATTR_PRECISE_SHIFT,
	};

	return opens(&attr);
}

static bool takes(u64 mask, bool interrupt)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = ATTR_SIZE_VER7,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_REGS_USER,
		.sample_regs_user = mask,
		.flags = ATTR_DISABLED | ATTR_EXCLUDE_KERNEL,
	};

	return opens(&attr) || (interrupt && pmu_gives(mask));
}

u64 sys_sample_regs(u64 wanted, bool interrupt)
{
	u64 given = 0;

	if (!wanted || takes(wanted, interrupt))
		return wanted;
	for (u64 left = wanted; left; left &= left - 1) {
		u64 bit = left & -left;

		given |= takes(bit, interrupt) ? bit : 0;
	}
	return given;
}
