// SPDX-License-Identifier: GPL-2.0-or-later
/* Feature sections and user records, built from plain facts. */
#include <string.h>

#include "base/perf_abi.h"
#include "data/feature_build.h"
#include "data/writer.h"

/* Sets a feature from b and empties b. */
static void put(struct data_writer *w, unsigned feature, struct strbuf *b)
{
	data_feature_set(w, feature, b->s, b->len);
	strbuf_release(b);
}

static void put_text(struct data_writer *w, unsigned feature, const char *s)
{
	if (s)
		data_feature_set_string(w, feature, s);
}

static void put_cmdline(struct data_writer *w, const struct data_facts *f)
{
	struct strbuf b = STRBUF_INIT;

	if (!f->argc)
		return;
	feature_add_u32(&b, (u32)f->argc);
	for (size_t i = 0; i < f->argc; i++)
		feature_add_text(&b, f->argv[i]);
	put(w, FEATURE_CMDLINE, &b);
}

static void add_lists(struct strbuf *b, const char *const *lists, size_t n)
{
	feature_add_u32(b, (u32)n);
	for (size_t i = 0; i < n; i++)
		feature_add_text(b, lists[i]);
}

static void put_topology(struct data_writer *w, const struct data_facts *f)
{
	const struct data_topology *t = &f->topology;
	struct strbuf b = STRBUF_INIT;

	if (!t->package_count || !t->cpus)
		return;
	add_lists(&b, t->packages, t->package_count);
	add_lists(&b, t->cores, t->core_count);
	for (u32 i = 0; i < f->cpus_available; i++) {
		feature_add_u32(&b, t->cpus[i].core);
		feature_add_u32(&b, t->cpus[i].package);
	}
	if (t->die_count) {
		add_lists(&b, t->dies, t->die_count);
		for (u32 i = 0; i < f->cpus_available; i++)
			feature_add_u32(&b, t->cpus[i].die);
	}
	put(w, FEATURE_CPU_TOPOLOGY, &b);
}

static void put_nodes(struct data_writer *w, const struct data_facts *f)
{
	struct strbuf b = STRBUF_INIT;

	if (!f->node_count)
		return;
	feature_add_u32(&b, (u32)f->node_count);
	for (size_t i = 0; i < f->node_count; i++) {
		feature_add_u32(&b, f->nodes[i].node);
		feature_add_u64(&b, f->nodes[i].memory_total);
		feature_add_u64(&b, f->nodes[i].memory_free);
		feature_add_text(&b, f->nodes[i].cpus);
	}
	put(w, FEATURE_NUMA_TOPOLOGY, &b);
}

static void put_pmus(struct data_writer *w, const struct data_facts *f)
{
	struct strbuf b = STRBUF_INIT;

	if (!f->pmu_count)
		return;
	feature_add_u32(&b, (u32)f->pmu_count);
	for (size_t i = 0; i < f->pmu_count; i++) {
		feature_add_u32(&b, f->pmus[i].type);
		feature_add_text(&b, f->pmus[i].name);
	}
	put(w, FEATURE_PMU_MAPPINGS, &b);
}

static void put_caches(struct data_writer *w, const struct data_facts *f)
{
	struct strbuf b = STRBUF_INIT;

	if (!f->cache_count)
		return;
	feature_add_u32(&b, 1); /* version */
	feature_add_u32(&b, (u32)f->cache_count);
	for (size_t i = 0; i < f->cache_count; i++) {
		const struct data_cache *c = &f->caches[i];

		feature_add_u32(&b, c->level);
		feature_add_u32(&b, c->line_size);
		feature_add_u32(&b, c->sets);
		feature_add_u32(&b, c->ways);
		feature_add_text(&b, c->type);
		feature_add_text(&b, c->size);
		feature_add_text(&b, c->cpus);
	}
	put(w, FEATURE_CACHE, &b);
}

/* Adds a node's blocks as a bit map: its size in bits twice, then its words. */
static void add_memory_node(struct strbuf *b, const struct data_memory *m)
{
	u64 size = m->block_count ? (u64)m->blocks[m->block_count - 1] + 1 : 0;
	size_t words = (size + 63) / 64;
	u64 *map = xcalloc(words + 1, 8);

	for (size_t i = 0; i < m->block_count; i++)
		map[m->blocks[i] / 64] |= BIT64(m->blocks[i] % 64);
	feature_add_u64(b, m->node);
	feature_add_u64(b, size);
	feature_add_u64(b, size);
	strbuf_add(b, map, words * 8);
	free(map);
}

static void put_memory(struct data_writer *w, const struct data_facts *f)
{
	struct strbuf b = STRBUF_INIT;

	if (!f->memory_count || !f->memory_block_size)
		return;
	feature_add_u64(&b, 1); /* version */
	feature_add_u64(&b, f->memory_block_size);
	feature_add_u64(&b, f->memory_count);
	for (size_t i = 0; i < f->memory_count; i++)
		add_memory_node(&b, &f->memory[i]);
	put(w, FEATURE_MEM_TOPOLOGY, &b);
}

static void add_caps(struct strbuf *b, const struct data_pmu_caps *p)
{
	feature_add_u32(b, (u32)p->cap_count);
	for (size_t i = 0; i < p->cap_count; i++) {
		feature_add_text(b, p->caps[i].name);
		feature_add_text(b, p->caps[i].value);
	}
}

static void put_pmu_caps(struct data_writer *w, const struct data_facts *f)
{
	struct strbuf cpu = STRBUF_INIT, rest = STRBUF_INIT, all = STRBUF_INIT;
	u32 others = 0;

	for (size_t i = 0; i < f->pmu_caps_count; i++) {
		const struct data_pmu_caps *p = &f->pmu_caps[i];

		if (!strcmp(p->pmu, "cpu")) {
			add_caps(&cpu, p);
			continue;
		}
		add_caps(&rest, p);
		feature_add_text(&rest, p->pmu);
		others++;
	}
	if (cpu.len)
		put(w, FEATURE_CPU_PMU_CAPS, &cpu);
	if (others) {
		feature_add_u32(&all, others);
		strbuf_add(&all, rest.s, rest.len);
		put(w, FEATURE_PMU_CAPS, &all);
	}
	strbuf_release(&rest);
}

void data_set_facts(struct data_writer *w, const struct data_facts *f)
{
	u32 cpus[2] = { f->cpus_available, f->cpus_online };

	put_text(w, FEATURE_HOSTNAME, f->hostname);
	put_text(w, FEATURE_OSRELEASE, f->release);
	put_text(w, FEATURE_VERSION, f->version);
	put_text(w, FEATURE_ARCH, f->arch);
	put_text(w, FEATURE_CPUDESC, f->cpu_description);
	put_text(w, FEATURE_CPUID, f->cpuid);
	if (f->cpus_available)
		data_feature_set(w, FEATURE_NRCPUS, cpus, sizeof(cpus));
	if (f->memory_total)
		data_feature_set(w, FEATURE_TOTAL_MEM, &f->memory_total, 8);
	put_cmdline(w, f);
	put_topology(w, f);
	put_nodes(w, f);
	put_pmus(w, f);
	put_caches(w, f);
	put_memory(w, f);
	put_pmu_caps(w, f);
}

static void put_event_desc(struct data_writer *w, const struct event_set *set)
{
	struct strbuf b = STRBUF_INIT;

	feature_add_u32(&b, (u32)set->list.count);
	feature_add_u32(&b, ATTR_SIZE_VER7);
	vec_for_each(&set->list, e) {
		const struct event *ev = *e;
		struct perf_event_attr attr = ev->attr;

		attr.size = ATTR_SIZE_VER7;
		attr.flags = attr_flags_of_host(attr.flags);
		strbuf_add(&b, &attr, ATTR_SIZE_VER7);
		feature_add_u32(&b, (u32)ev->ids.count);
		feature_add_text(&b, ev->name ? ev->name : "");
		strbuf_add(&b, ev->ids.items, 8 * ev->ids.count);
	}
	put(w, FEATURE_EVENT_DESC, &b);
}

static void put_group_desc(struct data_writer *w, const struct event_set *set)
{
	struct strbuf b = STRBUF_INIT, all = STRBUF_INIT;
	u32 groups = 0;

	vec_for_each(&set->list, e) {
		const struct event *ev = *e;

		if (ev->leader != ev || ev->members < 2)
			continue;
		feature_add_text(&b, ev->group_name ? ev->group_name : "{anon_group}");
		feature_add_u32(&b, ev->index);
		feature_add_u32(&b, ev->members);
		groups++;
	}
	if (groups) {
		feature_add_u32(&all, groups);
		strbuf_add(&all, b.s, b.len);
		put(w, FEATURE_GROUP_DESC, &all);
	}
	strbuf_release(&b);
}

void data_set_events(struct data_writer *w, const struct event_set *set)
{
	put_event_desc(w, set);
	put_group_desc(w, set);
}

void data_set_sample_time(struct data_writer *w, u64 first, u64 last)
{
	u64 times[2] = { first, last };

	data_feature_set(w, FEATURE_SAMPLE_TIME, times, sizeof(times));
}

void data_set_clock(struct data_writer *w, u32 clockid, u64 resolution, u64 wall_ns, u64 clock_ns)
{
	struct strbuf b = STRBUF_INIT;

	data_feature_set(w, FEATURE_CLOCKID, &resolution, 8);
	feature_add_u32(&b, 1); /* version */
	feature_add_u32(&b, clockid);
	feature_add_u64(&b, wall_ns);
	feature_add_u64(&b, clock_ns);
	put(w, FEATURE_CLOCK_DATA, &b);
}
