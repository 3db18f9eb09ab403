// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel whose perf_event_paranoid is PARANOID, for ordinary users under LD_PRELOAD: it refuses
 * what that level forbids. Source: "perf_event_paranoid" in
 * Documentation/admin-guide/sysctl/kernel.rst;
 * level 3 is that of Debian's kernels.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int refused(const struct perf_event_attr *attr, int pid, int level)
{
	if (level > 2 || (level > 1 && !attr->exclude_kernel) || (level > 0 && pid == -1))
		return EACCES;
	if (level > -1 && attr->type == PERF_TYPE_TRACEPOINT && attr->sample_type & PERF_SAMPLE_RAW)
		return EPERM;
	return 0;
}

long syscall(long n, ...)
{
	static long (*next)(long, ...);
	long a[6];
	va_list ap;

	va_start(ap, n);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (n == SYS_perf_event_open) {
		int err = refused((void *)a[0], (int)a[1], atoi(getenv("PARANOID")));

		if (err) {
			errno = err;
			return -1;
		}
	}
	if (!next)
		next = dlsym(RTLD_NEXT, "syscall");
	return next(n, a[0], a[1], a[2], a[3], a[4], a[5]);
}
