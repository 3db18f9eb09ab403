// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel lets us count, and whether it counts right. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "builtin/test/checks.h"
#include "sys/explain.h"
#include "sys/sys.h"
#include "sys/tracefs.h"

static int open_on(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct perf_event_attr a = *attr;

	a.size = ATTR_SIZE_VER7;
	return sys_perf_event_open(&a, pid, cpu, -1, 0);
}

static int open_self(const struct perf_event_attr *attr)
{
	return open_on(attr, 0, -1);
}

static u64 count_of(int fd)
{
	u64 v = 0;

	return read(fd, &v, sizeof(v)) == sizeof(v) ? v : 0;
}

/* Returns skip for a refusal that depends on the user's rights, and fail for anything else. */
static enum selftest_result refused(struct selftest *t, int err)
{
	if (err == -EACCES || err == -EPERM)
		return selftest_skip(t, "not permitted: needs root, CAP_PERFMON or a lower "
					"kernel.perf_event_paranoid");
	return selftest_fail(t, "cannot open the event: %s", strerror(-err));
}

static enum selftest_result same_count(struct selftest *t, u64 expected, u64 counted)
{
	strbuf_f(&t->log, "expected %" PRIu64 ", counted %" PRIu64 "\n", expected, counted);
	if (expected == counted)
		return SELFTEST_OK;
	return selftest_fail(t, "expected %" PRIu64 ", counted %" PRIu64, expected, counted);
}

enum { FAULTS = 100, CALLS = 100, WRITES = 100 };

enum selftest_result check_software_count(struct selftest *t)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
					.flags = ATTR_EXCLUDE_KERNEL };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *p = mmap(NULL, FAULTS * page, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open_self(&attr);
	u64 before, after;

	if (fd < 0)
		return refused(t, fd);
	/* one page each, never a huge one */
	madvise((void *)p, FAULTS * page, MADV_NOHUGEPAGE);
	/* touched and given back: what a sanitizer keeps beside them is there by then */
	for (size_t i = 0; i < FAULTS; i++)
		p[i * page] = 1;
	madvise((void *)p, FAULTS * page, MADV_DONTNEED);
	count_of(fd);
	before = count_of(fd);
	for (size_t i = 0; i < FAULTS; i++)
		p[i * page] = 1;
	after = count_of(fd);
	close(fd);
	munmap((void *)p, FAULTS * page);
	return same_count(t, FAULTS, after - before);
}

enum selftest_result check_task_clock(struct selftest *t)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.flags = ATTR_EXCLUDE_KERNEL };
	int fd = open_self(&attr);
	u64 before, after;

	if (fd < 0)
		return refused(t, fd);
	before = count_of(fd);
	for (volatile int i = 0; i < 1000000; i++)
		continue;
	after = count_of(fd);
	close(fd);
	strbuf_f(&t->log, "%" PRIu64 " ns for a million turns\n", after - before);
	return after > before ? SELFTEST_OK : selftest_fail(t, "the clock stands still");
}

enum selftest_result check_hardware_cycles(struct selftest *t)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_CPU_CYCLES,
					.flags = ATTR_EXCLUDE_KERNEL };
	int fd = open_self(&attr);
	u64 counted;

	if (fd == -ENOENT || fd == -EOPNOTSUPP || fd == -ENODEV)
		return selftest_skip(t, "this machine offers no hardware PMU");
	if (fd < 0)
		return refused(t, fd);
	for (volatile int i = 0; i < 1000000; i++)
		continue;
	counted = count_of(fd);
	close(fd);
	strbuf_f(&t->log, "%" PRIu64 " cycles for a million turns\n", counted);
	return counted ? SELFTEST_OK : selftest_fail(t, "the counter stands still");
}

static int tracepoint_id(const char *system, const char *name, u64 *id, struct reason *r)
{
	char *dir = tracefs_find(NULL, r);
	int err = dir ? tracefs_id(NULL, dir, system, name, id) : -ENOENT;

	free(dir);
	return err;
}

enum selftest_result check_tracepoint_count(struct selftest *t)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT };
	struct reason r = REASON_INIT;
	u64 before, after;
	int fd, err = tracepoint_id("syscalls", "sys_enter_getppid", &attr.config, &r);

	if (err) {
		enum selftest_result skip =
			selftest_skip(t, "%s",
				      r.text ? r.text
					     : "no such tracepoint: syscall tracepoints are not "
					       "built in or tracefs cannot be read");

		reason_release(&r);
		return skip;
	}
	fd = open_self(&attr);
	if (fd < 0)
		return refused(t, fd);
	before = count_of(fd);
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	after = count_of(fd);
	close(fd);
	return same_count(t, CALLS, after - before);
}

static volatile u64 watched;

enum selftest_result check_breakpoint_count(struct selftest *t)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT,
					.bp_type = HW_BREAKPOINT_W,
					.config1 = (u64)(uintptr_t)&watched,
					.config2 = sizeof(watched),
					.flags = ATTR_EXCLUDE_KERNEL };
	int fd = open_self(&attr);
	u64 before, after;

	if (fd == -ENOSPC)
		return selftest_skip(t, "all breakpoints of this machine are in use");
	if (fd == -ENOENT || fd == -EOPNOTSUPP || fd == -ENODEV)
		return selftest_skip(t, "this machine offers no breakpoints");
	if (fd < 0)
		return refused(t, fd);
	before = count_of(fd);
	for (int i = 0; i < WRITES; i++)
		watched++;
	after = count_of(fd);
	close(fd);
	return same_count(t, WRITES, after - before);
}

enum selftest_result check_system_wide(struct selftest *t)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK };
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (int cpu = 0; cpu < cpus; cpu++) {
		int fd = open_on(&attr, -1, cpu);
		u64 before;

		if (fd == -ENODEV)
			continue; /* not online */
		if (fd < 0)
			return refused(t, fd);
		before = count_of(fd);
		usleep(1000);
		if (count_of(fd) <= before) {
			close(fd);
			return selftest_fail(t, "the clock of CPU %d stands still", cpu);
		}
		close(fd);
	}
	return SELFTEST_OK;
}

enum selftest_result check_probe_pmu_kernel(struct selftest *t)
{
	if (!sys_exists(NULL, "/sys/bus/event_source/devices/kprobe/type"))
		return selftest_skip(t, "this kernel has no kprobes (CONFIG_KPROBE_EVENTS)");
	return SELFTEST_OK;
}

enum selftest_result check_probe_pmu_user(struct selftest *t)
{
	if (!sys_exists(NULL, "/sys/bus/event_source/devices/uprobe/type"))
		return selftest_skip(t, "this kernel has no uprobes (CONFIG_UPROBE_EVENTS)");
	return SELFTEST_OK;
}

/* Checks that addresses are shown: hidden ones read as 0 on every line. */
enum selftest_result check_kallsyms(struct selftest *t)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	const char *hint, *why;
	unsigned shown = 0;
	size_t space = 0;
	char *line = NULL;

	if (!f)
		return selftest_skip(t, "/proc/kallsyms cannot be read (CONFIG_KALLSYMS)");
	while (getline(&line, &space, f) > 0)
		shown += line[strspn(line, "0")] != ' ';
	free(line);
	fclose(f);
	strbuf_f(&t->log, "%u addresses\n", shown);
	if (shown)
		return SELFTEST_OK;
	why = explain_kallsyms(NULL, &hint);
	return selftest_skip(t, "addresses are hidden from this user: %s",
			     why ? why : "/proc/kallsyms shows only zeros");
}

/*
 * Checks the limit of open files against system-wide tracing of all system calls: about 350 events
 * on each CPU.
 */
enum selftest_result check_file_descriptors(struct selftest *t)
{
	u64 needed = 350 * (u64)sysconf(_SC_NPROCESSORS_ONLN);
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return selftest_fail(t, "cannot read the limit: %s", strerror(errno));
	strbuf_f(&t->log, "soft limit %" PRIu64 ", hard limit %" PRIu64 ", needed %" PRIu64 "\n",
		 (u64)limit.rlim_cur, (u64)limit.rlim_max, needed);
	if (limit.rlim_max < needed)
		return selftest_skip(t,
				     "the hard limit is %" PRIu64
				     ", tracing all system calls on every "
				     "CPU needs %" PRIu64 ": raise it with 'ulimit -Hn'",
				     (u64)limit.rlim_max, needed);
	return SELFTEST_OK;
}
