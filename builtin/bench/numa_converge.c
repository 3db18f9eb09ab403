// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How far tasks have come together: each process on one node. Numbers of a line: for each node,
 * tasks and processes that are there; [the most less the least of tasks / processes over nodes].
 */
#include <string.h>

#include "builtin/bench/numa.h"

static int node_of(const struct numa_shared *g, const struct numa_task *t)
{
	return t->cpu >= 0 && t->cpu < NUMA_CPUS_MAX ? g->node_of_cpu[t->cpu] : NO_NODE;
}

static int processes_on(const struct numa_shared *g, int node)
{
	int count = 0;

	for (int p = 0; p < g->p.processes; p++)
		for (int t = 0; t < g->p.threads; t++)
			if (node_of(g, &g->tasks[p * g->p.threads + t]) == node) {
				count++;
				break;
			}
	return count;
}

static int nodes_of(const struct numa_shared *g, int process)
{
	u64 seen = 0;

	for (int t = 0; t < g->p.threads; t++) {
		int node = node_of(g, &g->tasks[process * g->p.threads + t]);

		if (node < 0)
			return 0;
		seen |= BIT64(node);
	}
	return __builtin_popcountll(seen);
}

/* Reports whether each process is on one node. */
static bool compressed(const struct numa_shared *g)
{
	int least = NUMA_NODES_MAX, most = 0;

	for (int p = 0; p < g->p.processes; p++) {
		int nodes = nodes_of(g, p);

		if (!nodes)
			return false;
		least = MIN(least, nodes);
		most = MAX(most, nodes);
	}
	if (least == 1 && most == 1)
		return true;
	numa_say(g, " {%d-%d}", least, most);
	return false;
}

static void put_loops(const struct numa_shared *g)
{
	u64 least = UINT64_MAX, most = 0;

	for (int i = 0; i < g->p.tasks; i++) {
		least = MIN(least, g->tasks[i].loops);
		most = MAX(most, g->tasks[i].loops);
	}
	numa_say(g, " l:%3" PRIu64 "-%-3" PRIu64 " (%3" PRIu64 ")", least, most, most - least);
	if (least && most)
		numa_say(g, " [%4.1f%%]", (1.0 - (double)least / (double)most) * 100);
}

/*
 * Prints how the processes are spread over the nodes. Returns how many pairs of a process and one
 * of its nodes there are: as many as processes if each is on one node.
 */
static int put_nodes(const struct numa_shared *g)
{
	int least = g->p.tasks, most = 0, groups = 0;

	for (int node = 0; node < g->node_count; node++) {
		int tasks = 0, processes;

		if (!g->node_present[node])
			continue;
		for (int i = 0; i < g->p.tasks; i++)
			tasks += node_of(g, &g->tasks[i]) == node;
		processes = processes_on(g, node);
		numa_say(g, " %2d/%-2d", tasks, processes);
		least = MIN(least, tasks);
		most = MAX(most, tasks);
		groups += processes;
	}
	numa_say(g, " [%2d/%-2d]", most - least, groups);
	return groups;
}

static void converge(struct numa_shared *g, u64 ns, double *converged)
{
	int groups = put_nodes(g);
	double seconds = (double)ns / 1e9;

	put_loops(g);
	if (compressed(g) && groups == g->p.processes) {
		if (*converged > 0)
			return;
		*converged = seconds;
		numa_say(g, " (%6.1fs converged)\n", seconds);
		if (g->p.measure_convergence)
			atomic_store(&g->stop, true);
		return;
	}
	if (*converged > 0)
		numa_say(g, " (%6.1fs de-converged)", seconds);
	*converged = 0;
	numa_say(g, "\n");
}

void numa_progress(struct numa_shared *g, u64 ns, u64 loop, double *converged)
{
	numa_say(g, "\r #  %5.1f%%  [%.1f mins]", (double)(loop + 1) / g->p.loops * 100,
		 (double)ns / 6e10);
	if (g->p.show_convergence || g->p.measure_convergence)
		converge(g, ns, converged);
}
