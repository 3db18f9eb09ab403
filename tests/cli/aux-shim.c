// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A machine with a tracing PMU, for perf record under LD_PRELOAD: events of type
 * AUX_TYPE open as plain memory.  When their AUX area is mapped, AUX_BYTES of it are
 * filled (byte i of the trace has the value i * 7 + 1, mod 251), or what the file AUX_TRACE
 * has, and the ring beside it gets an ITRACE_START and an AUX record.  With AUX_TRACE the
 * counter of the CPU counts ns, and the first event alone has a trace.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4096, ROOM = 64 << 20 };

static struct fake {
	uint64_t id, sample_type;
	uint32_t pid, cpu;
	uint8_t open;
} fakes[MOST];

static int is_fake(long fd)
{
	return fd >= 0 && fd < MOST && fakes[fd].open;
}

static long number(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? atol(text) : otherwise;
}

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
	/* the group of an event that is none */
	if (n == SYS_perf_event_open && is_fake(a[3]) &&
	    ((struct perf_event_attr *)a[0])->type != number("AUX_TYPE", -1)) {
		memcpy(&attr, (void *)a[0], sizeof(attr));
		attr.sample_type &= ~(uint64_t)PERF_SAMPLE_AUX;
		attr.aux_sample_size = 0;
		a[0] = (long)&attr;
		a[3] = -1;
	}
	if (n == SYS_perf_event_open &&
	    ((struct perf_event_attr *)a[0])->type == number("AUX_TYPE", -1)) {
		static uint64_t ids = 900000;
		const struct perf_event_attr *asked = (void *)a[0];
		int fd = memfd_create("aux", 0);

		if (fd < 0 || fd >= MOST || ftruncate(fd, ROOM))
			return -1;
		fakes[fd] = (struct fake){ ++ids, asked->sample_type, getpid(), (uint32_t)a[2], 1 };
		return fd;
	}
	if (!next)
		next = dlsym(RTLD_NEXT, "syscall");
	return next(n, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int ioctl(int fd, unsigned long request, ...)
{
	static int (*next)(int, unsigned long, ...);
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (!next)
		next = dlsym(RTLD_NEXT, "ioctl");
	/* what is sent into a ring of ours is lost */
	if (request == PERF_EVENT_IOC_SET_OUTPUT && is_fake((long)arg))
		return 0;
	if (!is_fake(fd))
		return next(fd, request, arg);
	if (request == PERF_EVENT_IOC_ID)
		*(uint64_t *)arg = fakes[fd].id;
	return 0;
}

static uint8_t *end; /* the end of what was put into a ring */

static void put(const void *data, size_t n)
{
	memcpy(end, data, n);
	end += n;
}

static void put_record(const struct fake *f, uint32_t type, const void *body, size_t n)
{
	struct perf_event_header h = { .type = type };
	uint64_t zero = 0, where = f->cpu;
	struct timespec now;
	uint8_t *begin = end;

	put(&h, sizeof(h));
	put(body, n);
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (f->sample_type & PERF_SAMPLE_TID)
		put((uint32_t[]){ f->pid, f->pid }, 8);
	if (f->sample_type & PERF_SAMPLE_TIME)
		put((uint64_t[]){ (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec }, 8);
	if (f->sample_type & PERF_SAMPLE_ID)
		put(&f->id, 8);
	if (f->sample_type & PERF_SAMPLE_STREAM_ID)
		put(&zero, 8);
	if (f->sample_type & PERF_SAMPLE_CPU)
		put(&where, 8);
	if (f->sample_type & PERF_SAMPLE_IDENTIFIER)
		put(&f->id, 8);
	((struct perf_event_header *)begin)->size = (uint16_t)(end - begin);
}

/* How many bytes of the file there are. */
static uint64_t fill_from(const char *path, struct perf_event_mmap_page *page, uint8_t *aux,
			  size_t room)
{
	static int is_filled;
	FILE *trace = is_filled ? NULL : fopen(path, "r");
	size_t n = trace ? fread(aux, 1, room, trace) : 0;

	is_filled = 1;
	if (trace)
		fclose(trace);
	page->cap_user_time_zero = 1;
	page->time_mult = 1;
	return n;
}

static void fill(const struct fake *f, struct perf_event_mmap_page *page, uint8_t *aux, size_t room)
{
	uint64_t bytes = (uint64_t)number("AUX_BYTES", 1000), head = bytes;

	if (getenv("AUX_TRACE"))
		bytes = head = fill_from(getenv("AUX_TRACE"), page, aux, room);
	for (uint64_t i = 0; i < bytes && !getenv("AUX_TRACE"); i++)
		aux[i % room] = (uint8_t)((i * 7 + 1) % 251);
	/* an area that is overwritten tells the place only */
	if (number("AUX_PLACE", 0))
		head %= room;
	end = (uint8_t *)page + sysconf(_SC_PAGESIZE);
	put_record(f, PERF_RECORD_ITRACE_START, (uint32_t[]){ f->pid, f->pid }, 8);
	put_record(f, PERF_RECORD_AUX, (uint64_t[]){ 0, bytes, 0 }, 24);
	page->data_head = (uint64_t)(end - (uint8_t *)page) - (uint64_t)sysconf(_SC_PAGESIZE);
	page->aux_head = head;
}

void *mmap64(void *at, size_t size, int how, int flags, int fd, off_t offset)
{
	void *p = (void *)syscall(SYS_mmap, at, size, how, flags, fd, offset);

	if (is_fake(fd) && offset) {
		void *page = (void *)syscall(SYS_mmap, 0, offset, PROT_READ | PROT_WRITE,
					     MAP_SHARED, fd, 0);
		void *aux = (void *)syscall(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_SHARED,
					    fd, offset);

		fill(&fakes[fd], page, aux, size);
	}
	return p;
}
