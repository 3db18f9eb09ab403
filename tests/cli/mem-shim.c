// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A machine whose CPUs sample memory accesses, for perf mem and perf c2c under LD_PRELOAD: events
 * of type MEM_TYPE open as dummies, so that the kernel writes what else belongs to a recording, and
 * when they are switched off, the rings get the samples of the file MEM_SAMPLES, which the programs
 * that were recorded have written. A line of it, with numbers in hex, times as CLOCK_MONOTONIC has
 * them:
 *
 *	CONFIG TIME PID TID CPU IP ADDR WEIGHT DATA_SRC PHYS PAGE_SIZE
 *
 * It goes to the event with this config that is on this CPU, or on any. With three numbers in
 * WEIGHT ("var1,var2,var3") the event must ask for all of them.
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
#include <unistd.h>

enum { MOST = 4096 };

static struct event {
	int open, plays; /* plays: is one of MEM_TYPE */
	int cpu, output; /* output: whose ring it writes to */
	uint64_t config, sample_type;
	struct perf_event_mmap_page *ring;
	uint64_t ring_bytes;
} events[MOST];

static int is_done;

static long (*next_syscall)(long, ...);
static int (*next_ioctl)(int, unsigned long, ...);

static struct event *event_of(long fd)
{
	return fd >= 0 && fd < MOST && events[fd].open ? &events[fd] : NULL;
}

static long open_event(const struct perf_event_attr *asked, long a[6])
{
	struct perf_event_attr attr = *asked;
	const char *type = getenv("MEM_TYPE");
	int plays = type && attr.type == strtoul(type, NULL, 10);
	long fd;

	if (plays) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_DUMMY;
		attr.config1 = attr.config2 = 0;
		attr.precise_ip = 0;
		a[0] = (long)&attr;
	}
	fd = next_syscall(SYS_perf_event_open, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (fd >= 0 && fd < MOST)
		events[fd] = (struct event){
			1, plays, (int)a[2], (int)fd, asked->config, asked->sample_type, NULL, 0
		};
	return fd;
}

long syscall(long n, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, n);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (!next_syscall)
		next_syscall = dlsym(RTLD_NEXT, "syscall");
	if (n == SYS_perf_event_open)
		return open_event((void *)a[0], a);
	return next_syscall(n, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* The kernel writes round the end of a ring, so a record can be in two parts. */
static void put_record(struct event *ring, const void *record, uint64_t n)
{
	uint8_t *data = (uint8_t *)ring->ring + sysconf(_SC_PAGESIZE);
	uint64_t head = ring->ring->data_head;

	for (uint64_t i = 0; i < n; i++)
		data[(head + i) % ring->ring_bytes] = ((const uint8_t *)record)[i];
	__atomic_store_n(&ring->ring->data_head, head + n, __ATOMIC_RELEASE);
}

struct line {
	uint64_t config, time, pid, tid, cpu, ip, addr, weight[3], data_src, phys, page_size;
};

static int read_line(const char *text, struct line *l)
{
	char weight[64], *at = weight;

	memset(l, 0, sizeof(*l));
	if (sscanf(text, "%lx %lx %lx %lx %lx %lx %lx %63s %lx %lx %lx", &l->config, &l->time,
		   &l->pid, &l->tid, &l->cpu, &l->ip, &l->addr, weight, &l->data_src, &l->phys,
		   &l->page_size) != 11)
		return 0;
	for (int i = 0; i < 3 && at; i++) {
		l->weight[i] = strtoul(at, &at, 16);
		at = *at == ',' ? at + 1 : NULL;
	}
	return 1;
}

static uint64_t weight_of(const struct event *e, const struct line *l)
{
	if (e->sample_type & PERF_SAMPLE_WEIGHT_STRUCT)
		return l->weight[0] | l->weight[1] << 32 | l->weight[2] << 48;
	return l->weight[0];
}

/* The fields in the order of PERF_RECORD_SAMPLE in include/uapi/linux/perf_event.h. */
static void put_sample(int fd, const struct line *l)
{
	const struct event *e = &events[fd];
	uint64_t id = 0, sample[32], n = 1;
	const struct {
		uint64_t bit, value;
	} fields[] = {
		{ PERF_SAMPLE_IDENTIFIER, 0 },
		{ PERF_SAMPLE_IP, l->ip },
		{ PERF_SAMPLE_TID, l->pid | l->tid << 32 },
		{ PERF_SAMPLE_TIME, l->time },
		{ PERF_SAMPLE_ADDR, l->addr },
		{ PERF_SAMPLE_ID, 0 },
		{ PERF_SAMPLE_STREAM_ID, 0 },
		{ PERF_SAMPLE_CPU, l->cpu },
		{ PERF_SAMPLE_PERIOD, 1 },
		{ PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT, weight_of(e, l) },
		{ PERF_SAMPLE_DATA_SRC, l->data_src },
		{ PERF_SAMPLE_PHYS_ADDR, l->phys },
		{ PERF_SAMPLE_DATA_PAGE_SIZE, l->page_size },
	};
	uint64_t known = 0;

	next_ioctl(fd, PERF_EVENT_IOC_ID, &id);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		known |= fields[i].bit;
		if (!(e->sample_type & fields[i].bit))
			continue;
		sample[n++] = fields[i].bit & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID |
					       PERF_SAMPLE_STREAM_ID)
				      ? id
				      : fields[i].value;
	}
	if (e->sample_type & ~known)
		abort();
	*(struct perf_event_header *)sample =
		(struct perf_event_header){ PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
					    (uint16_t)(8 * n) };
	put_record(&events[e->output], sample, 8 * n);
}

static void put_line(const struct line *l)
{
	for (int fd = 0; fd < MOST; fd++) {
		const struct event *e = event_of(fd);

		if (e && e->plays && e->config == l->config &&
		    (e->cpu < 0 || (uint64_t)e->cpu == l->cpu) && events[e->output].ring) {
			put_sample(fd, l);
			return;
		}
	}
}

/*
 * Only the kernel may write to the data of a ring: plain memory with what is in it takes its place.
 */
static void take_over(struct event *e)
{
	size_t size = e->ring_bytes + (size_t)sysconf(_SC_PAGESIZE);
	void *copy = malloc(size);

	memcpy(copy, e->ring, size);
	if (mmap(e->ring, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) != e->ring)
		abort();
	memcpy(e->ring, copy, size);
	free(copy);
}

/* All events end first: from then on the kernel has nothing for any ring. */
static void put_samples(void)
{
	const char *path = getenv("MEM_SAMPLES");
	FILE *f = path ? fopen(path, "r") : NULL;
	char text[512];
	struct line l;

	for (int fd = 0; fd < MOST; fd++)
		if (event_of(fd))
			next_ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	for (int fd = 0; fd < MOST; fd++)
		if (event_of(fd) && events[fd].plays && events[fd].ring)
			take_over(&events[fd]);
	while (f && fgets(text, sizeof(text), f))
		if (read_line(text, &l))
			put_line(&l);
	if (f)
		fclose(f);
}

int ioctl(int fd, unsigned long request, ...)
{
	struct event *e = event_of(fd);
	va_list ap;
	long arg;

	va_start(ap, request);
	arg = va_arg(ap, long);
	va_end(ap);
	if (!next_ioctl)
		next_ioctl = dlsym(RTLD_NEXT, "ioctl");
	if (e && request == PERF_EVENT_IOC_SET_OUTPUT)
		e->output = (int)arg;
	if (e && request == PERF_EVENT_IOC_DISABLE && !is_done) {
		is_done = 1;
		put_samples();
	}
	return next_ioctl(fd, request, arg);
}

void *mmap64(void *at, size_t size, int how, int flags, int fd, off_t offset)
{
	void *p = (void *)syscall(SYS_mmap, at, size, how, flags, fd, offset);

	if (event_of(fd) && p != MAP_FAILED && !offset && how & PROT_WRITE) {
		events[fd].ring = p;
		events[fd].ring_bytes = size - (size_t)sysconf(_SC_PAGESIZE);
	}
	return p;
}

void *mmap(void *at, size_t size, int how, int flags, int fd, off_t offset)
{
	return mmap64(at, size, how, flags, fd, offset);
}

int close(int fd)
{
	static int (*next)(int);

	if (event_of(fd))
		events[fd].open = 0;
	if (!next)
		next = dlsym(RTLD_NEXT, "close");
	return next(fd);
}
