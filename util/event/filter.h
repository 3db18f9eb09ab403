/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters of tracepoints, checked before anything runs.
 *
 *	filter	   all { "||" all }		all	  one { "&&" one }
 *	one	   "!" one | "(" filter ")" | FIELD operator value
 *	operator   == != < <= > >= & ~		value	  NUMBER | MAJOR "," MINOR | "TEXT" | 'TEXT'
 *							  | FUNCTION | CPUS{LIST}
 *
 * FIELD is a field of the event, one of common_*, or CPU, cpu, COMM, comm; behind
 * a pointer to text in user space stands .ustring, after an address .function.
 * Texts take == != and ~, whose text is a glob.  MAJOR,MINOR is a device.
 * Source: Documentation/trace/events.rst of Linux, "Event filtering".
 */
#ifndef EVENT_FILTER_H
#define EVENT_FILTER_H

#include "base/reason.h"

struct tracepoint_format; /* tracepoint/tracepoint.h */

/*
 * 0 and the text for the kernel (the caller frees it), or -EINVAL with a reason that
 * has a caret at the fault and a hint.
 */
int filter_check(const struct tracepoint_format *t, const char *text, char **kernel_text,
		 struct reason *r);

#endif
