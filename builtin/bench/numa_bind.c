// SPDX-License-Identifier: GPL-2.0-or-later
/* Where tasks run and their memory is. */
#include <errno.h>
#include <linux/mempolicy.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "builtin/bench/numa.h"
#include "cli/say.h"

enum { HUGE_PAGE = 2 << 20 };

int numa_bind_memory(int node)
{
	unsigned long mask[NUMA_NODES_MAX / (8 * sizeof(unsigned long))] = { 0 };

	if (node != NO_NODE)
		mask[(unsigned)node / (8 * sizeof(mask[0]))] |=
			1UL << ((unsigned)node % (8 * sizeof(mask[0])));
	if (syscall(SYS_set_mempolicy, node == NO_NODE ? MPOL_DEFAULT : MPOL_BIND,
		    node == NO_NODE ? NULL : mask, node == NO_NODE ? 0 : NUMA_NODES_MAX + 1))
		return -errno;
	return 0;
}

static void fill(const struct numa_shared *g, u8 *p, u64 bytes)
{
	u64 *words = (u64 *)(void *)p;

	if (g->p.init_zero)
		memset(p, 0, bytes);
	else if (g->p.init_random)
		for (u64 i = 0; i < bytes / 8; i++)
			words[i] = i * 0x9e3779b97f4a7c15ULL;
}

/*
 * Fills the memory. The first touch decides on which node a page is; with --init_cpu0 that is the
 * node of CPU 0.
 */
static void touch(const struct numa_shared *g, u8 *p, u64 bytes)
{
	cpu_set_t before, zero;

	if (!g->p.init_cpu0 || sched_getaffinity(0, sizeof(before), &before)) {
		fill(g, p, bytes);
		return;
	}
	CPU_ZERO(&zero);
	for (int cpu = 0; cpu < g->cpu_count; cpu++)
		if (g->node_of_cpu[cpu] == g->node_of_cpu[0])
			CPU_SET(cpu, &zero);
	sched_setaffinity(0, sizeof(zero), &zero);
	numa_bind_memory(g->node_of_cpu[0]);
	fill(g, p, bytes);
	sched_setaffinity(0, sizeof(before), &before);
	numa_bind_memory(NO_NODE);
}

u8 *numa_memory(const struct numa_shared *g, u64 bytes, bool shared)
{
	u64 all = bytes + HUGE_PAGE, before;
	u8 *p, *start;

	if (!bytes)
		return NULL;
	p = mmap(NULL, all, PROT_READ | PROT_WRITE,
		 MAP_ANONYMOUS | (shared ? MAP_SHARED : MAP_PRIVATE), -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	start = (u8 *)ALIGN_UP((uintptr_t)p, (uintptr_t)HUGE_PAGE);
	before = (u64)(start - p);
	if (before)
		munmap(p, before);
	if (HUGE_PAGE - before)
		munmap(start + ALIGN_UP(bytes, 4096ULL), all - before - ALIGN_UP(bytes, 4096ULL));
	if (g->p.huge_pages && !shared)
		madvise(start, bytes, g->p.huge_pages > 0 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	touch(g, start, bytes);
	return start;
}

void numa_give_back(u8 *p, u64 bytes)
{
	if (p)
		munmap(p, bytes);
}

/* One part of a list: FIRST[-LAST][#STEP][_LENGTH][xTIMES]. */
struct part {
	int first, last, step, length, times;
};

static int parse_part(const char *text, struct part *p)
{
	char *end;

	*p = (struct part){ .step = 1, .length = 1, .times = 1 };
	p->first = p->last = (int)strtol(text, &end, 10);
	if (end == text)
		return -EINVAL;
	while (*end) {
		char what = *end;
		const char *number = end + 1;
		int n = (int)strtol(number, &end, 10);

		if (end == number || !strchr("-#_x", what) || n < (what == '-' ? 0 : 1) ||
		    n > 100000)
			return -EINVAL;
		*(what == '-'   ? &p->last
		  : what == '#' ? &p->step
		  : what == '_' ? &p->length
				: &p->times) = n;
	}
	return p->first < 0 || p->last < p->first ? -EINVAL : 0;
}

static void bind_cpus(struct numa_shared *g, struct numa_task *t, int first, int length)
{
	CPU_ZERO(&t->cpus);
	for (int cpu = first; cpu < first + length && cpu < g->cpu_count; cpu++)
		CPU_SET(cpu, &t->cpus);
}

static int bind_part(struct numa_shared *g, const struct part *p, bool cpus, int *next)
{
	int count = cpus ? g->cpu_count : g->node_count;

	if (p->last >= count || p->last + p->length > count + 1) {
		bench_text(g->b, "\nTest not applicable, system has only %d %s.\n", count,
			   cpus ? "CPUs" : "nodes");
		return -1;
	}
	for (int at = p->first; at <= p->last; at += p->step) {
		for (int i = 0; i < p->times; i++) {
			if (*next >= g->p.tasks) {
				bench_text(g->b, "\n# NOTE: ignoring bind %s starting at %s#%d\n",
					   cpus ? "CPUs" : "NODEs", cpus ? "CPU" : "NODE", at);
				return 0;
			}
			numa_say(g, "%s%2d", *next ? "," : "", at);
			if (cpus)
				bind_cpus(g, &g->tasks[*next], at, p->length);
			else
				g->tasks[*next].node = at;
			(*next)++;
		}
	}
	return 0;
}

static int bind_list(struct numa_shared *g, const char *list, bool cpus)
{
	struct strlist parts = { VEC_INIT };
	int next = 0, code = 0;

	if (!list)
		return 0;
	strlist_split(&parts, list, ",");
	numa_say(g, "# binding tasks to %s:\n#  ", cpus ? "CPUs" : "NODEs");
	vec_for_each(&parts.list, text) {
		struct part p;

		if (code)
			break;
		if (parse_part(*text, &p)) {
			say_error("--%s: '%s' is not a number, a range, or one with #STEP, _LENGTH "
				  "or xTIMES",
				  cpus ? "cpus" : "memnodes", *text);
			code = EXIT_USAGE;
		} else {
			code = bind_part(g, &p, cpus, &next);
		}
	}
	strlist_release(&parts);
	if (code)
		return code;
	numa_say(g, "\n");
	if (next < g->p.tasks)
		bench_text(g->b, "# NOTE: %d tasks %sbound, %d tasks unbound\n", next,
			   cpus ? "" : "mem-", g->p.tasks - next);
	return 0;
}

int numa_bind_tasks(struct numa_shared *g)
{
	int code = bind_list(g, g->p.cpus, true);

	return code ? code : bind_list(g, g->p.nodes, false);
}

void numa_say(const struct numa_shared *g, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	if (g->p.details < 0)
		return;
	va_start(ap, fmt);
	strbuf_vf(&text, fmt, ap);
	va_end(ap);
	bench_text(g->b, "%s", strbuf_cstr(&text));
	strbuf_release(&text);
}
