/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf --trace=COMPONENT[,COMPONENT]: lines "COMPONENT: TEXT" about what the components on the path
 * of a sample decide, for debugging perf itself or finding out why a file was not used.
 *
 * TRACE(component, format, ...) costs one predictable branch without --trace, and then its
 * arguments are not evaluated. The text has no newline; control characters in it are made visible.
 * Components report steps that happen once for a file, an object, an event or a failure, never once
 * for each sample that went well.
 * Threads: trace_components() before any other thread starts; TRACE() by any thread, each line
 * whole. This switch is the one setting of the process that components see without a context, since
 * the places that are worth a line are below the functions that have one.
 */
#ifndef BASE_TRACE_H
#define BASE_TRACE_H

#include "base/reason.h"
#include "base/types.h"

/* The components that report something; scripts/check-components checks names and users. */
#define TRACE_COMPONENTS(X)                                                                        \
	X(data) X(session) X(process) X(object) X(symbol) X(unwind) X(live) X(bpf)
#define TRACE_NAME(component) #component ", "
#define TRACE_COMPONENT_LIST  TRACE_COMPONENTS(TRACE_NAME) "all" /* for -h and hints */

enum trace_component {
#define TRACE_COMPONENT(component) TRACE_##component,
	TRACE_COMPONENTS(TRACE_COMPONENT)
#undef TRACE_COMPONENT
		TRACE_COUNT
};

extern bool trace_on[TRACE_COUNT];

/*
 * Switches on the components of a list like "data,object", or "all". Lines go to text(), whole and
 * with their newline. For an unknown component, changes nothing and returns -EINVAL with a hint
 * that lists them.
 */
int trace_components(const char *list, void (*text)(void *arg, const char *line), void *arg,
		     struct reason *r) MUST_CHECK;

void trace_line(enum trace_component component, const char *fmt, ...) PRINTF_LIKE(2, 3);

#define TRACE(component, ...)                                                                      \
	do {                                                                                       \
		if (unlikely(trace_on[TRACE_##component]))                                         \
			trace_line(TRACE_##component, __VA_ARGS__);                                \
	} while (0)

#endif
