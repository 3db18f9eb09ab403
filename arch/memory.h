/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hardware that samples individual memory accesses, and the events that request this.
 *
 * Which of them a machine has is seen from its PMUs (event/memory.h), never from the build.
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-events of Linux; Intel SDM
 * volume 3, "PEBS data address profiling"; AMD64 manual volume 2, "Instruction-Based Sampling";
 * Arm DDI 0487, "The Statistical Profiling Extension".
 */
#ifndef ARCH_MEMORY_H
#define ARCH_MEMORY_H

#include "base/types.h"

enum { MEMORY_LOAD = 1, MEMORY_STORE = 2 };

struct arch_memory_event {
	const char *tag; /* the user's name for it: "ldlat-loads"; NULL: no such event */
	unsigned ops;    /* MEMORY_* */
	/* how the event is written; '@' is the PMU's name, '#' the least latency */
	const char *text;
	const char *need; /* file in the PMU's directory without which it does not exist; or NULL */
	/*
	 * if the PMU also has the file aux_need, the event must be opened together with another one
	 */
	const char *aux_need, *aux_text;
	bool has_cost; /* a sample carries a weight */
};

enum { MEMORY_EVENTS = 3 };

struct arch_memory_sampler {
	const char *name; /* "Intel PEBS" */
	const char *pmus; /* glob; NULL: the PMUs of the CPUs */
	const char *need; /* file in the PMU's directory that only this kind has; or NULL */
	bool without;     /* ... must not be there */
	struct arch_memory_event events[MEMORY_EVENTS];
	const char *latency_format; /* the file without which --ldlat means nothing */
	/*
	 * older kernels than this (601: 6.1) say in raw data alone what an access was; 0: none do
	 */
	unsigned raw_before;
};

/* In the order in which they are looked for; ends with a row without name. */
extern const struct arch_memory_sampler arch_memory_samplers[];

#endif
