// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/list.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/names.h"
#include "event/pmu.h"
#include "sys/tracefs.h"

const char *event_kind_name(enum event_kind kind)
{
	static const char *const names[EVENT_KINDS] = {
		[EVENT_KIND_HARDWARE] = "Hardware event",
		[EVENT_KIND_SOFTWARE] = "Software event",
		[EVENT_KIND_TOOL] = "Tool event",
		[EVENT_KIND_CACHE] = "Hardware cache event",
		[EVENT_KIND_PMU] = "Kernel PMU event",
		[EVENT_KIND_RAW] = "Raw hardware event descriptor",
		[EVENT_KIND_BREAKPOINT] = "Hardware breakpoint",
		[EVENT_KIND_TRACEPOINT] = "Tracepoint event",
	};

	return names[kind];
}

static const char *keep(struct event_rows *rows, const char *s)
{
	return s ? arena_strndup(&rows->text, s, strlen(s)) : NULL;
}

static void add(struct event_rows *rows, enum event_kind kind, const char *name, const char *alias,
		const char *detail)
{
	vec_push(&rows->list, (struct event_row){ .kind = kind,
						  .name = keep(rows, name),
						  .alias = keep(rows, alias),
						  .detail = keep(rows, detail) });
}

/*
 * Reports whether an event of this process can be opened, at least without the kernel's side, which
 * a user may not be allowed to count.
 */
static bool kernel_has(struct event_rows *rows, const char *name, u32 type, u64 config)
{
	struct perf_event_attr attr = {
		.type = type, .size = ATTR_SIZE_VER7, .config = config, .flags = ATTR_DISABLED
	};
	int fd = sys_perf_event_open(&attr, 0, -1, -1, 0);

	if (fd == -EACCES || fd == -EPERM) {
		attr.flags |= ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
		fd = sys_perf_event_open(&attr, 0, -1, -1, 0);
	}
	if (fd >= 0)
		close(fd);
	else
		vec_push(&rows->left_out, (struct event_left_out){ keep(rows, name), fd });
	return fd >= 0;
}

static enum event_kind kind_of(const struct event_symbol *s)
{
	return s->tool                         ? EVENT_KIND_TOOL
	       : s->type == PERF_TYPE_HARDWARE ? EVENT_KIND_HARDWARE
					       : EVENT_KIND_SOFTWARE;
}

static void add_symbols(u32 mask, struct event_rows *rows)
{
	size_t count;
	const struct event_symbol *s = event_symbols(&count);

	for (size_t i = 0; i < count; i++)
		if (mask & 1U << kind_of(&s[i]) &&
		    (s[i].tool || kernel_has(rows, s[i].name, s[i].type, s[i].config)))
			add(rows, kind_of(&s[i]), s[i].name, s[i].alias, NULL);
}

static void add_caches(struct event_rows *rows)
{
	char buf[64];

	for (u64 cache = 0; cache < CACHE_COUNT; cache++)
		for (u64 op = 0; op < CACHE_OPERATIONS; op++)
			for (u64 result = 0; result < CACHE_RESULTS; result++) {
				u64 config = cache | op << 8 | result << 16;

				if (cache_event_name(config, buf, sizeof(buf)) &&
				    kernel_has(rows, buf, PERF_TYPE_HW_CACHE, config))
					add(rows, EVENT_KIND_CACHE, buf, NULL, NULL);
			}
}

/*
 * Adds the events of a PMU. Those of a core PMU may be named without the PMU: "NAME OR cpu/NAME/".
 */
static void add_pmu(const struct sys *sys, const char *name, struct event_rows *rows)
{
	struct pmu *pmu = pmu_load(sys, name, NULL);

	if (!pmu)
		return;
	vec_for_each(&pmu->events, e) {
		char *full = xasprintf("%s/%s/", name, e->name);

		if (pmu->core)
			add(rows, EVENT_KIND_PMU, e->name, full, e->terms);
		else
			add(rows, EVENT_KIND_PMU, full, NULL, e->terms);
		rows->list.items[rows->list.count - 1].pmu = keep(rows, name);
		rows->list.items[rows->list.count - 1].core = pmu->core;
		free(full);
	}
	pmu_free(pmu);
}

static void add_pmus(const struct sys *sys, struct event_rows *rows)
{
	struct strlist names = { 0 };

	pmu_names(sys, &names);
	vec_for_each(&names.list, it)
		add_pmu(sys, *it, rows);
	strlist_release(&names);
}

static void add_system(const struct sys *sys, const char *dir, const char *system,
		       struct event_rows *rows)
{
	struct strlist names = { 0 };
	struct strbuf name = STRBUF_INIT;
	size_t n;

	strbuf_f(&name, "%s:", system);
	n = name.len;
	tracefs_tracepoints(sys, dir, system, &names);
	vec_for_each(&names.list, it) {
		strbuf_truncate(&name, n);
		strbuf_str(&name, *it);
		add(rows, EVENT_KIND_TRACEPOINT, name.s, NULL, NULL);
	}
	strbuf_release(&name);
	strlist_release(&names);
}

static void add_tracepoints(const struct sys *sys, struct event_rows *rows)
{
	char *dir = tracefs_find(sys, NULL);
	struct strlist systems = { 0 };

	if (dir && !tracefs_systems(sys, dir, &systems))
		vec_for_each(&systems.list, it)
			add_system(sys, dir, *it, rows);
	strlist_release(&systems);
	free(dir);
}

static int by_kind_and_name(const void *a, const void *b)
{
	const struct event_row *x = a, *y = b;
	int order = x->kind != y->kind ? (int)x->kind - (int)y->kind : strcmp(x->name, y->name);

	/* the same name on several kinds of cores */
	return order || !x->alias || !y->alias ? order : strcmp(x->alias, y->alias);
}

void event_rows_collect(const struct sys *sys, u32 mask, struct event_rows *rows)
{
	memset(rows, 0, sizeof(*rows));
	add_symbols(mask, rows);
	if (mask & 1U << EVENT_KIND_CACHE)
		add_caches(rows);
	if (mask & 1U << EVENT_KIND_PMU)
		add_pmus(sys, rows);
	if (mask & 1U << EVENT_KIND_RAW) {
		add(rows, EVENT_KIND_RAW, "rNNN", NULL, NULL);
		add(rows, EVENT_KIND_RAW, "cpu/t1=v1[,t2=v2,t3 ...]/modifier", NULL, NULL);
	}
	if (mask & 1U << EVENT_KIND_BREAKPOINT)
		add(rows, EVENT_KIND_BREAKPOINT, "mem:<addr>[/len][:access]", NULL, NULL);
	if (mask & 1U << EVENT_KIND_TRACEPOINT)
		add_tracepoints(sys, rows);
	vec_sort(&rows->list, by_kind_and_name);
}

void event_rows_release(struct event_rows *rows)
{
	vec_release(&rows->list);
	vec_release(&rows->left_out);
	arena_release(&rows->text);
}

static bool one_matches(const char *name, const char *pattern)
{
	return name && !fnmatch(pattern, name, FNM_CASEFOLD);
}

bool event_row_matches(const struct event_row *row, const char *pattern)
{
	char *any = strchr(pattern, ':') ? NULL : xasprintf("*%s*", pattern);
	bool fits = one_matches(row->name, any ? any : pattern) ||
		    one_matches(row->alias, any ? any : pattern);

	free(any);
	return fits;
}
