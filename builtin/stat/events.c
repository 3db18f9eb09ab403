// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat: which events are counted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "builtin/stat/internal.h"
#include "event/cgroup.h"
#include "event/pmu.h"
#include "sys/explain.h"

/* Returns the events of stalls, where the CPU's PMU names such events. */
static const char *stalls(const struct stat_events *e)
{
	static const char dir[] = "/sys/bus/event_source/devices/cpu/events";
	bool front = sys_exists(&e->sys, "%s/stalled-cycles-frontend", dir);
	bool back = sys_exists(&e->sys, "%s/stalled-cycles-backend", dir);

	return front && back ? ",stalled-cycles-frontend,stalled-cycles-backend"
	       : front       ? ",stalled-cycles-frontend"
	       : back        ? ",stalled-cycles-backend"
			     : "";
}

static int add_default_events(const struct stat_request *ask, struct stat_events *e,
			      struct reason *r)
{
	static const char *const details[] = {
		"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
		("L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,"
		 "iTLB-load-misses"),
		"L1-dcache-prefetches,L1-dcache-prefetch-misses",
	};
	int err = 0;

	if (ask->null_run) {
		event_set_truncate(&e->set, 0);
		return 0;
	}
	if (!e->set.list.count) {
		char *text = xasprintf("%s,context-switches,cpu-migrations,page-faults,cycles%s,"
				       "instructions,branches,branch-misses",
				       ask->system_wide || ask->cpus ? "cpu-clock" : "task-clock",
				       stalls(e));

		err = event_parse(&e->parser, &e->set, text, r);
		free(text);
	}
	for (int i = 0; !err && i < ask->detailed && i < (int)ARRAY_SIZE(details); i++)
		err = event_parse(&e->parser, &e->set, details[i], r);
	return err;
}

static void adjust_events(const struct stat_request *ask, struct stat_events *e)
{
	vec_for_each(&e->set.list, it) {
		struct perf_event_attr *attr = &(*it)->attr;

		if (ask->all_user)
			attr->flags |= ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
		if (ask->all_kernel)
			attr->flags |= ATTR_EXCLUDE_USER;
		/* nothing is sampled, even if an event's text has a period for perf record */
		attr->sample_type = 0;
		attr->sample_period = 0;
		attr->flags &= ~ATTR_FREQ;
	}
	if (ask->group)
		event_set_lead(&e->set, 0, e->set.list.count);
}

/* Adds the metrics of transactions. Not every CPU counts committed transactions or elided locks. */
static int add_transaction(struct stat_events *e, struct reason *r)
{
	static const char dir[] = "/sys/bus/event_source/devices/cpu/events";
	int err = metric_set_add(&e->metrics, &e->parser, &e->set,
				 "transactional_cycles,cycles_per_transaction", r);

	if (!err && sys_exists(&e->sys, "%s/cycles-ct", dir))
		err = metric_set_add(&e->metrics, &e->parser, &e->set, "aborted_cycles", r);
	if (!err && sys_exists(&e->sys, "%s/el-start", dir))
		err = metric_set_add(&e->metrics, &e->parser, &e->set, "cycles_per_elision", r);
	return err;
}

bool stat_is_uncore(const struct stat_events *e, const struct event *ev)
{
	return ev->pmu && sys_exists(&e->sys, "/sys/bus/event_source/devices/%s/cpumask", ev->pmu);
}

int stat_check_uncore(const struct stat_events *e, struct reason *r)
{
	vec_for_each(&e->set.list, it) {
		const struct event *ev = *it;

		if (!stat_is_uncore(e, ev))
			continue;
		reason_set(r, EINVAL, "'%s' counts what runs on a whole package, not a task",
			   ev->name);
		reason_hint(r, "with -a the whole system is counted while the command runs");
		return -EINVAL;
	}
	return 0;
}

/* Joins the same event of several kinds of cores into one row, for --hybrid-merge. */
static void merge_hybrid(struct stat_events *e)
{
	size_t prefix = strlen("cpu_");

	vec_for_each(&e->set.list, it)
		vec_for_each(&e->set.list, first) {
			const char *a = (*first)->pmu, *b = (*it)->pmu;

			if (first >= it)
				break;
			if (!a || !b || strncmp(a, "cpu_", prefix) || strncmp(b, "cpu_", prefix) ||
			    (*first)->attr.type != (*it)->attr.type ||
			    (u32)(*first)->attr.config != (u32)(*it)->attr.config)
				continue;
			(*first)->instance_of = (*it)->instance_of = *first;
			break;
		}
}

static bool any_in_group(const struct metric_set *m, const char *group)
{
	vec_for_each(&m->catalogue.list, it)
		if (metric_in_group(it, group))
			return true;
	return false;
}

/* Adds --topdown, a metric group that is shown alone. */
static int add_topdown(const struct stat_request *ask, struct stat_events *e, struct reason *r)
{
	char *group = xasprintf("TopdownL%d", ask->topdown_level ? ask->topdown_level : 1);
	int err;

	if (any_in_group(&e->metrics, group) && hardware_pmu_present(&e->sys))
		err = metric_set_add(&e->metrics, &e->parser, &e->set, group, r);
	else
		err = stat_need_hardware(e, "--topdown", "a CPU model with known topdown metrics",
					 r);
	free(group);
	return err;
}

static int add_metrics(const struct stat_request *ask, struct stat_events *e, struct reason *r)
{
	bool wanted =
		ask->metric_names.list.count || ask->topdown || ask->transaction || ask->smi_cost;
	int err = wanted ? metric_set_init(&e->metrics, &e->sys, r) : 0;

	e->metrics.no_group = ask->metric_no_group;
	e->metrics.no_merge = ask->metric_no_merge;
	e->metrics.no_threshold = ask->metric_no_threshold;
	vec_for_each(&ask->metric_names.list, it)
		if (!err)
			err = metric_set_add(&e->metrics, &e->parser, &e->set, *it, r);
	if (!err && ask->transaction)
		err = add_transaction(e, r);
	if (!err && ask->smi_cost)
		err = metric_set_add(&e->metrics, &e->parser, &e->set, "smi", r);
	return !err && ask->topdown ? add_topdown(ask, e, r) : err;
}

int stat_choose_events(struct stat_session *q, struct reason *r)
{
	const struct stat_request *ask = &q->ask;
	struct stat_events *e = &q->events;
	int err = stat_check_hardware(q, r);

	if (!err)
		err = add_metrics(ask, e, r);
	if (!err && ask->iostat)
		err = iostat_add_events(e, r);
	if (!err)
		err = add_default_events(ask, e, r);
	if (err)
		return err;
	if (ask->hybrid_merge)
		merge_hybrid(e);
	adjust_events(ask, e);
	if (ask->for_each_cgroup)
		err = event_set_for_each_cgroup(&e->sys, &e->set, ask->for_each_cgroup, r);
	if (!err && ask->user)
		err = stat_settle_user(q, r);
	return err ? err : stat_bpf_choose(q, r);
}
