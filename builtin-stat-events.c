// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat: which events are counted, and what this machine cannot count. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "builtin-stat.h"
#include "event/cgroup.h"
#include "event/pmu.h"
#include "sys/explain.h"

/* Stalls are counted where the CPU's PMU names such events. */
static const char *stalls(const struct stat_settings *s)
{
	static const char dir[] = "/sys/bus/event_source/devices/cpu/events";
	bool front = sys_exists(&s->sys, "%s/stalled-cycles-frontend", dir);
	bool back = sys_exists(&s->sys, "%s/stalled-cycles-backend", dir);

	return front && back ? ",stalled-cycles-frontend,stalled-cycles-backend" :
	       front	     ? ",stalled-cycles-frontend" :
	       back	     ? ",stalled-cycles-backend" :
			       "";
}

static int add_default_events(struct stat_settings *s, struct reason *r)
{
	static const char *const details[] = {
		"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
		"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,"
		"iTLB-load-misses",
		"L1-dcache-prefetches,L1-dcache-prefetch-misses",
	};
	int err = 0;

	if (s->null_run) {
		event_set_truncate(&s->set, 0);
		return 0;
	}
	if (!s->set.list.count) {
		char *text = xasprintf("%s,context-switches,cpu-migrations,page-faults,cycles%s,"
				       "instructions,branches,branch-misses",
				       s->system_wide || s->cpus ? "cpu-clock" : "task-clock",
				       stalls(s));

		err = event_parse(&s->parser, &s->set, text, r);
		free(text);
	}
	for (int i = 0; !err && i < s->detailed && i < (int)ARRAY_SIZE(details); i++)
		err = event_parse(&s->parser, &s->set, details[i], r);
	return err;
}

static void adjust_events(struct stat_settings *s)
{
	vec_for_each(&s->set.list, it) {
		struct perf_event_attr *attr = &(*it)->attr;

		if (s->all_user)
			attr->flags |= ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
		if (s->all_kernel)
			attr->flags |= ATTR_EXCLUDE_USER;
		/* nothing is sampled */
		attr->sample_type = 0;
		if (!(*it)->user_period)
			attr->sample_period = 0;
		if (s->group && it != s->set.list.items) {
			(*it)->leader = s->set.list.items[0];
			s->set.list.items[0]->members = (u32)s->set.list.count;
		}
	}
}

/* ---- what needs special hardware ---- */

static int need_hardware(struct stat_settings *s, const char *option, const char *what,
			 struct reason *r)
{
	reason_set(r, EOPNOTSUPP, "%s needs %s", option, what);
	if (!hardware_pmu_present(&s->sys))
		reason_hint(r, "%s", explain_no_hardware_pmu(&s->sys));
	return -EOPNOTSUPP;
}

static int add_transaction(struct stat_settings *s, struct reason *r)
{
	static const char dir[] = "/sys/bus/event_source/devices/cpu/events";
	bool conflicts = sys_exists(&s->sys, "%s/cycles-ct", dir) &&
			 sys_exists(&s->sys, "%s/el-start", dir);

	if (!sys_exists(&s->sys, "%s/tx-start", dir))
		return need_hardware(s, "-T", "a CPU that counts transactions (cpu/tx-start/)", r);
	return event_parse(&s->parser, &s->set,
			   conflicts ? "task-clock,{instructions,cycles,cpu/cycles-t/,cpu/tx-start/,"
				       "cpu/el-start/,cpu/cycles-ct/}" :
				       "task-clock,{instructions,cycles,cpu/cycles-t/,cpu/tx-start/}",
			   r);
}

static int add_smi_cost(struct stat_settings *s, struct reason *r)
{
	s64 frozen = 0;

	if (!sys_exists(&s->sys, "/sys/bus/event_source/devices/msr/events/smi") ||
	    sys_read_s64(&s->sys, &frozen, "/sys/bus/event_source/devices/cpu/freeze_on_smi"))
		return need_hardware(s, "--smi-cost", "an Intel CPU that counts SMIs (msr/smi/)", r);
	if (!frozen) {
		reason_set(r, EINVAL, "--smi-cost needs counters that stop in SMIs");
		reason_hint(r, "echo 1 >/sys/bus/event_source/devices/cpu/freeze_on_smi");
		return -EINVAL;
	}
	return event_parse(&s->parser, &s->set, "{msr/aperf/,msr/smi/,cycles}", r);
}

int stat_check_hardware(struct stat_settings *s, struct reason *r)
{
	if (s->bpf_counters || s->bpf_prog || s->bpf_attr_map) {
		reason_set(r, EOPNOTSUPP, "%s needs BPF, which this perf is built without",
			   s->bpf_prog	 ? "-b" :
			   s->bpf_counters ? "--bpf-counters" :
					     "--bpf-attr-map");
		return -EOPNOTSUPP;
	}
	if (s->iostat)
		return need_hardware(s, "--iostat",
				     "the I/O stacks' PMUs (uncore_iio_N) of an Intel server", r);
	return 0;
}

/* ---- all of it ---- */

/* --hybrid-merge: the same event of several kinds of cores is one row. */
static void merge_hybrid(struct stat_settings *s)
{
	size_t prefix = strlen("cpu_");

	vec_for_each(&s->set.list, it)
		vec_for_each(&s->set.list, first) {
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

int stat_choose_events(struct stat_settings *s, struct reason *r)
{
	int err = stat_check_hardware(s, r);

	if (!err && s->transaction)
		err = add_transaction(s, r);
	if (!err && s->smi_cost)
		err = add_smi_cost(s, r);
	if (!err)
		err = add_default_events(s, r);
	if (err)
		return err;
	if (s->hybrid_merge)
		merge_hybrid(s);
	adjust_events(s);
	return s->for_each_cgroup ?
		       event_set_for_each_cgroup(&s->sys, &s->set, s->for_each_cgroup, r) :
		       0;
}
