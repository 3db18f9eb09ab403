/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes without tracefs: the PMUs "kprobe" and "uprobe" probe what perf_event_open(2) names.
 *
 * Such a probe ends with its file descriptor.  It has no arguments.
 * Threads: no state.  Source: perf_event_open(2), config1 and config2;
 * /sys/bus/event_source/devices/{kprobe,uprobe}.
 */
#ifndef PROBE_PMU_H
#define PROBE_PMU_H

#include "probe/event.h"

struct sys;

struct probe_pmu {
	const char *name; /* "kprobe" or "uprobe" */
	u32 type;
	u64 config;       /* bit of a return; offset of a semaphore */
	u64 offset;       /* config2: bytes from the start of the function or file */
	const char *text; /* config1 points to it: function or path; the event's */
};

/*
 * Finds the PMU for a probe. Returns false if this kernel's PMUs cannot probe it, so tracefs must.
 */
bool probe_pmu_of(const struct sys *sys, const struct probe_event *e, struct probe_pmu *out);

#endif
