/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters of tracepoints, checked before anything runs; and the same for samples of a recording,
 * which no kernel filters any more.
 *
 *	filter	   all { "||" all }		all	  one { "&&" one }
 *	one	   "!" one | "(" filter ")" | FIELD operator value
 *	operator   == != < <= > >= & ~		value	  NUMBER | MAJOR "," MINOR | "TEXT" | 'TEXT'
 *							  | FUNCTION | CPUS{LIST}
 *
 * FIELD is a field of the event, one of common_*, or CPU, cpu, COMM, comm;
 * .ustring follows a pointer to text in user space, .function an address.
 * Texts take == != and ~, whose text is a glob.  MAJOR,MINOR is a device.
 * Source: Documentation/trace/events.rst of Linux, "Event filtering".
 */
#ifndef EVENT_FILTER_H
#define EVENT_FILTER_H

#include "base/reason.h"

struct tracepoint_format; /* tracepoint/tracepoint.h */
struct tracepoint_formats;

/*
 * Checks a filter. Returns 0 and the text for the kernel, which the caller frees, or -EINVAL with a
 * hint and a reason that has a caret at the fault.
 */
int filter_check(const struct tracepoint_format *t, const char *text, char **kernel_text,
		 struct reason *r);

/*
 * Compiles the filter by the recording's format, which has to outlive it. Returns NULL with a
 * reason for a bad filter, and for what only the kernel can compare on a live event (.ustring,
 * .function, CPUS{}).
 */
struct filter_program;
struct filter_program *filter_compile(const struct tracepoint_format *t, const char *text,
				      struct reason *r);
void filter_program_free(struct filter_program *p);

struct filter_sample {
	const struct tracepoint_formats *formats;
	const void *raw;
	u32 raw_size;
	u32 cpu;
	const char *comm;
};
/* Reports whether a sample passes. A field for which the data is too short matches nothing. */
bool filter_matches(const struct filter_program *p, const struct filter_sample *s);

#endif
