// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The header's facts: what util/sys knows about this machine, in the form in which util/data writes
 * it.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/version.h"
#include "event/tracing_data.h"
#include "record/record.h"
#include "sys/facts.h"
#include "sys/topology.h"

/* Everything that data_facts points into, until it is written. */
struct fact_store {
	const struct sys *sys; /* NULL: this host */
	struct machine_facts machine;
	struct cpu_topology topology;
	struct numa_topology numa;
	struct cpu_caches caches;
	struct pmu_mappings pmus;
	struct memory_topology memory;
	struct data_cpu *cpus;
	struct data_node *nodes;
	struct data_pmu *pmu_rows;
	struct data_cache *cache_rows;
	struct data_memory *memory_rows;
	struct pmu_caps *caps; /* by PMU */
	struct data_pmu_caps *caps_rows;
};

static void set_machine(struct fact_store *s, struct data_facts *f)
{
	if (machine_facts_read(s->sys, &s->machine, NULL))
		return;
	f->hostname = s->machine.hostname;
	f->release = s->machine.release;
	f->arch = s->machine.arch;
	f->cpu_description = s->machine.cpu_description;
	f->cpuid = s->machine.cpuid;
	f->cpus_online = s->machine.cpus_online;
	f->cpus_available = s->machine.cpus_available;
	f->memory_total = s->machine.memory_total;
}

static void set_topology(struct fact_store *s, struct data_facts *f)
{
	struct data_topology *t = &f->topology;

	if (cpu_topology_read(s->sys, &s->topology, NULL))
		return;
	t->packages = (const char *const *)s->topology.packages.list.items;
	t->package_count = s->topology.packages.list.count;
	t->cores = (const char *const *)s->topology.cores.list.items;
	t->core_count = s->topology.cores.list.count;
	t->dies = (const char *const *)s->topology.dies.list.items;
	t->die_count = s->topology.dies.list.count;
	s->cpus = xcalloc(f->cpus_available + 1, sizeof(*s->cpus));
	vec_for_each(&s->topology.cpus, c)
		if (c->cpu < f->cpus_available)
			s->cpus[c->cpu] =
				(struct data_cpu){ (u32)c->core, (u32)c->socket, (u32)c->die };
	t->cpus = s->cpus;
}

static void set_nodes(struct fact_store *s, struct data_facts *f)
{
	if (numa_topology_read(s->sys, &s->numa))
		return;
	s->nodes = xcalloc(s->numa.nodes.count + 1, sizeof(*s->nodes));
	vec_for_each(&s->numa.nodes, n)
		s->nodes[f->node_count++] =
			(struct data_node){ n->node, n->memory_total, n->memory_free, n->cpus };
	f->nodes = s->nodes;
}

static void set_caches(struct fact_store *s, struct data_facts *f)
{
	if (cpu_caches_read(s->sys, &s->caches))
		return;
	s->cache_rows = xcalloc(s->caches.list.count + 1, sizeof(*s->cache_rows));
	vec_for_each(&s->caches.list, c)
		s->cache_rows[f->cache_count++] = (struct data_cache){
			.level = c->level,
			.line_size = c->line_size,
			.sets = c->sets,
			.ways = c->ways,
			.type = c->type,
			.size = c->size,
			.cpus = c->cpus,
		};
	f->caches = s->cache_rows;
}

static void set_memory(struct fact_store *s, struct data_facts *f)
{
	if (memory_topology_read(s->sys, &s->memory))
		return;
	f->memory_block_size = s->memory.block_size;
	s->memory_rows = xcalloc(s->memory.nodes.count + 1, sizeof(*s->memory_rows));
	vec_for_each(&s->memory.nodes, n)
		s->memory_rows[f->memory_count++] =
			(struct data_memory){ n->node, n->blocks.items, n->blocks.count };
	f->memory = s->memory_rows;
}

static void set_caps(struct fact_store *s, struct data_facts *f, size_t pmu)
{
	struct pmu_caps *caps = &s->caps[pmu];
	struct data_cap *rows;
	size_t n = 0;

	if (pmu_caps_read(s->sys, s->pmus.list.items[pmu].name, caps) || !caps->list.count)
		return;
	rows = xcalloc(caps->list.count, sizeof(*rows));
	vec_for_each(&caps->list, c)
		rows[n++] = (struct data_cap){ c->name, c->value };
	s->caps_rows[f->pmu_caps_count++] =
		(struct data_pmu_caps){ s->pmus.list.items[pmu].name, rows, n };
}

static void set_pmus(struct fact_store *s, struct data_facts *f)
{
	if (pmu_mappings_read(s->sys, &s->pmus))
		return;
	s->pmu_rows = xcalloc(s->pmus.list.count + 1, sizeof(*s->pmu_rows));
	s->caps = xcalloc(s->pmus.list.count + 1, sizeof(*s->caps));
	s->caps_rows = xcalloc(s->pmus.list.count + 1, sizeof(*s->caps_rows));
	vec_for_each(&s->pmus.list, p)
		s->pmu_rows[f->pmu_count++] = (struct data_pmu){ p->type, p->name };
	for (size_t i = 0; i < s->pmus.list.count; i++)
		set_caps(s, f, i);
	f->pmus = s->pmu_rows;
	f->pmu_caps = s->caps_rows;
}

static void release_facts(struct fact_store *s, const struct data_facts *f)
{
	for (size_t i = 0; i < f->pmu_caps_count; i++)
		free((void *)f->pmu_caps[i].caps);
	for (size_t i = 0; i < s->pmus.list.count; i++)
		pmu_caps_release(&s->caps[i]);
	machine_facts_release(&s->machine);
	cpu_topology_release(&s->topology);
	numa_topology_release(&s->numa);
	cpu_caches_release(&s->caches);
	pmu_mappings_release(&s->pmus);
	memory_topology_release(&s->memory);
	free(s->cpus);
	free(s->nodes);
	free(s->pmu_rows);
	free(s->cache_rows);
	free(s->memory_rows);
	free(s->caps);
	free(s->caps_rows);
}

static void set_tracing_data(struct recorder *rec)
{
	struct strbuf b = STRBUF_INIT;
	struct reason why = REASON_INIT;
	bool any = false;

	vec_for_each(&rec->set->list, it)
		any |= event_is_tracepoint(*it);
	if (any && !tracing_data_collect(rec->set, &b, &why))
		data_feature_set(rec->writer, FEATURE_TRACING_DATA, b.s, b.len);
	else if (any)
		condition_add(&rec->ctx->conditions, CONDITION_WARNING, "no-tracing-data", NULL,
			      NULL, 1, why.hint, "tracepoints will have no text: %s",
			      why.text ? why.text : "their formats are not readable");
	reason_release(&why);
	strbuf_release(&b);
}

static void set_clock(struct recorder *rec)
{
	clockid_t id = rec->settings->clockid;
	struct timespec resolution = { 0 };

	if (!rec->settings->use_clockid || clock_getres(id, &resolution))
		return;
	data_set_clock(rec->writer, (u32)id,
		       (u64)resolution.tv_sec * 1000000000 + (u64)resolution.tv_nsec,
		       clock_ns(CLOCK_REALTIME), clock_ns(id));
}

void record_bpf_features(struct recorder *rec)
{
	struct bpf_programs *p = &rec->programs;

	if (!(record_tracking_event(rec->set)->attr.flags & ATTR_BPF_EVENT))
		return;
	bpf_programs_update(p);
	if (p->count)
		data_feature_set(rec->writer, FEATURE_BPF_PROG_INFO, p->infos.s, p->infos.len);
	if (p->btf_ids.count)
		data_feature_set(rec->writer, FEATURE_BPF_BTF, p->btfs.s, p->btfs.len);
}

void record_features(struct recorder *rec, int argc, const char **argv)
{
	struct data_facts f = { .version = PERF_VERSION, .argv = argv, .argc = (size_t)argc };
	struct fact_store s = { .sys = rec->sys };

	set_machine(&s, &f);
	set_topology(&s, &f);
	set_nodes(&s, &f);
	set_caches(&s, &f);
	set_memory(&s, &f);
	set_pmus(&s, &f);
	data_set_facts(rec->writer, &f);
	data_set_events(rec->writer, record_written_set(rec));
	if (rec->settings->branch_filter || rec->settings->call_graph == CALL_GRAPH_LBR)
		data_feature_set(rec->writer, FEATURE_BRANCH_STACK, "", 0);
	set_tracing_data(rec);
	record_bpf_features(rec);
	set_clock(rec);
	release_facts(&s, &f);
}
