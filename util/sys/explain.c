// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/explain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sys/facts.h"
#include "sys/obstacles.h"
#include "sys/topology.h"

bool hardware_pmu_present(const struct sys *sys)
{
	/* x86, others; hybrid Intel; arm64 names them by core; powerpc, s390 */
	static const char *const globs[] = { "cpu",        "cpu_core",    "cpu_atom",
					     "armv[789]*", "apple_*_pmu", "arm*_cortex*",
					     "cpum_cf",    "pmuv3*" };
	struct pmu_mappings pmus;
	bool found = false;

	pmu_mappings_read(sys, &pmus);
	vec_for_each(&pmus.list, it)
		for (size_t i = 0; i < ARRAY_SIZE(globs); i++)
			found |= glob_match(globs[i], it->name);
	pmu_mappings_release(&pmus);
	return found;
}

const char *explain_no_hardware_pmu(const struct sys *sys)
{
	struct strbuf b = STRBUF_INIT;
	const char *why = "this kernel has no driver for the CPU's counters";

	if (!sys_read(sys, &b, "/proc/cpuinfo") && strstr(b.s, " hypervisor"))
		why = "this virtual machine is given no hardware counters by its host";
	strbuf_release(&b);
	return why;
}

const char *explain_kallsyms(const struct sys *sys, const char **hint)
{
	struct obstacle_site at;
	enum obstacle which;

	obstacle_site_init(&at, sys, NULL, 0);
	which = obstacle_find(&at, OBSTACLE_NO_KALLSYMS, OBSTACLE_KPTR_PARANOID);
	*hint = which == OBSTACLES ? NULL : obstacle_rows[which].cure;
	return which == OBSTACLES ? NULL : obstacle_rows[which].cause;
}

bool happens_in_kernel(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_TRACEPOINT ||
	       (attr->type == PERF_TYPE_SOFTWARE &&
		(attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		 attr->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
		 attr->config == PERF_COUNT_SW_CGROUP_SWITCHES));
}

static bool excludes_kernel(const struct perf_event_attr *attr)
{
	return attr->flags & ATTR_EXCLUDE_KERNEL;
}

/* The highest perf_event_paranoid that allows this attempt, by the list in explain.h. */
static int needed_paranoid(const struct open_attempt *a)
{
	if (a->attr->type == PERF_TYPE_TRACEPOINT && a->attr->sample_type & PERF_SAMPLE_RAW)
		return -1;
	if (a->pid == -1)
		return 0;
	return excludes_kernel(a->attr) ? 2 : 1;
}

static const char *what_needs_it(const struct open_attempt *a)
{
	switch (needed_paranoid(a)) {
	case -1:
		return "raw tracepoint data";
	case 0:
		return "measuring every process of a CPU";
	case 1:
		return "measuring the kernel";
	default:
		return "measuring at all";
	}
}

/* "cpu-clock:k" -> "cpu-clock:u", "cpu/cycles/k" -> "cpu/cycles/u" */
static void add_user_side(const char *event, struct reason *r)
{
	const char *slash = strrchr(event, '/');
	int base = (int)(slash ? (size_t)(slash + 1 - event) : strcspn(event, ":"));

	reason_hint(r, "measure only user space with '%.*s%su', or %s", base, event,
		    slash ? "" : ":", r->hint);
}

/* What can be measured without the cure comes before it. */
static void add_detour(const struct open_attempt *a, int needed, struct reason *r)
{
	if (needed == 1 && !happens_in_kernel(a->attr))
		add_user_side(a->event, r);
	else if (needed == 0)
		reason_hint(r, "measure processes of your own with -p PID, or %s", r->hint);
}

static int not_permitted(const struct sys *sys, const struct open_attempt *a, int err,
			 struct reason *r)
{
	int needed = needed_paranoid(a);
	char is[32], level[32];
	struct obstacle_words words = {
		.what = a->event, .is = is, .needs = level, .because = what_needs_it(a)
	};
	struct obstacle_site at;
	enum obstacle which;

	obstacle_site_init(&at, sys, a, needed);
	which = obstacle_find(&at, OBSTACLE_SECCOMP, OBSTACLE_SECURITY_MODULE);
	snprintf(level, sizeof(level), "%d", needed);
	snprintf(is, sizeof(is), "%d", which == OBSTACLE_OTHER_USER ? a->pid : (int)at.p.paranoid);
	if (which == OBSTACLES) {
		which = OBSTACLE_SECURITY_MODULE;
		words.is = strerror(err);
	}
	obstacle_refuse(which, &words, err, r);
	if (r && r->hint && which == OBSTACLE_PARANOID && !a->no_detour)
		add_detour(a, needed, r);
	return -err;
}

static bool is_hardware(u32 type)
{
	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
}

static int no_such_event(const struct sys *sys, const struct open_attempt *a, int err,
			 struct reason *r)
{
	if (is_hardware(a->attr->type) && !hardware_pmu_present(sys)) {
		const struct obstacle_words words = { .what = a->event,
						      .because = explain_no_hardware_pmu(sys) };

		obstacle_refuse(OBSTACLE_NO_PMU, &words, err, r);
	} else if (a->pmu) {
		reason_set(r, err, "the PMU '%s' does not know the event '%s'", a->pmu, a->event);
		reason_hint(r, "'perf list pmu' shows its events");
	} else {
		reason_set(r, err, "this kernel or CPU does not know the event '%s'", a->event);
		reason_hint(r, "'perf list' shows the events of this machine");
	}
	return -err;
}

static int not_supported(const struct sys *sys, const struct open_attempt *a, int err,
			 struct reason *r)
{
	const struct perf_event_attr *attr = a->attr;

	if (attr->flags & ATTR_PRECISE_MASK) {
		reason_set(r, err, "'%s' cannot be sampled precisely here", a->event);
		reason_hint(r, "leave out the modifier 'p'");
	} else if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK) {
		reason_set(r, err, "this CPU records no branch stacks for '%s'", a->event);
		reason_hint(r,
			    attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK
				    ? "take the call chains another way: --call-graph fp or dwarf"
				    : "leave out -b and -j");
	} else if (attr->flags & ATTR_AUX_OUTPUT) {
		reason_set(r, err, "'%s' cannot write into the AUX area of its group", a->event);
	} else if (attr->sample_period && attr->type != PERF_TYPE_TRACEPOINT) {
		reason_set(r, err, "'%s' can be counted but not sampled", a->event);
		reason_hint(r, "use perf stat, or sample another event such as cpu-clock");
	} else {
		return no_such_event(sys, a, err, r);
	}
	return -err;
}

/* A number as one of the words of a row. */
struct number {
	char text[24];
};
static const char *number(struct number *n, u64 value)
{
	snprintf(n->text, sizeof(n->text), "%llu", (unsigned long long)value);
	return n->text;
}

int explain_open_files(u64 wanted, struct reason *r)
{
	struct rlimit limit = { 0 };
	struct number want, have, raised;

	getrlimit(RLIMIT_NOFILE, &limit);
	return obstacle_refuse(OBSTACLE_OPEN_FILES,
			       &(struct obstacle_words){
				       .what = number(&want, wanted),
				       .is = number(&have, limit.rlim_cur),
				       .needs = number(&raised, wanted + 64),
			       },
			       EMFILE, r);
}

static int too_many_files(const struct open_attempt *a, int err, struct reason *r)
{
	struct rlimit limit = { 0 };

	if (err == ENFILE)
		return obstacle_refuse(OBSTACLE_OPEN_FILES_OF_ALL,
				       &(struct obstacle_words){ .what = a->event }, err, r);
	if (a->wanted_fds)
		return explain_open_files(a->wanted_fds, r);
	getrlimit(RLIMIT_NOFILE, &limit);
	reason_set(r, err, "too many events: %llu open files are allowed",
		   (unsigned long long)limit.rlim_cur);
	reason_hint(r, "raise the limit with ulimit -n, or name fewer events");
	return -err;
}

static int too_fast(const struct open_attempt *a, s64 max, struct reason *r)
{
	struct number asked, allowed;

	return obstacle_refuse(
		OBSTACLE_SAMPLE_RATE,
		&(struct obstacle_words){ .what = number(&asked, a->attr->sample_freq),
					  .is = number(&allowed, (u64)max) },
		EINVAL, r);
}

static int is_invalid(const struct sys *sys, const struct open_attempt *a, struct reason *r)
{
	const struct perf_event_attr *attr = a->attr;
	s64 max;

	if (a->cpu >= 0 && !sys_exists(sys, "/sys/devices/system/cpu/cpu%d", a->cpu))
		return sys_no_cpu((u32)a->cpu, r);
	if (a->in_group) {
		reason_set(r, EINVAL, "'%s' does not fit into its group", a->event);
		reason_hint(r, "split the group, or make it weak: '{...}:W'");
		return -EINVAL;
	}
	if (attr->flags & ATTR_FREQ &&
	    !sys_read_s64(sys, &max, "/proc/sys/kernel/perf_event_max_sample_rate") &&
	    attr->sample_freq > (u64)max)
		return too_fast(a, max, r);
	if (attr->type == PERF_TYPE_BREAKPOINT) {
		reason_set(r, EINVAL, "this CPU cannot watch '%s'", a->event);
		if (attr->bp_type == HW_BREAKPOINT_X && (s64)attr->config1 < 0)
			reason_hint(
				r,
				"a kernel without kprobes refuses to watch its own code, and one "
				"with them the code "
				"in which they are forbidden");
		else
			reason_hint(r,
				    "the address must be a multiple of the length, and x86 has no "
				    "read-only watch: use ':rw'");
		return -EINVAL;
	}
	if (attr->flags & ATTR_EXCLUDE_HOST) {
		reason_set(r, EINVAL, "the kernel cannot measure '%s' in guests alone", a->event);
		reason_hint(
			r,
			"not every PMU can separate guests from the host: without the modifier G "
			"it measures both");
		return -EINVAL;
	}
	if (explain_newer_option(attr, r))
		return -EINVAL;
	reason_set(r, EINVAL, "the kernel refuses the settings of '%s'", a->event);
	reason_hint(r, "-vv shows them; an option that this kernel does not know may be the cause");
	return -EINVAL;
}

static int too_deep(const struct sys *sys, const struct open_attempt *a, struct reason *r)
{
	struct number asked, allowed;
	s64 max = 127;

	(void)sys_read_s64(sys, &max, "/proc/sys/kernel/perf_event_max_stack");
	return obstacle_refuse(
		OBSTACLE_MAX_STACK,
		&(struct obstacle_words){ .what = number(&asked, a->attr->sample_max_stack),
					  .is = number(&allowed, (u64)max) },
		EOVERFLOW, r);
}

bool nmi_watchdog_holds_counter(const struct sys *sys)
{
	s64 on;

	return !sys_read_s64(sys, &on, "/proc/sys/kernel/nmi_watchdog") && on > 0;
}

static int is_busy(const struct sys *sys, const struct open_attempt *a, int err, struct reason *r)
{
	if (a->attr->type == PERF_TYPE_BREAKPOINT) {
		reason_set(r, err, "no free breakpoint register is left for '%s'", a->event);
		reason_hint(r, "x86 has 4: name fewer, or end the debugger that uses them");
	} else {
		reason_set(r, err, "the counters for '%s' are in use by someone else", a->event);
		if (nmi_watchdog_holds_counter(sys))
			obstacle_hint(OBSTACLE_NMI_WATCHDOG, &(struct obstacle_words){ NULL }, r);
		else
			reason_hint(r, "end other profilers");
	}
	return -err;
}

static int not_there(const struct sys *sys, const struct open_attempt *a, int err, struct reason *r)
{
	struct obstacle_site at;
	enum obstacle which;

	obstacle_site_init(&at, sys, a, 0);
	which = obstacle_find(&at, OBSTACLE_SECCOMP, OBSTACLE_SECCOMP);
	return obstacle_refuse(which == OBSTACLES ? OBSTACLE_NO_PERF_EVENTS : which,
			       &(struct obstacle_words){ .what = a->event }, err, r);
}

int explain_open(const struct sys *sys, const struct open_attempt *a, int err, struct reason *r)
{
	switch (err) {
	case EPERM:
	case EACCES:
		return not_permitted(sys, a, err, r);
	case ENOENT:
	case ENXIO:
		return no_such_event(sys, a, err, r);
	case EOPNOTSUPP:
		return not_supported(sys, a, err, r);
	case EMFILE:
	case ENFILE:
		return too_many_files(a, err, r);
	case EINVAL:
		return is_invalid(sys, a, r);
	case EOVERFLOW:
		return too_deep(sys, a, r);
	case EBUSY:
	case ENOSPC:
		return is_busy(sys, a, err, r);
	case ESRCH:
		return reason_set(r, err, "there is no process or thread %d", (int)a->pid);
	case ENODEV:
		if (a->cpu >= 0 && a->attr->type == PERF_TYPE_SOFTWARE)
			return sys_no_cpu((u32)a->cpu, r);
		return no_such_event(sys, a, err, r);
	case ENOSYS:
		return not_there(sys, a, err, r);
	case E2BIG:
		return reason_set(r, err, "this kernel is too old for the settings of '%s'",
				  a->event);
	default:
		return reason_errno(r, err, "cannot open '%s'", a->event);
	}
}

/* Data pages of a ring that is within kernel.perf_event_mlock_kb, with its control page. */
static u64 pages_that_fit(u64 kb)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE) / 1024, pages = 1;

	while ((pages * 2 + 1) * page <= kb)
		pages *= 2;
	return pages;
}

int explain_ring(const struct sys *sys, u64 size, int err, struct reason *r)
{
	struct number asked, kb, locked, pages;
	struct rlimit limit = { 0 };
	s64 allowed = 0;

	if (err != EPERM) {
		reason_errno(r, err, "cannot map a ring of %llu kB",
			     (unsigned long long)size / 1024);
		if (err == ENOMEM || err == EINVAL)
			reason_hint(r, "ask for smaller rings with -m");
		return -err;
	}
	getrlimit(RLIMIT_MEMLOCK, &limit);
	(void)sys_read_s64(sys, &allowed, "/proc/sys/kernel/perf_event_mlock_kb");
	return obstacle_refuse(OBSTACLE_LOCKED_MEMORY,
			       &(struct obstacle_words){
				       .what = number(&asked, size / 1024),
				       .is = number(&kb, (u64)allowed),
				       .because = number(&locked, limit.rlim_cur / 1024),
				       .needs = number(&pages, pages_that_fit((u64)allowed)),
			       },
			       err, r);
}
