// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A machine with counters for too few events, under LD_PRELOAD: raw events r1 to r64 are opened as
 * cpu-clock, and the kernel seems to have counted rN in N (decimal) percent of the time in which it
 * did count it. All other events are the kernel's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 4096 };

static struct {
	unsigned char percent;
	unsigned char at; /* of time running, in words; 0: it is not read */
} files[MOST];

static long open_event(long (*real)(long, ...), long n, const long a[6])
{
	struct perf_event_attr attr;
	long fd, percent = 0;

	memset(&attr, 0, sizeof(attr));
	memcpy(&attr, (void *)a[0], sizeof(attr));
	if (attr.type == PERF_TYPE_RAW) {
		percent = (long)attr.config;
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
	}
	fd = real(n, percent ? (long)&attr : a[0], a[1], a[2], a[3], a[4], a[5]);
	if (fd >= 0 && fd < MOST) {
		files[fd].percent = (unsigned char)percent;
		files[fd].at = attr.read_format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 2 : 0;
	}
	return fd;
}

long syscall(long n, ...)
{
	static long (*real)(long, ...);
	long a[6];
	va_list ap;

	va_start(ap, n);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	if (n == SYS_perf_event_open)
		return open_event(real, n, a);
	return real(n, a[0], a[1], a[2], a[3], a[4], a[5]);
}

ssize_t read(int fd, void *data, size_t size)
{
	static ssize_t (*real)(int, void *, size_t);
	ssize_t n;

	if (!real)
		real = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	n = real(fd, data, size);
	if (n >= 24 && fd >= 0 && fd < MOST && files[fd].percent && files[fd].at) {
		uint64_t running;

		memcpy(&running, (char *)data + 16, 8);
		running = running * files[fd].percent / 100;
		memcpy((char *)data + 16, &running, 8);
	}
	return n;
}

int close(int fd)
{
	static int (*real)(int);

	if (!real)
		real = (int (*)(int))dlsym(RTLD_NEXT, "close");
	if (fd >= 0 && fd < MOST)
		files[fd].percent = 0;
	return real(fd);
}
