// SPDX-License-Identifier: GPL-2.0-or-later
#include "arch/events.h"

#include <string.h>

#include "arch/arm64/events.h"

const struct arch_event *arch_events_of(const char *pmu, size_t *count)
{
	/* "armv8_pmuv3", "armv8_cortex_a57", "armv9_cortex_a710" */
	bool arm = !strncmp(pmu, "armv8_", 6) || !strncmp(pmu, "armv9_", 6);

	*count = arm ? ARRAY_SIZE(arm64_events) : 0;
	return arm ? arm64_events : NULL;
}
