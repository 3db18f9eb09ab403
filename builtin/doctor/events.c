// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens events, maps rings and takes samples. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "builtin/doctor/internal.h"
#include "sys/cgroup.h"
#include "sys/obstacles.h"
#include "sys/topology.h"

/* DATA_HEAD_AT: offset of data_head in struct perf_event_mmap_page. */
enum { DATA_HEAD_AT = 1024, RING_BYTES = 2 << 20, FREQUENCY = 4000, FRAMES = 127 };

/* A clock's event in user space, with a sample each ms of it. */
#define CLOCK_EVENT                                                                                \
	{                                                                                          \
		.type = PERF_TYPE_SOFTWARE, .size = ATTR_SIZE_VER5,                                \
		.config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 1000000,                       \
		.sample_type = PERF_SAMPLE_IP, .flags = ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV      \
	}

int open_or_explain(const struct perf_event_attr *attr, const char *event, int pid, int cpu,
		    struct reason *r)
{
	const struct open_attempt a = {
		.attr = attr, .event = event, .pid = pid, .cpu = cpu, .no_detour = true
	};
	int fd = sys_perf_event_open(attr, pid, cpu, -1, 0);

	return fd < 0 ? explain_open(NULL, &a, -fd, r) : fd;
}

/* Opens it for this process, which is all that is asked. */
static int try_open(const struct perf_event_attr *attr, const char *event, struct reason *r)
{
	int fd = open_or_explain(attr, event, 0, -1, r);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int try_counting(const struct context *ctx, struct reason *r)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = ATTR_SIZE_VER5,
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.flags = ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV };
	int fd = open_or_explain(&attr, "task-clock:u", 0, -1, r), err = 0;
	u64 count;

	(void)ctx;
	if (fd < 0)
		return fd;
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		err = reason_errno(r, errno, "cannot read the counter of 'task-clock:u'");
	close(fd);
	return err;
}

static u64 thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

/*
 * Works for at most a second of CPU time until the ring has something. The clock is asked for
 * seldom, since that is not user space.
 */
static bool gets_sample(const void *ring)
{
	const _Atomic u64 *head = (const void *)((const char *)ring + DATA_HEAD_AT);
	u64 end = thread_ns() + 1000000000;

	do {
		for (volatile unsigned i = 0; i < 1000000 && !atomic_load(head); i++)
			;
		if (atomic_load(head))
			return true;
	} while (thread_ns() < end);
	return false;
}

int try_user_samples(const struct context *ctx, struct reason *r)
{
	struct perf_event_attr attr = CLOCK_EVENT;
	int fd = open_or_explain(&attr, "cpu-clock:u", 0, -1, r), err = 0;
	size_t size = 2 * (size_t)sysconf(_SC_PAGESIZE);
	void *ring;

	(void)ctx;
	if (fd < 0)
		return fd;
	ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		err = explain_ring(NULL, size, errno, r);
	else if (!gets_sample(ring))
		err = reason_set(r, ENODATA, "'cpu-clock:u' opens, but no sample arrives");
	if (ring != MAP_FAILED)
		munmap(ring, size);
	close(fd);
	return err;
}

int try_sample_rate(const struct context *ctx, struct reason *r)
{
	struct perf_event_attr attr = CLOCK_EVENT;

	(void)ctx;
	attr.sample_freq = FREQUENCY;
	attr.flags |= ATTR_FREQ;
	return try_open(&attr, "cpu-clock:u", r);
}

int try_kernel_samples(const struct context *ctx, struct reason *r)
{
	struct perf_event_attr attr = CLOCK_EVENT;

	(void)ctx;
	attr.flags = ATTR_EXCLUDE_USER | ATTR_EXCLUDE_HV;
	return try_open(&attr, "cpu-clock:k", r);
}

int try_call_chains(const struct context *ctx, struct reason *r)
{
	struct perf_event_attr attr = CLOCK_EVENT;

	(void)ctx;
	attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr.sample_max_stack = FRAMES;
	return try_open(&attr, "cpu-clock:u", r);
}

int try_hardware(const struct context *ctx, struct reason *r)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.size = ATTR_SIZE_VER5,
					.config = PERF_COUNT_HW_CPU_CYCLES,
					.flags = ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV };

	(void)ctx;
	return try_open(&attr, "cycles:u", r);
}

int try_all_counters(const struct context *ctx, struct reason *r)
{
	if (try_hardware(ctx, NULL))
		return DOCTOR_NOTHING_TO_TRY;
	if (!nmi_watchdog_holds_counter(NULL))
		return 0;
	return obstacle_refuse(OBSTACLE_NMI_WATCHDOG, &(struct obstacle_words){ NULL }, EBUSY, r);
}

/* ---- on every CPU ---- */

int try_system_wide(const struct context *ctx, struct reason *r)
{
	struct perf_event_attr attr = CLOCK_EVENT;
	size_t count;
	u32 *cpus;
	int fd = sys_cpus(NULL, "online", &cpus, &count, r);

	(void)ctx;
	if (fd)
		return fd;
	fd = open_or_explain(&attr, "cpu-clock:u", -1, (int)cpus[0], r);
	free(cpus);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Rings on every CPU at the same time, as a recording has them: 0 or a positive errno. */
static int map_everywhere(const u32 *cpus, size_t count, size_t size)
{
	struct perf_event_attr attr = CLOCK_EVENT;
	int *fds = xcalloc(count, sizeof(*fds)), err = 0;
	void **rings = xcalloc(count, sizeof(*rings));

	attr.flags |= ATTR_DISABLED;
	for (size_t i = 0; i < count; i++) {
		fds[i] = sys_perf_event_open(&attr, 0, (int)cpus[i], -1, 0);
		rings[i] = MAP_FAILED;
		/* a CPU that has gone offline meanwhile is no failure, and other checks open events
		 */
		if (fds[i] < 0 || err)
			continue;
		rings[i] = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fds[i], 0);
		if (rings[i] == MAP_FAILED)
			err = errno;
	}
	for (size_t i = 0; i < count; i++) {
		if (rings[i] != MAP_FAILED)
			munmap(rings[i], size);
		if (fds[i] >= 0)
			close(fds[i]);
	}
	free(rings);
	free(fds);
	return err;
}

int try_rings(const struct context *ctx, struct reason *r)
{
	size_t count, size = RING_BYTES + (size_t)sysconf(_SC_PAGESIZE);
	u32 *cpus;
	int err = try_counting(ctx, NULL) ? DOCTOR_NOTHING_TO_TRY
					  : sys_cpus(NULL, "online", &cpus, &count, r);

	if (err)
		return err;
	err = map_everywhere(cpus, count, size);
	free(cpus);
	return err ? explain_ring(NULL, size, err, r) : 0;
}

/* Opens as many descriptors as the limit lets it, at most count: how many. */
static u64 open_many(u64 count)
{
	int *fds = xcalloc(count, sizeof(*fds));
	u64 n = 0;

	while (n < count && (fds[n] = dup(STDERR_FILENO)) >= 0)
		n++;
	for (u64 i = 0; i < n; i++)
		close(fds[i]);
	free(fds);
	return n;
}

int try_open_files(const struct context *ctx, struct reason *r)
{
	enum { EVENTS = 32, OTHERS = 64 };
	struct rlimit before, raised;
	u32 *cpus;
	size_t count;
	u64 wanted;
	int err = sys_cpus(NULL, "online", &cpus, &count, r);

	(void)ctx;
	if (err)
		return err;
	free(cpus);
	wanted = count * EVENTS + OTHERS;
	if (getrlimit(RLIMIT_NOFILE, &before))
		return reason_errno(r, errno, "cannot read the limit of open files");
	/* as every command that measures raises it: root also above the hard limit */
	raised.rlim_cur = MAX(before.rlim_cur, (rlim_t)wanted);
	raised.rlim_max = MAX(before.rlim_max, (rlim_t)wanted);
	if (setrlimit(RLIMIT_NOFILE, &raised)) {
		raised.rlim_cur = raised.rlim_max = before.rlim_max;
		setrlimit(RLIMIT_NOFILE, &raised);
	}
	if (open_many(wanted - OTHERS) < wanted - OTHERS)
		err = explain_open_files(wanted, r);
	setrlimit(RLIMIT_NOFILE, &before);
	return err;
}

int try_cgroups(const struct context *ctx, struct reason *r)
{
	enum { OF_CGROUP = 1 << 2 };
	struct perf_event_attr attr = CLOCK_EVENT;
	struct open_attempt a = {
		.attr = &attr, .event = "cpu-clock:u", .pid = -1, .no_detour = true
	};
	size_t count;
	u32 *cpus;
	int root = cgroup_open(NULL, "/", r), err, fd;

	(void)ctx;
	if (root < 0)
		return root;
	err = sys_cpus(NULL, "online", &cpus, &count, r);
	if (!err) {
		a.cpu = (int)cpus[0];
		fd = sys_perf_event_open(&attr, root, a.cpu, -1, OF_CGROUP);
		free(cpus);
		if (fd < 0)
			err = explain_open(NULL, &a, -fd, r);
		else
			close(fd);
	}
	close(root);
	return err;
}

/* ---- clocks ---- */

/* Clock sources that the kernel takes only when it does not trust the CPU's counter. */
static bool is_substitute(const char *source)
{
	static const char *const names[] = { "acpi_pm", "hpet", "pit", "jiffies",
					     "refined-jiffies" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(source, names[i]))
			return true;
	return false;
}

int try_clock(const struct context *ctx, struct reason *r)
{
	struct perf_event_attr attr = CLOCK_EVENT;
	char *source;
	int err;

	(void)ctx;
	attr.flags |= ATTR_USE_CLOCKID;
	attr.clockid = CLOCK_MONOTONIC;
	err = try_open(&attr, "cpu-clock:u", r);
	if (err)
		return err;
	source = sys_read_line(NULL,
			       "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	if (source && is_substitute(source))
		err = obstacle_refuse(OBSTACLE_CLOCK_SOURCE,
				      &(struct obstacle_words){ .is = source }, ENOTSUP, r);
	free(source);
	return err;
}
