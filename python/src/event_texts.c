// SPDX-License-Identifier: GPL-2.0-or-later
/* What events are, in words: for the dicts of pmu.events(). */
#include "live.h"

#include <string.h>

static const struct event_text texts[] = {
	{ "cpu-clock", "Time of a CPU in ns", NULL },
	{ "task-clock", "Time in ns that the task ran",
	  "The time passes only while the task is on a CPU." },
	{ "page-faults", "Page faults", "The minor and the major ones together." },
	{ "context-switches", "Context switches", NULL },
	{ "cpu-migrations", "Moves of tasks to another CPU", NULL },
	{ "minor-faults", "Page faults that needed no reading from a disk", NULL },
	{ "major-faults", "Page faults that had to read from a disk", NULL },
	{ "alignment-faults", "Unaligned accesses that the kernel had to handle",
	  "Some architectures never have these." },
	{ "emulation-faults", "Instructions that the kernel had to emulate", NULL },
	{ "dummy", "Counts nothing", "Such an event only collects records of tasks and mappings." },
	{ "bpf-output", "Data that BPF programs write", NULL },
	{ "cgroup-switches", "Context switches to a task of another cgroup", NULL },
	{ "duration_time", "Wall clock time in ns",
	  "perf takes this time itself, from the start of counting to its end." },
	{ "user_time", "Time in user mode in ns", NULL },
	{ "system_time", "Time in the kernel in ns", NULL },
	{ "num_cpus", "Number of CPUs that the machine may have", NULL },
	{ "num_cpus_online", "Number of CPUs that are online", NULL },
	{ "num_cores", "Number of cores", "The CPUs of a core share its execution units." },
	{ "num_dies", "Number of dies", NULL },
	{ "num_packages", "Number of packages", "A package is what a socket holds." },
	{ "smt_on", "1 if a core has more than one CPU online, otherwise 0", NULL },
	{ "system_tsc_freq", "Frequency of the time stamp counter in Hz", NULL },
};

const struct event_text *event_text_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (!strcmp(texts[i].name, name))
			return &texts[i];
	return NULL;
}

const char *event_topic(enum event_kind kind)
{
	static const char *const topics[EVENT_KINDS] = {
		[EVENT_KIND_HARDWARE] = "hardware",
		[EVENT_KIND_SOFTWARE] = "software",
		[EVENT_KIND_TOOL] = "tool",
		[EVENT_KIND_CACHE] = "cache",
		[EVENT_KIND_PMU] = "pmu",
		[EVENT_KIND_RAW] = "raw",
		[EVENT_KIND_BREAKPOINT] = "breakpoint",
		[EVENT_KIND_TRACEPOINT] = "tracepoint",
	};

	return topics[kind];
}
