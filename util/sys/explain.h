/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why the kernel said no, from what can be checked, with the one fix.
 *
 * perf_event_open(2) gives an errno; the cause is somewhere else: capabilities,
 * kernel.perf_event_paranoid, a PMU that is not there, a limit.  These functions
 * look at those and fill a reason.  They never change anything.
 *
 * perf_event_paranoid (Documentation/admin-guide/sysctl/kernel.rst): what users
 * without CAP_PERFMON may not do:
 *	-1	everything is allowed
 *	 0	no raw tracepoint data (and ftrace function tracepoints)
 *	 1	also no CPU-wide events
 *	 2	also no kernel measurement (the kernel's default)
 *	3, 4	nothing at all (patches of Debian, Ubuntu, Android)
 */
#ifndef SYS_EXPLAIN_H
#define SYS_EXPLAIN_H

#include "sys/sys.h"

/* Capabilities by number: include/uapi/linux/capability.h. */
enum {
	CAPABILITY_SYS_PTRACE = 19,
	CAPABILITY_SYS_ADMIN = 21,
	CAPABILITY_SYSLOG = 34,
	CAPABILITY_PERFMON = 38,
	CAPABILITY_BPF = 39,
	CAPABILITY_IPC_LOCK = 14
};

/* What this process is allowed; read from /proc. */
struct privileges {
	u64 effective; /* capability bits; 0 in a user namespace: none is over the machine */
	s64 paranoid;  /* kernel.perf_event_paranoid; 2 when unreadable */
	bool perf;     /* no restriction by perf_event_paranoid */
	bool seccomp;  /* a filter may forbid system calls (containers) */
};
void privileges_read(const struct sys *sys, struct privileges *p);
static inline bool privileges_has(const struct privileges *p, unsigned capability)
{
	return p->effective >> capability & 1;
}

/* What was tried when the kernel refused. */
struct open_attempt {
	const struct perf_event_attr *attr;
	const char *event; /* its name */
	const char *pmu;   /* or NULL */
	pid_t pid;         /* -1: all */
	int cpu;           /* -1: any */
	bool in_group;     /* not the leader */
	bool no_detour;    /* the hint is the cure alone, not another event or target */
	u64 wanted_fds;    /* descriptors the whole run needs; 0: unknown */
};
/* All that the event counts happens in the kernel: of user space alone it would count 0. */
bool happens_in_kernel(const struct perf_event_attr *attr);
/*
 * Explains an attr that the kernel refuses because it is older than something that the attr asks
 * for: the kernel is asked about each such thing alone. Returns -EINVAL with the option and the
 * version that has it, or 0.
 */
int explain_newer_option(const struct perf_event_attr *attr, struct reason *r);

/* err: positive errno of perf_event_open.  Returns -err. */
int explain_open(const struct sys *sys, const struct open_attempt *a, int err, struct reason *r);

/* EMFILE: so many descriptors are needed. Returns -EMFILE. */
int explain_open_files(u64 wanted, struct reason *r);

/* mmap of a ring of size bytes (data + control page) failed. Returns -err. */
int explain_ring(const struct sys *sys, u64 size, int err, struct reason *r);

/*
 * Why kernel addresses are not readable in /proc/kallsyms for this process: NULL when they
 * should be.  *hint: what shows them, NULL: nothing does.  Both are literals.
 */
const char *explain_kallsyms(const struct sys *sys, const char **hint);

/* Does the kernel use a counter of each CPU itself? */
bool nmi_watchdog_holds_counter(const struct sys *sys);

/* Is there a hardware PMU?  When not, a phrase why (virtual machine ...), a literal. */
bool hardware_pmu_present(const struct sys *sys);
const char *explain_no_hardware_pmu(const struct sys *sys);

#endif
