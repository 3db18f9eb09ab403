/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events with names and numbers defined by an architecture, in addition to those in sysfs.
 *
 * The PMU's name, never the build, decides which events it has.
 */
#ifndef ARCH_EVENTS_H
#define ARCH_EVENTS_H

#include <stddef.h>

#include "base/types.h"

struct arch_event {
	u32 number; /* the value of the format field "event" */
	const char *name, *description;
};

/*
 * Returns the events of a PMU, given by its name in sysfs, or NULL if its architecture defines
 * none.
 */
const struct arch_event *arch_events_of(const char *pmu, size_t *count);

#endif
