// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat: which events are counted, and what this machine cannot count. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
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
		("L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,"
		 "iTLB-load-misses"),
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
		/* nothing is sampled, whatever period an event's text has for perf record */
		attr->sample_type = 0;
		attr->sample_period = 0;
		attr->flags &= ~ATTR_FREQ;
	}
	if (s->group)
		event_set_lead(&s->set, 0, s->set.list.count);
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

static int check_transaction(struct stat_settings *s, struct reason *r)
{
	static const char dir[] = "/sys/bus/event_source/devices/cpu/events";

	if (!sys_exists(&s->sys, "%s/tx-start", dir) || !sys_exists(&s->sys, "%s/cycles-t", dir))
		return need_hardware(s, "-T", "a CPU that counts transactions (cpu/tx-start/)", r);
	return 0;
}

/* Not every CPU with transactions counts those that were committed, or elided locks. */
static int add_transaction(struct stat_settings *s, struct reason *r)
{
	static const char dir[] = "/sys/bus/event_source/devices/cpu/events";
	int err = metric_set_add(&s->metrics, &s->parser, &s->set,
				 "transactional_cycles,cycles_per_transaction", r);

	if (!err && sys_exists(&s->sys, "%s/cycles-ct", dir))
		err = metric_set_add(&s->metrics, &s->parser, &s->set, "aborted_cycles", r);
	if (!err && sys_exists(&s->sys, "%s/el-start", dir))
		err = metric_set_add(&s->metrics, &s->parser, &s->set, "cycles_per_elision", r);
	return err;
}

static int write_freeze_on_smi(const struct stat_settings *s, const char *text)
{
	char *path = sys_path(&s->sys, "/sys/bus/event_source/devices/cpu/freeze_on_smi");
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		err = -errno;
	else
		err = write_all(fd, text, strlen(text));
	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}

static int check_smi_cost(struct stat_settings *s, struct reason *r)
{
	s64 frozen = 0;

	if (!sys_exists(&s->sys, "/sys/bus/event_source/devices/msr/events/smi") ||
	    sys_read_s64(&s->sys, &frozen, "/sys/bus/event_source/devices/cpu/freeze_on_smi"))
		return need_hardware(s, "--smi-cost", "an Intel CPU that counts SMIs (msr/smi/)", r);
	s->to_freeze = !frozen;
	return 0;
}

int stat_freeze(struct stat_settings *s, struct reason *r)
{
	int err;

	if (!s->to_freeze)
		return 0;
	s->frozen_on_smi = true;
	err = write_freeze_on_smi(s, "1");
	if (err) {
		s->frozen_on_smi = false;
		reason_errno(r, -err, "--smi-cost cannot let the counters stop in SMIs");
		reason_hint(r, "as root: echo 1 >/sys/bus/event_source/devices/cpu/freeze_on_smi");
	}
	return err;
}

void stat_thaw(struct stat_settings *s)
{
	if (s->frozen_on_smi)
		write_freeze_on_smi(s, "0");
	s->frozen_on_smi = false;
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
	if (s->iostat) {
		int err = iostat_find_ports(s, r);

		return err == -EOPNOTSUPP ?
			       need_hardware(s, "--iostat",
					     "the I/O stacks' PMUs (uncore_iio_N) of an Intel server", r) :
			       err;
	}
	return 0;
}

/* A counter of a package's own units knows no tasks. */
int stat_check_uncore(const struct stat_settings *s, struct reason *r)
{
	vec_for_each(&s->set.list, it) {
		const struct event *ev = *it;

		if (!ev->pmu || !sys_exists(&s->sys, "/sys/bus/event_source/devices/%s/cpumask", ev->pmu))
			continue;
		reason_set(r, EINVAL, "'%s' counts for all that runs on a package, not for a task", ev->name);
		reason_hint(r, "give -a, and the whole system is counted as long as the command runs");
		return -EINVAL;
	}
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

static bool any_in_group(const struct metric_set *m, const char *group)
{
	vec_for_each(&m->catalogue.list, it)
		if (metric_in_group(it, group))
			return true;
	return false;
}

/* --topdown is a metric group, shown alone. */
static int add_topdown(struct stat_settings *s, struct reason *r)
{
	char *group = xasprintf("TopdownL%d", s->topdown_level ? s->topdown_level : 1);
	int err;

	if (any_in_group(&s->metrics, group) && hardware_pmu_present(&s->sys))
		err = metric_set_add(&s->metrics, &s->parser, &s->set, group, r);
	else
		err = need_hardware(s, "--topdown", "a CPU model with known topdown metrics", r);
	free(group);
	return err;
}

static int add_metrics(struct stat_settings *s, struct reason *r)
{
	bool wanted = s->metric_names.list.count || s->topdown || s->transaction || s->smi_cost;
	int err = wanted ? metric_set_init(&s->metrics, &s->sys, r) : 0;

	/* metrics of their own, shown alone unless --no-metric-only asks for the counts */
	if ((s->topdown || s->smi_cost) && !s->metric_only_given)
		s->metric_only = true;
	s->metrics.no_group = s->metric_no_group;
	s->metrics.no_merge = s->metric_no_merge;
	s->metrics.no_threshold = s->metric_no_threshold;
	vec_for_each(&s->metric_names.list, it)
		if (!err)
			err = metric_set_add(&s->metrics, &s->parser, &s->set, *it, r);
	if (!err && s->transaction)
		err = add_transaction(s, r);
	if (!err && s->smi_cost)
		err = metric_set_add(&s->metrics, &s->parser, &s->set, "smi", r);
	return !err && s->topdown ? add_topdown(s, r) : err;
}

int stat_choose_events(struct stat_settings *s, struct reason *r)
{
	int err = stat_check_hardware(s, r);

	if (!err && s->transaction)
		err = check_transaction(s, r);
	if (!err && s->smi_cost)
		err = check_smi_cost(s, r);
	if (!err)
		err = add_metrics(s, r);
	if (!err && s->iostat)
		err = iostat_add_events(s, r);
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
