// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A machine with counters in its CPUs, under LD_PRELOAD: hardware events open as dummies.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>

long syscall(long n, ...)
{
	static long (*next)(long, ...);
	struct perf_event_attr attr;
	long a[6];
	va_list ap;

	va_start(ap, n);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (n == SYS_perf_event_open &&
	    ((const struct perf_event_attr *)a[0])->type == PERF_TYPE_HARDWARE) {
		attr = (struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE,
						 .size = sizeof(attr),
						 .config = PERF_COUNT_SW_DUMMY };
		a[0] = (long)&attr;
	}
	if (!next)
		next = dlsym(RTLD_NEXT, "syscall");
	return next(n, a[0], a[1], a[2], a[3], a[4], a[5]);
}
