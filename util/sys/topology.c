// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/search.h"
#include "sys/topology.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char cpu_dir[] = "/sys/devices/system/cpu";

enum { MAX_CPUS = 1 << 16, MAX_NODES = 1 << 12 };

/*
 * Where sysfs is not mounted: the lines "cpuN ..." of /proc/stat are of the CPUs that are online.
 */
static int cpus_of_stat(const struct sys *sys, u32 **cpus, size_t *count)
{
	char *path = sys_path(sys, "/proc/stat"), *line = NULL;
	VEC(u32) found = VEC_INIT;
	size_t space = 0;
	FILE *f = fopen(path, "re");
	u32 cpu;

	free(path);
	while (f && getline(&line, &space, f) > 0)
		if (!strncmp(line, "cpu", 3) && isdigit((unsigned char)line[3]) &&
		    sscanf(line + 3, "%u", &cpu) == 1 && cpu < MAX_CPUS)
			vec_push(&found, cpu);
	if (f)
		fclose(f);
	free(line);
	*cpus = found.items;
	*count = found.count;
	return found.count ? 0 : -ENOENT;
}

int sys_cpus(const struct sys *sys, const char *list, u32 **cpus, size_t *count, struct reason *r)
{
	char *line = sys_read_line(sys, "%s/%s", cpu_dir, list);
	int err = line                             ? parse_cpu_list(line, MAX_CPUS, cpus, count)
		  : sys_exists(sys, "%s", cpu_dir) ? -ENOENT
						   : cpus_of_stat(sys, cpus, count);

	free(line);
	if (err)
		reason_errno(r, -err, "cannot read the CPU list %s/%s", cpu_dir, list);
	return err;
}

static const char digits[] = "0123456789";

/* number: digits, and perhaps other text after them. */
static int no_cpu(const char *number, struct reason *r)
{
	reason_set(r, ENODEV, "CPU %.*s is not online", (int)strspn(number, digits), number);
	reason_hint(r, "'cat /sys/devices/system/cpu/online' shows which are");
	return -ENODEV;
}

int sys_no_cpu(u32 cpu, struct reason *r)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", cpu);
	return no_cpu(number, r);
}

int sys_check_cpus(const struct sys *sys, const u32 *cpus, size_t count, const char *list,
		   struct reason *r)
{
	size_t known_count = 0, at = 0;
	u32 *known = NULL;
	int err = 0;

	if (sys_cpus(sys, list, &known, &known_count, NULL))
		return 0; /* perf_event_open() will tell */
	for (size_t i = 0; i < count && !err; i++) {
		while (at < known_count && known[at] < cpus[i])
			at++;
		if (at == known_count || known[at] != cpus[i])
			err = sys_no_cpu(cpus[i], r);
	}
	free(known);
	return err;
}

/* Finds the first number in text that is above MAX_CPUS. */
static const char *too_high(const char *text)
{
	char *end;

	for (;; text = end) {
		text += strcspn(text, digits);
		if (!*text || strtoul(text, &end, 10) > MAX_CPUS)
			return text;
	}
}

int sys_choose_cpus(const struct sys *sys, const char *text, const char *list, u32 **cpus,
		    size_t *count, struct reason *r)
{
	int err = parse_cpu_list(text, MAX_CPUS, cpus, count);

	if (err == -ERANGE)
		return no_cpu(too_high(text), r);
	if (err) {
		reason_usage(r, "'%s' is not a list of CPUs such as 0-2,5", text);
		reason_hint(
			r,
			"numbers and ranges with commas between them; 'lscpu -e' lists the CPUs");
		return -EINVAL;
	}
	err = sys_check_cpus(sys, *cpus, *count, list, r);
	if (err) {
		free(*cpus);
		*cpus = NULL;
		*count = 0;
	}
	return err;
}

u64 sys_cpu_life(const struct sys *sys, u32 cpu)
{
	char *path = sys_path(sys, "%s/cpu%u/topology", cpu_dir, cpu);
	struct stat st;
	u64 life = stat(path, &st) ? 0 : st.st_ino;

	free(path);
	return life;
}

static s32 topology_id(const struct sys *sys, u32 cpu, const char *file)
{
	s64 v;

	if (sys_read_s64(sys, &v, "%s/cpu%u/topology/%s", cpu_dir, cpu, file) || v < 0 ||
	    v > INT32_MAX)
		return -1;
	/* some machines say 65535 for "no such level" */
	return v == UINT16_MAX ? -1 : (s32)v;
}

/* The first of two spellings (new, then old kernels) that is there. */
static void add_distinct(const struct sys *sys, struct strlist *lists, u32 cpu, const char *name,
			 const char *old_name)
{
	char *line = sys_read_line(sys, "%s/cpu%u/topology/%s", cpu_dir, cpu, name);

	if (!line && old_name)
		line = sys_read_line(sys, "%s/cpu%u/topology/%s", cpu_dir, cpu, old_name);
	if (line && *line && !strlist_has(lists, line))
		strlist_add(lists, line);
	free(line);
}

static void read_place(const struct sys *sys, struct cpu_topology *t, u32 cpu)
{
	struct cpu_place *p = vec_push_zero(&t->cpus);

	p->cpu = cpu;
	p->core = topology_id(sys, cpu, "core_id");
	p->cluster = topology_id(sys, cpu, "cluster_id");
	p->die = topology_id(sys, cpu, "die_id");
	p->socket = topology_id(sys, cpu, "physical_package_id");
	p->node = -1;
	add_distinct(sys, &t->packages, cpu, "package_cpus_list", "core_siblings_list");
	add_distinct(sys, &t->dies, cpu, "die_cpus_list", NULL);
	add_distinct(sys, &t->cores, cpu, "core_cpus_list", "thread_siblings_list");
}

static struct cpu_place *place_of(const struct cpu_topology *t, u32 cpu)
{
	size_t at = lower_bound(i, 0, t->cpus.count, t->cpus.items[i].cpu < cpu);

	return at < t->cpus.count && t->cpus.items[at].cpu == cpu ? &t->cpus.items[at] : NULL;
}

const struct cpu_place *cpu_topology_find(const struct cpu_topology *t, u32 cpu)
{
	return place_of(t, cpu);
}

static void read_nodes(const struct sys *sys, struct cpu_topology *t)
{
	struct numa_topology numa = { 0 };

	numa_topology_read(sys, &numa);
	vec_for_each(&numa.nodes, node) {
		u32 *cpus = NULL;
		size_t count = 0;

		if (parse_cpu_list(node->cpus, MAX_CPUS, &cpus, &count))
			continue;
		for (size_t i = 0; i < count; i++) {
			struct cpu_place *p = place_of(t, cpus[i]);

			if (p)
				p->node = (s32)node->node;
		}
		free(cpus);
	}
	numa_topology_release(&numa);
}

static void mark_online(const struct sys *sys, struct cpu_topology *t)
{
	size_t count = 0;
	u32 *cpus = NULL;

	if (sys_cpus(sys, "online", &cpus, &count, NULL))
		return;
	for (size_t i = 0; i < count; i++) {
		struct cpu_place *p = place_of(t, cpus[i]);

		if (p)
			p->online = true;
	}
	free(cpus);
}

int cpu_topology_read(const struct sys *sys, struct cpu_topology *t, struct reason *r)
{
	size_t count;
	u32 *cpus;
	int err = sys_cpus(sys, "present", &cpus, &count, r);

	memset(t, 0, sizeof(*t));
	if (err)
		return err;
	for (size_t i = 0; i < count; i++)
		read_place(sys, t, cpus[i]);
	free(cpus);
	mark_online(sys, t);
	read_nodes(sys, t);
	return 0;
}

void cpu_topology_release(struct cpu_topology *t)
{
	vec_release(&t->cpus);
	strlist_release(&t->packages);
	strlist_release(&t->dies);
	strlist_release(&t->cores);
}

/* "Node 0 MemTotal:       20015308 kB" */
static u64 meminfo_field(const char *text, const char *field)
{
	const char *at = strstr(text, field);

	return at ? strtoull(at + strlen(field), NULL, 10) : 0;
}

static void read_node(const struct sys *sys, struct numa_topology *t, u32 number)
{
	struct numa_node *node = vec_push_zero(&t->nodes);
	char *path = xasprintf("/sys/devices/system/node/node%u/meminfo", number);
	struct strbuf text = STRBUF_INIT;

	node->node = number;
	if (!sys_read(sys, &text, path)) {
		node->memory_total = meminfo_field(text.s, "MemTotal:");
		node->memory_free = meminfo_field(text.s, "MemFree:");
	}
	node->cpus = sys_read_line(sys, "/sys/devices/system/node/node%u/cpulist", number);
	if (!node->cpus)
		node->cpus = xstrdup("");
	strbuf_release(&text);
	free(path);
}

int numa_topology_read(const struct sys *sys, struct numa_topology *t)
{
	char *online = sys_read_line(sys, "/sys/devices/system/node/online");
	u32 *nodes = NULL;
	size_t count = 0;
	int err = online ? parse_cpu_list(online, MAX_NODES, &nodes, &count) : 0;

	memset(t, 0, sizeof(*t));
	free(online);
	for (size_t i = 0; !err && i < count; i++)
		read_node(sys, t, nodes[i]);
	free(nodes);
	return err;
}

void numa_topology_release(struct numa_topology *t)
{
	vec_for_each(&t->nodes, node)
		free(node->cpus);
	vec_release(&t->nodes);
}

static u32 cache_number(const struct sys *sys, const char *dir, const char *file)
{
	u64 v;

	return sys_read_u64(sys, &v, "%s/%s", dir, file) || v > UINT32_MAX ? 0 : (u32)v;
}

static void cache_free(struct cpu_cache *c)
{
	free(c->type);
	free(c->size);
	free(c->cpus);
}

/* False when dir holds no cache. */
static bool read_cache(const struct sys *sys, const char *dir, struct cpu_cache *c)
{
	*c = (struct cpu_cache){
		.level = cache_number(sys, dir, "level"),
		.line_size = cache_number(sys, dir, "coherency_line_size"),
		.sets = cache_number(sys, dir, "number_of_sets"),
		.ways = cache_number(sys, dir, "ways_of_associativity"),
		.type = sys_read_line(sys, "%s/type", dir),
		.size = sys_read_line(sys, "%s/size", dir),
		.cpus = sys_read_line(sys, "%s/shared_cpu_list", dir),
	};
	if (c->level && c->type && c->size && c->cpus)
		return true;
	cache_free(c);
	return false;
}

static bool known_cache(const struct cpu_caches *c, const struct cpu_cache *one)
{
	vec_for_each(&c->list, it)
		if (it->level == one->level && !strcmp(it->type, one->type) &&
		    !strcmp(it->cpus, one->cpus))
			return true;
	return false;
}

/* Levels ascending; inside a level the order of the CPUs stays (insertion sort). */
static void insert_cache(struct cpu_caches *c, struct cpu_cache one)
{
	size_t i;

	vec_push(&c->list, one);
	for (i = c->list.count - 1; i > 0 && c->list.items[i - 1].level > one.level; i--)
		c->list.items[i] = c->list.items[i - 1];
	c->list.items[i] = one;
}

static void read_caches_of(const struct sys *sys, struct cpu_caches *c, u32 cpu)
{
	enum { MAX_INDEX = 16 };

	for (unsigned i = 0; i < MAX_INDEX; i++) {
		char *dir = xasprintf("%s/cpu%u/cache/index%u", cpu_dir, cpu, i);
		struct cpu_cache one;
		bool there = sys_exists(sys, "%s", dir);

		if (there && read_cache(sys, dir, &one)) {
			if (known_cache(c, &one))
				cache_free(&one);
			else
				insert_cache(c, one);
		}
		free(dir);
		if (!there)
			return;
	}
}

int cpu_caches_read(const struct sys *sys, struct cpu_caches *c)
{
	size_t count;
	u32 *cpus;
	int err = sys_cpus(sys, "present", &cpus, &count, NULL);

	memset(c, 0, sizeof(*c));
	if (err)
		return err;
	for (size_t i = 0; i < count; i++)
		read_caches_of(sys, c, cpus[i]);
	free(cpus);
	return 0;
}

void cpu_caches_release(struct cpu_caches *c)
{
	vec_for_each(&c->list, it)
		cache_free(it);
	vec_release(&c->list);
}

void cpu_topology_read_caches(const struct sys *sys, struct cpu_topology *t, u32 level)
{
	vec_for_each(&t->cpus, it) {
		u32 found;

		it->cache = it->online ? cpu_cache_id(sys, it->cpu, level, &found) : -1;
		it->cache_level = it->cache < 0 ? -1 : (s32)found;
	}
}

s32 cpu_cache_id(const struct sys *sys, u32 cpu, u32 level, u32 *found_level)
{
	struct cpu_caches c = { 0 };
	s32 id = -1;

	*found_level = 0;
	read_caches_of(sys, &c, cpu);
	vec_for_each(&c.list, it) {
		if (!strcmp(it->type, "Instruction") || (level && it->level != level) ||
		    it->level < *found_level)
			continue;
		*found_level = it->level;
		id = (s32)strtol(it->cpus, NULL, 10);
	}
	cpu_caches_release(&c);
	return id;
}
