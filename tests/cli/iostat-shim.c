// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters of I/O stacks, for perf iostat under LD_PRELOAD: events of the types 30 and 31 have
 * counts by what they are, in units of 4 bytes, alone and in groups. Those of type 31 are ten times
 * those of type 30.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 1024, MB = 1 << 18, TIME = 1000000 };

static struct event {
	int open;
	long leader;
	uint64_t format, count;
} events[MOST];

static struct event *event_of(long fd)
{
	return fd >= 0 && fd < MOST && events[fd].open ? &events[fd] : NULL;
}

/* 1 MB read and 5 written from outside, 2.76 and 3 from inside. */
static uint64_t count_of(const struct perf_event_attr *attr)
{
	uint64_t count;

	switch (attr->config & 0xffff) {
	case 0x0483:
		count = MB;
		break;
	case 0x0183:
		count = 5 * MB;
		break;
	case 0x04c0:
		count = 2 * MB + 200000;
		break;
	case 0x01c0:
		count = 3 * MB;
		break;
	default:
		count = 0;
	}
	return attr->type == 31 ? 10 * count : count;
}

long syscall(long number, ...)
{
	static long (*next)(long, ...);
	const struct perf_event_attr *attr;
	va_list list;
	long a[6];
	int fd, group;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (!next)
		next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	attr = (const struct perf_event_attr *)a[0];
	group = (int)a[3];
	if (number != SYS_perf_event_open || (attr->type != 30 && attr->type != 31))
		return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	fd = memfd_create("event", MFD_CLOEXEC);
	if (fd >= 0 && fd < MOST)
		events[fd] = (struct event){ 1, group >= 0 ? group : fd, attr->read_format,
					     count_of(attr) };
	return fd;
}

int ioctl(int fd, unsigned long what, ...)
{
	static int (*next)(int, unsigned long, ...);
	va_list list;
	void *arg;

	va_start(list, what);
	arg = va_arg(list, void *);
	va_end(list);
	if (!next)
		next = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
	if (!event_of(fd))
		return next(fd, what, arg);
	if (what == PERF_EVENT_IOC_ID)
		*(uint64_t *)arg = 1000 + (uint64_t)fd;
	return 0;
}

/* One count as read() gives it, in the words after it what the format has for each event. */
static int put(uint64_t *words, int fd, uint64_t format)
{
	int n = 0;

	if (format & PERF_FORMAT_ID)
		words[n++] = 1000 + (uint64_t)fd;
	if (format & 16) /* PERF_FORMAT_LOST */
		words[n++] = 0;
	return n;
}

static int put_times(uint64_t *words, uint64_t format)
{
	int n = 0;

	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		words[n++] = TIME;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		words[n++] = TIME;
	return n;
}

ssize_t read(int fd, void *buf, size_t size)
{
	static ssize_t (*next)(int, void *, size_t);
	const struct event *e = event_of(fd);
	uint64_t words[128], members = 0;
	int n = 0;

	if (!next)
		next = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	if (!e)
		return next(fd, buf, size);
	words[n++] = e->count;
	n += put_times(words + n, e->format);
	if (!(e->format & PERF_FORMAT_GROUP))
		n += put(words + n, fd, e->format);
	for (int i = 0; i < MOST && e->format & PERF_FORMAT_GROUP && members < 16; i++) {
		if (!events[i].open || events[i].leader != fd)
			continue;
		members++;
		words[n++] = events[i].count;
		n += put(words + n, i, e->format);
	}
	if (members)
		words[0] = members;
	if (size > (size_t)n * 8)
		size = (size_t)n * 8;
	memcpy(buf, words, size);
	return (ssize_t)size;
}

int close(int fd)
{
	static int (*next)(int);

	if (!next)
		next = (int (*)(int))dlsym(RTLD_NEXT, "close");
	if (fd >= 0 && fd < MOST)
		events[fd].open = 0;
	return next(fd);
}
