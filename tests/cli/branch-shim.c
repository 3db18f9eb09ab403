// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A machine whose CPUs record branches, for perf top under LD_PRELOAD: events that ask for branch
 * stacks open as plain memory, whose ring holds the samples of the file BRANCH_SAMPLES when it is
 * mapped.  A line of it, with numbers in hex but for the first:
 *
 *	SAMPLES PID IP FROM-TO-CYCLES[,FROM-TO-CYCLES]... CHAIN[,CHAIN]...
 *
 * The newest branch comes first; the chain is what the kernel would have written, or "-".  Where
 * BRANCH_TYPES names a file, each event's branch_sample_type is written to it, in hex.
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
	uint64_t id, sample_type, branch_type;
	int64_t cpu;
	int open;
} fakes[MOST];

static int is_fake(long fd)
{
	return fd >= 0 && fd < MOST && fakes[fd].open;
}

static void note_type(const struct perf_event_attr *attr)
{
	const char *path = getenv("BRANCH_TYPES");
	FILE *f = path ? fopen(path, "a") : NULL;

	if (f && fprintf(f, "%llx\n", (unsigned long long)attr->branch_sample_type) >= 0)
		fclose(f);
}

static long open_fake(const struct perf_event_attr *attr, long cpu)
{
	static uint64_t ids = 900000;
	int fd = memfd_create("branches", 0);

	if (fd < 0 || fd >= MOST || ftruncate(fd, ROOM))
		return -1;
	note_type(attr);
	fakes[fd] = (struct fake){ ++ids, attr->sample_type, attr->branch_sample_type, cpu, 1 };
	return fd;
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
	if (n == SYS_perf_event_open &&
	    ((struct perf_event_attr *)a[0])->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return open_fake((void *)a[0], (int)a[2]);
	/* the group of an event that is none */
	if (n == SYS_perf_event_open && is_fake(a[3]))
		a[3] = -1;
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

static uint8_t *end; /* the end of what was put into the ring */

static void put(uint64_t v)
{
	memcpy(end, &v, sizeof(v));
	end += sizeof(v);
}

/* "a,b,c", each by one function; "-": none. */
static void put_list(const char *text, int with_index, void (*put_one)(const char *))
{
	uint8_t *count = end;
	uint64_t n = 0;

	put(0);
	if (with_index)
		put(UINT64_MAX);
	for (const char *at = text; at && *at != '-'; n++) {
		put_one(at);
		at = strchr(at, ',');
		at = at ? at + 1 : NULL;
	}
	memcpy(count, &n, sizeof(n));
}

static void put_branch(const char *text)
{
	unsigned long from, to, cycles;

	if (sscanf(text, "%lx-%lx-%lx", &from, &to, &cycles) != 3)
		abort();
	put(from);
	put(to);
	put(cycles << 4 | 2); /* predicted */
}

static void put_address(const char *text)
{
	put(strtoul(text, NULL, 16));
}

static void put_sample(const struct fake *f, unsigned pid, unsigned long ip, const char *branches,
		       const char *chain)
{
	struct perf_event_header *h = (void *)end;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	end += sizeof(*h);
	if (f->sample_type & PERF_SAMPLE_IDENTIFIER)
		put(f->id);
	put(ip);
	put((uint64_t)pid << 32 | pid);
	if (f->sample_type & PERF_SAMPLE_TIME)
		put((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
	if (f->sample_type & PERF_SAMPLE_ID)
		put(f->id);
	if (f->sample_type & PERF_SAMPLE_CPU)
		put(0);
	if (f->sample_type & PERF_SAMPLE_PERIOD)
		put(1000);
	if (f->sample_type & PERF_SAMPLE_CALLCHAIN)
		put_list(chain, 0, put_address);
	put_list(branches, (f->branch_type & PERF_SAMPLE_BRANCH_HW_INDEX) != 0, put_branch);
	*h = (struct perf_event_header){ PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
					 (uint16_t)(end - (uint8_t *)h) };
}

static void fill(const struct fake *f, struct perf_event_mmap_page *page)
{
	FILE *samples = fopen(getenv("BRANCH_SAMPLES"), "r");
	char branches[4096], chain[4096];
	unsigned long ip;
	unsigned n, pid;

	end = (uint8_t *)page + sysconf(_SC_PAGESIZE);
	while (samples &&
	       fscanf(samples, "%u %u %lx %4095s %4095s", &n, &pid, &ip, branches, chain) == 5)
		while (n--)
			put_sample(f, pid, ip, branches, chain);
	page->data_head = (uint64_t)(end - (uint8_t *)page) - (uint64_t)sysconf(_SC_PAGESIZE);
	if (samples)
		fclose(samples);
}

void *mmap64(void *at, size_t size, int how, int flags, int fd, off_t offset)
{
	void *p = (void *)syscall(SYS_mmap, at, size, how, flags, fd, offset);

	/* of several CPUs, the first one */
	if (is_fake(fd) && p != MAP_FAILED && fakes[fd].cpu <= 0)
		fill(&fakes[fd], p);
	return p;
}

void *mmap(void *at, size_t size, int how, int flags, int fd, off_t offset)
{
	return mmap64(at, size, how, flags, fd, offset);
}
