/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the events that every kernel knows by number.
 * Source of the numbers: include/uapi/linux/perf_event.h. Cache events: config = cache | operation
 * << 8 | result << 16.
 */
#ifndef EVENT_NAMES_H
#define EVENT_NAMES_H

#include "base/types.h"

/* Counted by perf itself, not by the kernel (event->tool). */
enum tool_event {
	TOOL_NONE,
	TOOL_DURATION_TIME, /* ns from enabling to reading */
	TOOL_USER_TIME,     /* ns of the command, the tasks or the CPUs: counting/times.c */
	TOOL_SYSTEM_TIME,
	TOOL_NUMBER, /* a number of the machine, by name: sys/numbers.h */
};

/*
 * Reports whether the tool event is one number for the whole run, whatever tasks and CPUs are
 * counted.
 */
static inline bool event_tool_is_whole(u8 tool)
{
	return tool == TOOL_DURATION_TIME || tool == TOOL_NUMBER;
}

struct event_symbol {
	const char *name, *alias; /* alias: NULL if it has none */
	u32 type;                 /* PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE */
	u64 config;
	u8 tool; /* enum tool_event; makes type and config meaningless */
};

/* Returns hardware and software events in order of their numbers, then tool events. */
const struct event_symbol *event_symbols(size_t *count);
/* Finds a symbol by name or alias of len bytes, or returns NULL. */
const struct event_symbol *event_symbol_find(const char *name, size_t len);

enum { CACHE_COUNT = 7, CACHE_OPERATIONS = 3, CACHE_RESULTS = 2 };

/*
 * Parses "L1-dcache-load-misses" and its aliases ("l1d-read-miss"), of len bytes. Returns false for
 * others.
 */
bool cache_event_parse(const char *name, size_t len, u64 *config);
/* Writes the name of a cache event. Returns NULL if a number is out of range. */
const char *cache_event_name(u64 config, char *buf, size_t size);

#endif
