/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that an architecture gives names and numbers to, beside those that sysfs lists.
 *
 * Whose they are is seen from the PMU's name, never from the build.
 */
#ifndef ARCH_EVENTS_H
#define ARCH_EVENTS_H

#include <stddef.h>

#include "base/types.h"

struct arch_event {
	u32 number; /* of the format field "event" */
	const char *name, *description;
};

/* Of a PMU by its name in sysfs; NULL: its architecture numbers none. */
const struct arch_event *arch_events_of(const char *pmu, size_t *count);

#endif
