// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/obstacles.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

static bool is_host(const struct sys *sys)
{
	return !sys || !sys->root || !*sys->root;
}

/* ---- probes ---- */

bool seccomp_is_on(void)
{
	enum { FILTER = 2 };

	return prctl(PR_GET_SECCOMP) == FILTER;
}

/* The kernel looks at the flags before anything else: whatever is not EINVAL comes from a filter.
 */
bool seccomp_refuses_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = ATTR_SIZE_VER0,
		.config = PERF_COUNT_SW_DUMMY,
		.flags = ATTR_EXCLUDE_KERNEL | ATTR_DISABLED,
	};

	return seccomp_is_on() && syscall(SYS_perf_event_open, &attr, 0, -1, -1, ~0UL) < 0 &&
	       (errno == EPERM || errno == ENOSYS);
}

static bool filter_refuses(const struct obstacle_site *at)
{
	return is_host(at->sys) ? seccomp_refuses_perf() : at->p.seccomp;
}

static bool target_is_foreign(const struct obstacle_site *at)
{
	pid_t pid = at->open->pid;
	char *path = pid > 0 ? sys_path(at->sys, "/proc/%d/ns/pid", (int)pid) : NULL;
	char link[64];
	bool foreign = path && readlink(path, link, sizeof(link)) < 0 && errno == EACCES;

	free(path);
	return foreign && !privileges_has(&at->p, CAPABILITY_SYS_PTRACE);
}

static bool paranoid_forbids(const struct obstacle_site *at)
{
	return !at->p.perf && at->p.paranoid > at->needed;
}

/* Was this program's file given a capability that would have sufficed? */
static bool file_has_capability(const struct sys *sys)
{
	struct vfs_cap_data caps;
	u64 permitted;

	if (!is_host(sys) || getxattr("/proc/self/exe", "security.capability", &caps,
				      sizeof(caps)) < (ssize_t)XATTR_CAPS_SZ_2)
		return false;
	permitted = (u64)caps.data[1].permitted << 32 | caps.data[0].permitted;
	return permitted & (BIT64(CAPABILITY_PERFMON) | BIT64(CAPABILITY_SYS_ADMIN));
}

static bool new_rights_are_refused(const struct obstacle_site *at)
{
	return paranoid_forbids(at) && file_has_capability(at->sys) &&
	       prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

static bool is_mounted_nosuid(const struct obstacle_site *at)
{
	struct statvfs fs;

	return paranoid_forbids(at) && file_has_capability(at->sys) &&
	       !statvfs("/proc/self/exe", &fs) && fs.f_flag & ST_NOSUID;
}

static bool is_root_of_namespace(const struct obstacle_site *at)
{
	return paranoid_forbids(at) && !geteuid() && !in_first_user_namespace(at->sys);
}

static bool root_lacks_capability(const struct obstacle_site *at)
{
	return paranoid_forbids(at) && is_host(at->sys) && !geteuid();
}

/* "none integrity [confidentiality]" */
static bool is_locked_down(const struct obstacle_site *at)
{
	char *line = sys_read_line(at->sys, "/sys/kernel/security/lockdown");
	bool locked = line && strstr(line, "[confidentiality]");

	free(line);
	return locked;
}

static bool bpf_filter_refuses(const struct obstacle_site *at)
{
	(void)at;
	return seccomp_is_on();
}

static bool lacks_bpf_rights(const struct obstacle_site *at)
{
	return !privileges_has(&at->p, CAPABILITY_SYS_ADMIN) &&
	       !(privileges_has(&at->p, CAPABILITY_BPF) &&
		 privileges_has(&at->p, CAPABILITY_PERFMON));
}

static bool is_in_user_namespace(const struct obstacle_site *at)
{
	return !in_first_user_namespace(at->sys);
}

static bool has_yama(const struct obstacle_site *at)
{
	s64 scope;

	return !sys_read_s64(at->sys, &scope, "/proc/sys/kernel/yama/ptrace_scope") && scope > 0;
}

static bool kptr_hides_from_all(const struct obstacle_site *at)
{
	s64 kptr;

	return !sys_read_s64(at->sys, &kptr, "/proc/sys/kernel/kptr_restrict") && kptr >= 2;
}

static bool kptr_hides_from_users(const struct obstacle_site *at)
{
	s64 kptr;

	return !sys_read_s64(at->sys, &kptr, "/proc/sys/kernel/kptr_restrict") && kptr == 1 &&
	       !privileges_has(&at->p, CAPABILITY_SYSLOG);
}

static bool paranoid_hides_names(const struct obstacle_site *at)
{
	s64 kptr;

	return !sys_read_s64(at->sys, &kptr, "/proc/sys/kernel/kptr_restrict") && kptr <= 0 &&
	       !privileges_has(&at->p, CAPABILITY_SYSLOG) && at->p.paranoid > 1;
}

static bool has_no_kallsyms(const struct obstacle_site *at)
{
	return !sys_exists(at->sys, "/proc/kallsyms");
}

/* ---- the rows ---- */

#define CONTAINER_CURE                                                                             \
	"start the container with --cap-add PERFMON --security-opt seccomp=unconfined"

/* clang-format off */
const struct obstacle_row obstacle_rows[OBSTACLES] = {
	[OBSTACLE_SECCOMP] = {
		"seccomp", filter_refuses,
		"no permission for '{what}': a seccomp filter refuses perf_event_open, as the "
		"defaults of Docker and Podman do",
		CONTAINER_CURE },
	[OBSTACLE_OTHER_USER] = {
		"other-user", target_is_foreign,
		"no permission to measure process {is} of another user",
		"run as root" },
	[OBSTACLE_NO_NEW_PRIVS] = {
		"no-new-privs", new_rights_are_refused,
		"no permission for '{what}': the capabilities of perf's file are ignored, since "
		"no_new_privs is set on this process (setpriv, systemd's NoNewPrivileges=)",
		"start perf from a shell without no_new_privs, or as root: sysctl "
		"kernel.perf_event_paranoid={needs}" },
	[OBSTACLE_NOSUID] = {
		"nosuid", is_mounted_nosuid,
		"no permission for '{what}': the capabilities of perf's file are ignored, since "
		"its file system is mounted nosuid",
		"as root: cp --preserve=xattr \"$(command -v perf)\" /usr/local/bin/perf" },
	[OBSTACLE_USER_NAMESPACE] = {
		"user-namespace", is_root_of_namespace,
		"no permission for '{what}': root of a user namespace has no rights over the "
		"machine, whose kernel.perf_event_paranoid is {is}; {because} needs {needs}",
		"run perf outside of the namespace, or as root outside: sysctl "
		"kernel.perf_event_paranoid={needs}" },
	[OBSTACLE_ROOT_WITHOUT_CAPABILITY] = {
		"root-without-capability", root_lacks_capability,
		"no permission for '{what}': root lacks CAP_PERFMON and CAP_SYS_ADMIN here, as "
		"in containers, kernel.perf_event_paranoid is {is}, and {because} needs {needs}",
		CONTAINER_CURE },
	[OBSTACLE_PARANOID] = {
		"paranoid", paranoid_forbids,
		"no permission for '{what}': kernel.perf_event_paranoid is {is}, and {because} "
		"needs {needs} or CAP_PERFMON",
		"as root: sysctl kernel.perf_event_paranoid={needs}" },
	[OBSTACLE_LOCKDOWN] = {
		"lockdown", is_locked_down,
		"no permission for '{what}': the kernel is locked down (confidentiality)",
		"boot without lockdown=confidentiality; until then software and hardware events "
		"without registers work" },
	[OBSTACLE_SECURITY_MODULE] = {
		"security-module", NULL,
		"the kernel refuses '{what}': {is}",
		"a security module (SELinux, AppArmor, lockdown) may forbid it: see dmesg" },
	[OBSTACLE_NO_PERF_EVENTS] = {
		"no-perf-events", NULL,
		"this kernel is built without perf_event_open (CONFIG_PERF_EVENTS)",
		NULL },
	[OBSTACLE_NO_PMU] = {
		"no-pmu", NULL,
		"'{what}' is not available: {because}",
		"use a software event, for example -e cpu-clock" },
	[OBSTACLE_NMI_WATCHDOG] = {
		"nmi-watchdog", NULL,
		"the NMI watchdog holds one counter of each CPU",
		"as root: sysctl kernel.nmi_watchdog=0" },
	[OBSTACLE_SAMPLE_RATE] = {
		"sample-rate", NULL,
		"a frequency of {what} Hz is above the allowed {is}",
		"-F max, or as root: sysctl kernel.perf_event_max_sample_rate={what}" },
	[OBSTACLE_MAX_STACK] = {
		"max-stack", NULL,
		"call chains of {what} entries are above the allowed {is}",
		"as root: sysctl kernel.perf_event_max_stack={what}" },
	[OBSTACLE_OPEN_FILES] = {
		"open-files", NULL,
		"too many events: they need {what} open files, and {is} are allowed",
		"ulimit -n {needs}, or name fewer events" },
	[OBSTACLE_OPEN_FILES_OF_ALL] = {
		"open-files-of-all", NULL,
		"the system is out of open files at '{what}'",
		"as root: raise sysctl fs.file-max" },
	[OBSTACLE_LOCKED_MEMORY] = {
		"locked-memory", NULL,
		"rings of {what} kB exceed the locked memory that is allowed: "
		"kernel.perf_event_mlock_kb is {is} per CPU, ulimit -l is {because} kB",
		"smaller rings with -m {needs}, or as root: sysctl "
		"kernel.perf_event_mlock_kb={what}" },
	[OBSTACLE_CLOCK_SOURCE] = {
		"clock-source", NULL,
		"the kernel does not trust the CPU's counter and reads the clock source '{is}': "
		"times of CPUs can differ from each other and from those of other tools",
		"record with -k mono" },
	[OBSTACLE_PID_NAMESPACE] = {
		"pid-namespace", NULL,
		"this PID namespace (of a container) has numbers of its own for processes, and "
		"shows none outside of it",
		"run perf on the host, where 'lsns -t pid' and 'grep NSpid /proc/*/status' show "
		"the numbers" },
	[OBSTACLE_HIDEPID] = {
		"hidepid", NULL,
		"/proc is mounted with hidepid, which hides the processes of other users",
		"as root: mount -o remount,hidepid=0 /proc" },
	[OBSTACLE_YAMA] = {
		"yama", has_yama,
		"kernel.yama.ptrace_scope is above 0: only parents may read the memory of a "
		"process",
		"as root: sysctl kernel.yama.ptrace_scope=0" },
	[OBSTACLE_NO_KALLSYMS] = {
		"no-kallsyms", has_no_kallsyms,
		"this kernel has no /proc/kallsyms (CONFIG_KALLSYMS)",
		NULL },
	[OBSTACLE_KPTR_ALL] = {
		"kptr-restrict", kptr_hides_from_all,
		"kernel.kptr_restrict is 2, from everybody",
		"as root: sysctl kernel.kptr_restrict=1" },
	[OBSTACLE_KPTR_USERS] = {
		"kptr-restrict", kptr_hides_from_users,
		"kernel.kptr_restrict is 1, from who lacks CAP_SYSLOG",
		"run perf as root, or as root: sysctl kernel.kptr_restrict=0" },
	[OBSTACLE_KPTR_PARANOID] = {
		"kptr-restrict", paranoid_hides_names,
		"kernel.kptr_restrict is 0, but kernel.perf_event_paranoid is above 1",
		"run perf as root, or as root: sysctl kernel.perf_event_paranoid=1" },
	[OBSTACLE_TRACEFS_NOT_MOUNTED] = {
		"tracefs-not-mounted", NULL,
		"no tracepoints: tracefs is not mounted",
		"as root: mount -t tracefs nodev {what}" },
	[OBSTACLE_TRACEFS_UNREADABLE] = {
		"tracefs-unreadable", NULL,
		"no tracepoints: {what} may not be read by this user",
		"run it as root, or give perf the right to read it once: sudo setcap "
		"cap_dac_read_search,cap_perfmon+ep \"$(command -v perf)\"; or let one group "
		"read it: sudo mount -o remount,mode=750,gid=GROUP {what}" },
	[OBSTACLE_TRACEFS_READ_ONLY] = {
		"tracefs-read-only", NULL,
		"cannot change {what} of tracefs, which is mounted read-only",
		"as root: mount -o remount,bind,rw {is}" },
	[OBSTACLE_TRACEFS_LOCKDOWN] = {
		"lockdown", is_locked_down,
		"no tracepoints: the kernel is locked down (confidentiality)",
		"boot without lockdown=confidentiality; until then software and hardware events "
		"work" },
	[OBSTACLE_PROBES_NEED_ROOT] = {
		"probes-need-root", NULL,
		"cannot change {what} of tracefs: {is}",
		"probes need root" },
	[OBSTACLE_NO_PROBES] = {
		"no-probes", NULL,
		"this kernel has no {what} probes: tracefs has no {is}",
		"they need a kernel with {needs}" },
	[OBSTACLE_BPF_NOT_BUILT] = {
		"bpf-not-built", NULL,
		"{what} needs BPF, which this perf is built without",
		"build perf with clang and libbpf (apt-get install clang libbpf-dev)" },
	[OBSTACLE_BPF_NO_LIBRARY] = {
		"bpf-no-library", NULL,
		"{what} needs BPF, and libbpf is not on this machine",
		"install libbpf1 (apt-get install libbpf1)" },
	[OBSTACLE_BPF_OLD_KERNEL] = {
		"bpf-old-kernel", NULL,
		"{what} needs BPF as Linux 5.8 and later have it, and this is Linux {is}",
		NULL },
	[OBSTACLE_BPF_SECCOMP] = {
		"bpf-seccomp", bpf_filter_refuses,
		"{what} needs BPF, and a seccomp filter refuses bpf(), as the defaults of Docker "
		"and Podman do",
		"start the container with --cap-add BPF --cap-add PERFMON --security-opt "
		"seccomp=unconfined" },
	[OBSTACLE_BPF_USER_NAMESPACE] = {
		"bpf-user-namespace", is_in_user_namespace,
		"{what} needs BPF, for which root of a user namespace has no rights",
		"run perf as root outside of the namespace" },
	[OBSTACLE_BPF_RIGHTS] = {
		"bpf-rights", lacks_bpf_rights,
		"{what} needs BPF, which only root and programs with CAP_BPF and CAP_PERFMON may "
		"use",
		"run it as root, or give perf both once: sudo setcap cap_bpf,cap_perfmon+ep "
		"\"$(command -v perf)\"" },
	[OBSTACLE_BPF_LOCKDOWN] = {
		"lockdown", is_locked_down,
		"{what} needs BPF programs that read the kernel's memory, and the kernel is "
		"locked down (confidentiality)",
		"boot without lockdown=confidentiality; until then software and hardware events "
		"work" },
	[OBSTACLE_BPF_NO_TYPES] = {
		"no-btf", NULL,
		"{what} needs BPF with the kernel's type information, and this kernel has no "
		"{is} (CONFIG_DEBUG_INFO_BTF)",
		"use what needs no BPF: perf record, stat, top, and perf trace --no-bpf" },
	[OBSTACLE_BPF_PID_NAMESPACE] = {
		"bpf-pid-namespace", NULL,
		"{what} needs BPF, which finds tasks by their numbers on the host, and in this "
		"PID namespace (of a container) they have others",
		"it works on the host, and in a container that shares its PID namespace "
		"(--pid=host)" },
	[OBSTACLE_CGROUP_NOT_MOUNTED] = {
		"cgroup-not-mounted", NULL,
		"no cgroup hierarchy is mounted that events can be bound to",
		"as root: mount -t cgroup2 none {what}" },
	[OBSTACLE_NO_CGROUP] = {
		"no-cgroup", NULL,
		"there is no cgroup '{what}' below {is}",
		"names are paths below there: 'find {is} -type d' lists them" },
	[OBSTACLE_LIBRARY] = {
		"library", NULL,
		"this perf was built without {what}, so it lacks {because}",
		"apt-get install {needs}, and build again" },
	[OBSTACLE_CACHE_NONE] = {
		"no-build-id-cache", NULL,
		"there is no cache: HOME names no directory, and --buildid-dir is not given",
		"perf --buildid-dir DIRECTORY" },
	[OBSTACLE_CACHE_UNWRITABLE] = {
		"build-id-cache", NULL,
		"cannot write to {what}: {is}",
		"perf --buildid-dir DIRECTORY, or for good: perf config buildid.dir=DIRECTORY" },
	[OBSTACLE_CACHE_FULL] = {
		"build-id-cache-full", NULL,
		"the file system of {what} is full",
		"perf --buildid-dir DIRECTORY, or for good: perf config buildid.dir=DIRECTORY" },
	[OBSTACLE_NO_DEBUG_INFORMATION] = {
		"no-debug-information", NULL,
		"'{what}' has no debug information: no lines of source, no inlined functions",
		"install its debug package (NAME-dbgsym), or ask the debuginfod servers of "
		"DEBUGINFOD_URLS: perf report --debuginfod" },
	[OBSTACLE_NO_DEBUG_SERVERS] = {
		"no-debug-information", NULL,
		"'{what}' has no debug information: no lines of source, no inlined functions; and "
		"DEBUGINFOD_URLS names no server",
		"install its debug package (NAME-dbgsym), or name a server: perf report "
		"--debuginfod=https://debuginfod.elfutils.org" },
};
/* clang-format on */

/* ---- refusals ---- */

void obstacle_site_init(struct obstacle_site *at, const struct sys *sys,
			const struct open_attempt *open, int needed)
{
	*at = (struct obstacle_site){ .sys = sys, .open = open, .needed = needed };
	privileges_read(sys, &at->p);
}

enum obstacle obstacle_find(const struct obstacle_site *at, enum obstacle first, enum obstacle last)
{
	for (unsigned i = first; i <= (unsigned)last; i++)
		if (obstacle_rows[i].probe && obstacle_rows[i].probe(at))
			return (enum obstacle)i;
	return OBSTACLES;
}

static const char *word_for(const struct obstacle_words *w, const char *name, size_t len)
{
	const struct {
		const char *name, *value;
	} words[] = {
		{ "what", w->what },
		{ "is", w->is },
		{ "needs", w->needs },
		{ "because", w->because },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i].name) == len && !strncmp(words[i].name, name, len))
			return words[i].value;
	return NULL;
}

/* The text with its words filled in; the caller frees it. */
static char *fill(const char *text, const struct obstacle_words *words)
{
	struct strbuf b = STRBUF_INIT;

	for (const char *end; (end = strchr(text, '}')); text = end + 1) {
		size_t len = strcspn(text, "{");
		const char *word = word_for(words, text + len + 1, (size_t)(end - text) - len - 1);

		strbuf_add(&b, text, len);
		strbuf_str(&b, word ? word : "?");
	}
	strbuf_str(&b, text);
	return strbuf_detach(&b);
}

char *obstacle_cure(enum obstacle which, const struct obstacle_words *words)
{
	const char *cure = obstacle_rows[which].cure;

	return cure ? fill(cure, words) : NULL;
}

void obstacle_hint(enum obstacle which, const struct obstacle_words *words, struct reason *r)
{
	char *text = obstacle_cure(which, words);

	if (text)
		reason_hint(r, "%s", text);
	free(text);
}

int obstacle_refuse(enum obstacle which, const struct obstacle_words *words, int err,
		    struct reason *r)
{
	char *text = fill(obstacle_rows[which].cause, words);

	reason_set(r, err, "%s", text);
	free(text);
	obstacle_hint(which, words, r);
	if (r)
		r->obstacle = obstacle_rows[which].name;
	return -err;
}
