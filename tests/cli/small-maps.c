// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded: the maps of BPF programs that SMALL_MAPS names ("rows,tasks") have one element each,
 * so that tests see what is said of full maps without filling large ones. With DEAF_PROGRAMS,
 * programs are loaded, but attached nowhere: nothing runs them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_named(const char *name)
{
	const char *list = getenv("SMALL_MAPS"), *at = list ? strstr(list, name) : NULL;
	size_t len = strlen(name);

	return at && len && (at == list || at[-1] == ',') && (!at[len] || at[len] == ',');
}

static int is_deaf(void)
{
	return getenv("DEAF_PROGRAMS") != NULL;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (is_deaf() && request == PERF_EVENT_IOC_SET_BPF)
		return 0;
	return (int)syscall(SYS_ioctl, fd, request, arg);
}

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	if (number == SYS_bpf && a[0] == BPF_MAP_CREATE &&
	    is_named(((union bpf_attr *)a[1])->map_name))
		((union bpf_attr *)a[1])->max_entries = 1;
	if (number == SYS_bpf && is_deaf() &&
	    (a[0] == BPF_RAW_TRACEPOINT_OPEN || a[0] == BPF_LINK_CREATE))
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (number == SYS_bpf && is_deaf() && a[0] == BPF_PROG_TEST_RUN)
		return 0;
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
