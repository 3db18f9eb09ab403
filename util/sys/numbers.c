// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/numbers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "sys/topology.h"

enum level { LEVEL_PACKAGE, LEVEL_DIE, LEVEL_CORE };

static bool same(const struct cpu_place *a, const struct cpu_place *b, enum level level)
{
	if (a->socket != b->socket)
		return false;
	if (level >= LEVEL_DIE && a->die != b->die)
		return false;
	return level < LEVEL_CORE || a->core == b->core;
}

/* How many distinct ones the online CPUs are in. */
static u64 distinct(const struct cpu_topology *t, enum level level)
{
	u64 n = 0;

	for (size_t i = 0; i < t->cpus.count; i++) {
		bool seen = !t->cpus.items[i].online;

		for (size_t k = 0; k < i && !seen; k++)
			seen = t->cpus.items[k].online &&
			       same(&t->cpus.items[i], &t->cpus.items[k], level);
		n += !seen;
	}
	return n;
}

/*
 * What the kernel measured as it started: the page of any event says how it makes ns of
 * the counter's ticks, ns = ticks * time_mult >> time_shift (include/uapi/linux/perf_event.h,
 * struct perf_event_mmap_page).
 */
static bool tsc_of_kernel(u64 *value)
{
	/* offsets in the page: capabilities at 40, time_shift (u16) at 50, time_mult (u32) at 52 */
	enum { CAPABILITIES = 40, TIME_SHIFT = 50, TIME_MULT = 52, CAP_USER_TIME = 1 << 3 };
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = ATTR_SIZE_VER7,
					.config = PERF_COUNT_SW_DUMMY,
					.flags = ATTR_DISABLED | ATTR_EXCLUDE_KERNEL |
						 ATTR_EXCLUDE_HV };
	int fd = sys_perf_event_open(&attr, 0, -1, -1, 0);
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	u8 *page = fd < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	u16 shift;
	u32 mult = 0;

	if (page != MAP_FAILED) {
		u64 capabilities;

		memcpy(&capabilities, page + CAPABILITIES, sizeof(capabilities));
		memcpy(&shift, page + TIME_SHIFT, sizeof(shift));
		if (capabilities & CAP_USER_TIME && shift < 64)
			memcpy(&mult, page + TIME_MULT, sizeof(mult));
		munmap(page, size);
	}
	if (fd >= 0)
		close(fd);
	if (mult)
		*value = (u64)(1e9 * exp2(shift) / mult + 0.5);
	return mult;
}

/* The counter read twice, 20 ms apart: right to a few in a million. */
static bool tsc_measured(const char *cpuinfo, u64 *value)
{
#if defined(__x86_64__) || defined(__i386__)
	struct timespec a, b;
	u64 from, to;

	if (!strstr(cpuinfo, "constant_tsc"))
		return false;
	clock_gettime(CLOCK_MONOTONIC_RAW, &a);
	from = __builtin_ia32_rdtsc();
	usleep(20000);
	clock_gettime(CLOCK_MONOTONIC_RAW, &b);
	to = __builtin_ia32_rdtsc();
	*value = (u64)((double)(to - from) /
		       ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) *
		       1e9);
	return true;
#else
	(void)cpuinfo;
	(void)value;
	return false;
#endif
}

/* The nominal frequency, which the time-stamp counter runs at: "... @ 2.40GHz". */
static int tsc_frequency(const struct sys *sys, u64 *value)
{
	struct strbuf text = STRBUF_INIT;
	const char *line, *at;
	u64 khz;
	int err = -ENODATA;

	if (!sys_read_u64(sys, &khz, "/sys/devices/system/cpu/cpu0/tsc_freq_khz")) {
		*value = khz * 1000;
		return 0;
	}
	if ((!sys || !sys->root) && tsc_of_kernel(value))
		return 0;
	sys_read(sys, &text, "/proc/cpuinfo");
	line = strstr(strbuf_cstr(&text), "model name");
	at = line ? strstr(line, " @ ") : NULL;
	if (at && at < line + strcspn(line, "\n")) {
		char *unit;
		double n = strtod(at + 3, &unit);

		*value = (u64)(n * (!strncmp(unit, "GHz", 3) ? 1e9 : 1e6) + 0.5);
		err = *value ? 0 : -ENODATA;
	}
	if (err && (!sys || !sys->root) && tsc_measured(strbuf_cstr(&text), value))
		err = 0;
	strbuf_release(&text);
	return err;
}

int topology_number(const struct cpu_topology *t, const char *name, u64 *value)
{
	u64 online = 0, cores = distinct(t, LEVEL_CORE);

	vec_for_each(&t->cpus, it)
		online += it->online;
	if (!strcmp(name, "num_cpus"))
		*value = t->cpus.count;
	else if (!strcmp(name, "num_cpus_online"))
		*value = online;
	else if (!strcmp(name, "num_cores"))
		*value = cores;
	else if (!strcmp(name, "num_dies"))
		*value = distinct(t, LEVEL_DIE);
	else if (!strcmp(name, "num_packages"))
		*value = distinct(t, LEVEL_PACKAGE);
	else if (!strcmp(name, "smt_on"))
		*value = online > cores;
	else
		return -ENOENT;
	return 0;
}

static int from_topology(const struct sys *sys, const char *name, u64 *value)
{
	struct cpu_topology t;
	u64 smt;
	int err = cpu_topology_read(sys, &t, NULL);

	if (err)
		return -ENODATA;
	err = topology_number(&t, name, value);
	if (!strcmp(name, "smt_on") &&
	    !sys_read_u64(sys, &smt, "/sys/devices/system/cpu/smt/active"))
		*value = smt != 0;
	cpu_topology_release(&t);
	return err;
}

int machine_number(const struct sys *sys, const char *name, u64 *value)
{
	if (!strcmp(name, "system_tsc_freq"))
		return tsc_frequency(sys, value);
	return from_topology(sys, name, value);
}
