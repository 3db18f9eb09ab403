// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sys/facts.h"
#include "sys/topology.h"

/* The value of "KEY:\tVALUE" in /proc/self/status, or 0. */
static u64 status_field(const char *status, const char *key, int base)
{
	const char *at = strstr(status, key);

	return at ? strtoull(at + strlen(key), NULL, base) : 0;
}

void privileges_read(const struct sys *sys, struct privileges *p)
{
	struct strbuf status = STRBUF_INIT;

	memset(p, 0, sizeof(*p));
	if (!sys_read(sys, &status, "/proc/self/status")) {
		p->effective = status_field(status.s, "\nCapEff:", 16);
		p->seccomp = status_field(status.s, "\nSeccomp:", 10) == 2;
	}
	strbuf_release(&status);
	if (sys_read_s64(sys, &p->paranoid, "/proc/sys/kernel/perf_event_paranoid"))
		p->paranoid = 2;
	p->perf = p->paranoid < 0 || privileges_has(p, CAPABILITY_PERFMON) ||
		  privileges_has(p, CAPABILITY_SYS_ADMIN);
}

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
	struct privileges p;
	s64 kptr;

	*hint = NULL;
	if (!sys_exists(sys, "/proc/kallsyms"))
		return "this kernel has no /proc/kallsyms (CONFIG_KALLSYMS)";
	if (sys_read_s64(sys, &kptr, "/proc/sys/kernel/kptr_restrict"))
		return NULL;
	privileges_read(sys, &p);
	if (kptr >= 2) {
		*hint = "as root: sysctl kernel.kptr_restrict=1, and run perf as root";
		return "kernel.kptr_restrict is 2, from everybody";
	}
	if (privileges_has(&p, CAPABILITY_SYSLOG))
		return NULL;
	if (kptr == 1) {
		*hint = "run perf as root, or as root: sysctl kernel.kptr_restrict=0";
		return "kernel.kptr_restrict is 1, from who lacks CAP_SYSLOG";
	}
	if (p.paranoid > 1) {
		*hint = "run perf as root, or as root: sysctl kernel.perf_event_paranoid=1";
		return "kernel.kptr_restrict is 0, but kernel.perf_event_paranoid is above 1";
	}
	return NULL;
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

static bool target_is_foreign(const struct sys *sys, const struct open_attempt *a)
{
	char *path = a->pid > 0 ? sys_path(sys, "/proc/%d/ns/pid", (int)a->pid) : NULL;
	char link[64];
	bool foreign = path && readlink(path, link, sizeof(link)) < 0 && errno == EACCES;

	free(path);
	return foreign;
}

/* "cpu-clock:k" -> "cpu-clock:u", "cpu/cycles/k" -> "cpu/cycles/u" */
static void hint_user_side(const char *event, struct reason *r)
{
	const char *slash = strrchr(event, '/');
	int base = (int)(slash ? (size_t)(slash + 1 - event) : strcspn(event, ":"));

	reason_hint(r,
		    "measure only user space with '%.*s%su', or as root: sysctl "
		    "kernel.perf_event_paranoid=1",
		    base, event, slash ? "" : ":");
}

static int not_permitted(const struct sys *sys, const struct open_attempt *a, int err,
			 struct reason *r)
{
	struct privileges p;
	int needed = needed_paranoid(a);

	privileges_read(sys, &p);
	if (!privileges_has(&p, CAPABILITY_SYS_PTRACE) && target_is_foreign(sys, a)) {
		reason_set(r, err, "no permission to measure process %d of another user",
			   (int)a->pid);
		reason_hint(r, "run as root");
	} else if (!p.perf && p.paranoid > needed) {
		reason_set(r, err,
			   "no permission for '%s': kernel.perf_event_paranoid is %d, and %s "
			   "needs %d or CAP_PERFMON",
			   a->event, (int)p.paranoid, what_needs_it(a), needed);
		if (needed == 1 && !happens_in_kernel(a->attr))
			hint_user_side(a->event, r);
		else
			reason_hint(r, "%sas root: sysctl kernel.perf_event_paranoid=%d",
				    needed ? "" : "measure processes of your own with -p PID, or ",
				    needed);
	} else if (p.seccomp) {
		reason_set(r, err,
			   "no permission for '%s': a seccomp filter is set on this "
			   "process, as containers do",
			   a->event);
		reason_hint(r, "start the container with --cap-add PERFMON and a seccomp "
			       "profile that allows perf_event_open");
	} else {
		reason_errno(r, err, "the kernel refuses '%s'", a->event);
		reason_hint(r, "a security module (SELinux, AppArmor, lockdown) may forbid it: "
			       "see dmesg");
	}
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
		reason_set(r, err, "'%s' is not available: %s", a->event,
			   explain_no_hardware_pmu(sys));
		reason_hint(r, "use a software event, for example -e cpu-clock");
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

static int too_many_files(const struct open_attempt *a, int err, struct reason *r)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	if (err == ENFILE) {
		reason_set(r, err, "the system is out of open files at '%s'", a->event);
		reason_hint(r, "as root: raise sysctl fs.file-max");
	} else if (a->wanted_fds) {
		reason_set(r, err,
			   "too many events: they need %llu open files, and %llu are "
			   "allowed",
			   (unsigned long long)a->wanted_fds, (unsigned long long)limit.rlim_cur);
		reason_hint(r, "ulimit -n %llu, or name fewer events",
			    (unsigned long long)a->wanted_fds + 64);
	} else {
		reason_set(r, err, "too many events: %llu open files are allowed",
			   (unsigned long long)limit.rlim_cur);
		reason_hint(r, "raise the limit with ulimit -n, or name fewer events");
	}
	return -err;
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
	    attr->sample_freq > (u64)max) {
		reason_set(r, EINVAL, "a frequency of %llu Hz is above the allowed %lld",
			   (unsigned long long)attr->sample_freq, (long long)max);
		reason_hint(r, "-F max, or as root: sysctl kernel.perf_event_max_sample_rate=%llu",
			    (unsigned long long)attr->sample_freq);
		return -EINVAL;
	}
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
	s64 max = 127;

	(void)sys_read_s64(sys, &max, "/proc/sys/kernel/perf_event_max_stack");
	reason_set(r, EOVERFLOW, "call chains of %u entries are above the allowed %lld",
		   a->attr->sample_max_stack, (long long)max);
	reason_hint(r, "as root: sysctl kernel.perf_event_max_stack=%u", a->attr->sample_max_stack);
	return -EOVERFLOW;
}

static int is_busy(const struct open_attempt *a, int err, struct reason *r)
{
	if (a->attr->type == PERF_TYPE_BREAKPOINT) {
		reason_set(r, err, "no free breakpoint register is left for '%s'", a->event);
		reason_hint(r, "x86 has 4: name fewer, or end the debugger that uses them");
	} else {
		reason_set(r, err, "the counters for '%s' are in use by someone else", a->event);
		reason_hint(r, "end other profilers, and on x86 the NMI watchdog: "
			       "sysctl kernel.nmi_watchdog=0");
	}
	return -err;
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
		return is_busy(a, err, r);
	case ESRCH:
		return reason_set(r, err, "there is no process or thread %d", (int)a->pid);
	case ENODEV:
		if (a->cpu >= 0 && a->attr->type == PERF_TYPE_SOFTWARE)
			return sys_no_cpu((u32)a->cpu, r);
		return no_such_event(sys, a, err, r);
	case ENOSYS:
		return reason_set(r, err,
				  "this kernel is built without perf_event_open "
				  "(CONFIG_PERF_EVENTS)");
	case E2BIG:
		return reason_set(r, err, "this kernel is too old for the settings of '%s'",
				  a->event);
	default:
		return reason_errno(r, err, "cannot open '%s'", a->event);
	}
}

int explain_ring(const struct sys *sys, u64 size, int err, struct reason *r)
{
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
	reason_set(r, err,
		   "rings of %llu kB exceed the locked memory that is allowed: "
		   "kernel.perf_event_mlock_kb is %lld per CPU, ulimit -l is %llu kB",
		   (unsigned long long)size / 1024, (long long)allowed,
		   (unsigned long long)limit.rlim_cur / 1024);
	reason_hint(r, "smaller rings with -m, or as root: sysctl kernel.perf_event_mlock_kb=%llu",
		    (unsigned long long)size / 1024);
	return -err;
}
