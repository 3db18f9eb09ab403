// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/facts.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "sys/topology.h"

static const char devices[] = "/sys/bus/event_source/devices";

/* Value of the first "KEY<spaces>: VALUE" line: NULL when there is none; caller frees. */
static char *cpuinfo_value(const char *cpuinfo, const char *key)
{
	size_t n = strlen(key);

	for (const char *line = cpuinfo; line && *line; line = strchr(line, '\n')) {
		const char *at;

		line += *line == '\n';
		at = line + n;
		if (strncmp(line, key, n))
			continue;
		at += strspn(at, " \t");
		if (*at++ != ':')
			continue;
		at += strspn(at, " \t");
		return xstrndup(at, strcspn(at, "\n"));
	}
	return NULL;
}

char *cpu_vendor(const struct sys *sys)
{
	char *path = sys_path(sys, "/proc/cpuinfo"), *line = NULL, *vendor = NULL;
	FILE *f = fopen(path, "re");
	size_t size = 0;

	/* the first CPU's paragraph ends with an empty line */
	while (f && !vendor && getline(&line, &size, f) > 1)
		vendor = cpuinfo_value(line, "vendor_id");
	free(line);
	if (f)
		fclose(f);
	free(path);
	return vendor;
}

/* The values of four or fewer fields of /proc/cpuinfo; NULL: not all are there. */
static char *join_fields(const char *cpuinfo, const char *const keys[4], char separator)
{
	struct strbuf b = STRBUF_INIT;

	for (size_t i = 0; i < 4 && keys[i]; i++) {
		char *v = cpuinfo_value(cpuinfo, keys[i]);

		if (!v) {
			strbuf_release(&b);
			return NULL;
		}
		if (i)
			strbuf_char(&b, separator);
		strbuf_str(&b, v);
		free(v);
	}
	return strbuf_detach(&b);
}

/* "2.0 (pvr 004e 1200)": version and revision, decimal. */
static char *powerpc_cpuid(const char *cpuinfo)
{
	char *v = cpuinfo_value(cpuinfo, "revision"), *pvr, *id = NULL;
	unsigned long version, revision;

	pvr = v ? strstr(v, "pvr ") : NULL;
	if (pvr) {
		version = strtoul(pvr + 4, &pvr, 16);
		revision = strtoul(pvr, NULL, 16);
		id = xasprintf("%lu,%lu", version, revision);
	}
	free(v);
	return id;
}

static char *find_cpuid(const struct sys *sys, const char *cpuinfo)
{
	static const char *const x86[4] = { "vendor_id", "cpu family", "model", "stepping" };
	static const char *const riscv[4] = { "mvendorid", "marchid", "mimpid" };
	char *id = join_fields(cpuinfo, x86, ',');

	if (!id)
		id = join_fields(cpuinfo, riscv, '-');
	if (!id)
		id = sys_read_line(sys,
				   "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
	if (!id)
		id = powerpc_cpuid(cpuinfo);
	return id ? id : xstrdup("");
}

static char *find_description(const char *cpuinfo)
{
	static const char *const keys[] = { "model name", "cpu", "Processor" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		char *v = cpuinfo_value(cpuinfo, keys[i]), *to = v;

		if (!v)
			continue;
		/* runs of spaces become one */
		for (const char *at = v; *at; at++)
			if (!isspace((unsigned char)*at) || !isspace((unsigned char)at[1]))
				*to++ = *at;
		*to = '\0';
		return v;
	}
	return xstrdup("");
}

static u64 memory_total(const struct sys *sys)
{
	struct strbuf b = STRBUF_INIT;
	char *value = NULL;
	u64 kb = 0;

	if (!sys_read(sys, &b, "/proc/meminfo"))
		value = cpuinfo_value(b.s, "MemTotal");
	if (value)
		kb = strtoull(value, NULL, 10);
	free(value);
	strbuf_release(&b);
	return kb;
}

static int count_cpus(const struct sys *sys, struct machine_facts *f, struct reason *r)
{
	size_t count;
	u32 *cpus;
	int err = sys_cpus(sys, "online", &cpus, &count, r);

	if (err)
		return err;
	f->cpus_online = (u32)count;
	free(cpus);
	err = sys_cpus(sys, "present", &cpus, &count, r);
	if (err)
		return err;
	f->cpus_available = count ? cpus[count - 1] + 1 : f->cpus_online;
	free(cpus);
	return 0;
}

int machine_facts_read(const struct sys *sys, struct machine_facts *f, struct reason *r)
{
	struct strbuf cpuinfo = STRBUF_INIT;
	struct utsname name;

	memset(f, 0, sizeof(*f));
	if (uname(&name))
		return reason_errno(r, errno, "cannot ask the kernel for its name");
	f->hostname = xstrdup(name.nodename);
	f->release = xstrdup(name.release);
	f->arch = xstrdup(name.machine);
	sys_read(sys, &cpuinfo, "/proc/cpuinfo");
	f->cpu_description = find_description(strbuf_cstr(&cpuinfo));
	f->cpuid = find_cpuid(sys, strbuf_cstr(&cpuinfo));
	f->memory_total = memory_total(sys);
	strbuf_release(&cpuinfo);
	return count_cpus(sys, f, r);
}

void machine_facts_release(struct machine_facts *f)
{
	free(f->hostname);
	free(f->release);
	free(f->arch);
	free(f->cpu_description);
	free(f->cpuid);
}

int pmu_mappings_read(const struct sys *sys, struct pmu_mappings *m)
{
	struct strlist names = { 0 };
	int err = sys_list(sys, &names, true, devices);

	memset(m, 0, sizeof(*m));
	vec_for_each(&names.list, it) {
		u64 type;

		if (sys_read_u64(sys, &type, "%s/%s/type", devices, *it) || type > UINT32_MAX)
			continue;
		vec_push(&m->list, (struct pmu_mapping){ (u32)type, xstrdup(*it) });
	}
	strlist_release(&names);
	return err;
}

void pmu_mappings_release(struct pmu_mappings *m)
{
	vec_for_each(&m->list, it)
		free(it->name);
	vec_release(&m->list);
}

int pmu_caps_read(const struct sys *sys, const char *pmu, struct pmu_caps *c)
{
	char *dir = xasprintf("%s/%s/caps", devices, pmu);
	struct strlist names = { 0 };
	int err = sys_list(sys, &names, false, dir);

	memset(c, 0, sizeof(*c));
	vec_for_each(&names.list, it) {
		char *value = sys_read_line(sys, "%s/%s", dir, *it);

		if (value)
			vec_push(&c->list, (struct pmu_cap){ xstrdup(*it), value });
	}
	strlist_release(&names);
	free(dir);
	return err == -ENOENT ? 0 : err;
}

void pmu_caps_release(struct pmu_caps *c)
{
	vec_for_each(&c->list, it) {
		free(it->name);
		free(it->value);
	}
	vec_release(&c->list);
}

static int by_number(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/* "memory32" -> 32; nodes link their blocks under that name. */
static bool numbered(const char *name, const char *prefix, u32 *number)
{
	u64 v;

	if (!str_starts(name, prefix) || parse_u64(name + strlen(prefix), &v) || v > UINT32_MAX)
		return false;
	*number = (u32)v;
	return true;
}

static void read_blocks(const struct sys *sys, struct memory_topology *t, u32 number)
{
	char *dir = xasprintf("/sys/devices/system/node/node%u", number);
	struct strlist names = { 0 };
	struct memory_node *node = vec_push_zero(&t->nodes);
	u32 block;

	node->node = number;
	sys_list(sys, &names, false, dir);
	vec_for_each(&names.list, it)
		if (numbered(*it, "memory", &block))
			vec_push(&node->blocks, block);
	vec_sort(&node->blocks, by_number);
	strlist_release(&names);
	free(dir);
}

int memory_topology_read(const struct sys *sys, struct memory_topology *t)
{
	struct strlist names = { 0 };
	char *size = sys_read_line(sys, "/sys/devices/system/memory/block_size_bytes");
	VEC(u32) numbers = VEC_INIT;
	u32 number;

	memset(t, 0, sizeof(*t));
	if (!size || parse_hex(size, &t->block_size))
		t->block_size = 0;
	free(size);
	sys_list(sys, &names, true, "/sys/devices/system/node");
	vec_for_each(&names.list, it)
		if (numbered(*it, "node", &number))
			vec_push(&numbers, number);
	vec_sort(&numbers, by_number);
	vec_for_each(&numbers, it)
		read_blocks(sys, t, *it);
	vec_release(&numbers);
	strlist_release(&names);
	return 0;
}

void memory_topology_release(struct memory_topology *t)
{
	vec_for_each(&t->nodes, node)
		vec_release(&node->blocks);
	vec_release(&t->nodes);
}
