// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "stat/stat.h"
#include "sys/topology.h"

static struct stat_domain domain_of(enum stat_by by, s32 cpu, const struct cpu_place *p)
{
	struct stat_domain d = { .cpu = -1,
				 .core = -1,
				 .cluster = -1,
				 .die = -1,
				 .socket = -1,
				 .cache = -1,
				 .node = -1,
				 .tid = -1,
				 .cpus = 1 };

	if (by == STAT_BY_CPU)
		d.cpu = cpu;
	if (!p)
		return d;
	if (by == STAT_BY_NODE)
		d.node = p->node;
	/* ids are unique only inside the level above, so keep all of them */
	if (by != STAT_BY_CPU && by != STAT_BY_NODE && by != STAT_BY_ALL)
		d.socket = p->socket;
	if (d.socket >= 0 && by != STAT_BY_SOCKET)
		d.die = p->die < 0 ? 0 : p->die;
	if (by == STAT_BY_CLUSTER)
		d.cluster = p->cluster;
	if (by == STAT_BY_CACHE) {
		d.cache = p->cache;
		d.cache_level = p->cache_level;
	}
	if (by == STAT_BY_CORE)
		d.core = p->core;
	return d;
}

static int compare(const void *a, const void *b)
{
	const struct stat_domain *x = a, *y = b;
	const s32 pairs[][2] = { { x->node, y->node },   { x->socket, y->socket },
				 { x->die, y->die },     { x->cluster, y->cluster },
				 { x->cache, y->cache }, { x->core, y->core },
				 { x->cpu, y->cpu } };

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (pairs[i][0] != pairs[i][1])
			return pairs[i][0] < pairs[i][1] ? -1 : 1;
	return 0;
}

static void sort_distinct(struct stat_domains *d)
{
	size_t n = 0;

	vec_sort(&d->list, compare);
	for (size_t i = 0; i < d->list.count; i++) {
		if (n && !compare(&d->list.items[n - 1], &d->list.items[i]))
			d->list.items[n - 1].cpus++;
		else
			d->list.items[n++] = d->list.items[i];
	}
	d->list.count = n;
}

/* Finds which CPUs are threads of one core, for events that are counted by core. */
static void find_cores(struct stat_domains *d, const struct cpu_topology *t)
{
	for (u32 i = 0; i < d->list.count; i++) {
		struct stat_domain *a = &d->list.items[i];
		const struct cpu_place *pa =
			t && a->cpu >= 0 ? cpu_topology_find(t, (u32)a->cpu) : NULL;

		a->core_first = i;
		for (u32 k = 0; pa && k < i; k++) {
			const struct cpu_place *pb =
				cpu_topology_find(t, (u32)d->list.items[k].cpu);

			if (pb && pb->core == pa->core && pb->die == pa->die &&
			    pb->socket == pa->socket) {
				a->core_first = k;
				break;
			}
		}
	}
}

void stat_domains_of_cpus(struct stat_domains *d, enum stat_by by, const struct cpu_topology *t,
			  const s32 *cpus, size_t count)
{
	struct stat_domain *all = xcalloc(count ? count : 1, sizeof(*all));

	*d = (struct stat_domains){ .by = by, .columns = count };
	d->of_column = xcalloc(count ? count : 1, sizeof(*d->of_column));
	for (size_t i = 0; i < count; i++) {
		all[i] = domain_of(by, cpus[i],
				   t && cpus[i] >= 0 ? cpu_topology_find(t, (u32)cpus[i]) : NULL);
		vec_push(&d->list, all[i]);
	}
	sort_distinct(d);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < d->list.count; k++)
			if (!compare(&all[i], &d->list.items[k]))
				d->of_column[i] = (u32)k;
	if (by == STAT_BY_CPU)
		find_cores(d, t);
	free(all);
}

void stat_domains_of_threads(struct stat_domains *d, const s32 *tids, const char *const *comms,
			     size_t count)
{
	*d = (struct stat_domains){ .by = STAT_BY_THREAD, .columns = count };
	d->of_column = xcalloc(count ? count : 1, sizeof(*d->of_column));
	for (size_t i = 0; i < count; i++) {
		struct stat_domain one = domain_of(STAT_BY_THREAD, -1, NULL);

		one.tid = tids[i];
		one.comm = xstrdup(comms && comms[i] ? comms[i] : "");
		vec_push(&d->list, one);
		d->of_column[i] = (u32)i;
	}
}

void stat_domains_release(struct stat_domains *d)
{
	vec_for_each(&d->list, it)
		free(it->comm);
	vec_release(&d->list);
	free(d->of_column);
}
