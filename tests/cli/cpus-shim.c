/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine with more CPUs than it has: LD_PRELOAD=shim.so CPUS=N. An event on CPU n is opened on
 * CPU n % N, so that its ring, its descriptor and its samples are real, and only their number is
 * not.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	const char *cpus = getenv("CPUS");
	long args[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(ap, long);
	va_end(ap);
	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	/* struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd, unsigned long flags */
	if (number == SYS_perf_event_open && cpus && (int)args[2] > 0)
		args[2] %= atoi(cpus);
	return real(number, args[0], args[1], args[2], args[3], args[4], args[5]);
}
