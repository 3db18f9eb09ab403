// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	sys_read(sys, &text, "/proc/cpuinfo");
	line = strstr(strbuf_cstr(&text), "model name");
	at = line ? strstr(line, " @ ") : NULL;
	if (at && at < line + strcspn(line, "\n")) {
		char *unit;
		double n = strtod(at + 3, &unit);

		*value = (u64)(n * (!strncmp(unit, "GHz", 3) ? 1e9 : 1e6) + 0.5);
		err = *value ? 0 : -ENODATA;
	}
	strbuf_release(&text);
	return err;
}

static int from_topology(const struct sys *sys, const char *name, u64 *value)
{
	struct cpu_topology t;
	u64 online = 0, cores, smt;
	int err = cpu_topology_read(sys, &t, NULL);

	if (err)
		return -ENODATA;
	vec_for_each(&t.cpus, it)
		online += it->online;
	cores = distinct(&t, LEVEL_CORE);
	if (!strcmp(name, "num_cpus"))
		*value = t.cpus.count;
	else if (!strcmp(name, "num_cpus_online"))
		*value = online;
	else if (!strcmp(name, "num_cores"))
		*value = cores;
	else if (!strcmp(name, "num_dies"))
		*value = distinct(&t, LEVEL_DIE);
	else if (!strcmp(name, "num_packages"))
		*value = distinct(&t, LEVEL_PACKAGE);
	else if (strcmp(name, "smt_on"))
		err = -ENOENT;
	else if (!sys_read_u64(sys, &smt, "/sys/devices/system/cpu/smt/active"))
		*value = smt != 0;
	else
		*value = online > cores;
	cpu_topology_release(&t);
	return err;
}

int machine_number(const struct sys *sys, const char *name, u64 *value)
{
	if (!strcmp(name, "system_tsc_freq"))
		return tsc_frequency(sys, value);
	return from_topology(sys, name, value);
}
