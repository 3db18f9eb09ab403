/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What keeps this user on this machine from measuring: one row {probe, cause, cure} for each
 * obstacle.
 *
 * Every refusal takes its text and its hint from these rows, and so does perf doctor, so they
 * cannot contradict each other. A row's probe reads settings, after something was tried and failed,
 * and says whether the row explains it. Rows without a probe are chosen by the code that tried:
 * the error alone says which one it is.
 *
 * Texts contain words in braces, {what}, which are filled in from a struct obstacle_words.
 * Threads: no state. Nothing here changes anything.
 */
#ifndef SYS_OBSTACLES_H
#define SYS_OBSTACLES_H

#include "sys/explain.h"

enum obstacle {
	/* perf_event_open(2) with EPERM, EACCES or ENOSYS, in the order in which they are asked */
	OBSTACLE_SECCOMP,
	OBSTACLE_OTHER_USER,
	OBSTACLE_NO_NEW_PRIVS,
	OBSTACLE_NOSUID,
	OBSTACLE_USER_NAMESPACE,
	OBSTACLE_ROOT_WITHOUT_CAPABILITY,
	OBSTACLE_PARANOID,
	OBSTACLE_LOCKDOWN,
	OBSTACLE_SECURITY_MODULE,
	/* events and rings */
	OBSTACLE_NO_PERF_EVENTS,
	OBSTACLE_NO_PMU,
	OBSTACLE_NMI_WATCHDOG,
	OBSTACLE_SAMPLE_RATE,
	OBSTACLE_MAX_STACK,
	OBSTACLE_OPEN_FILES,
	OBSTACLE_OPEN_FILES_OF_ALL,
	OBSTACLE_LOCKED_MEMORY,
	OBSTACLE_CLOCK_SOURCE,
	/* processes */
	OBSTACLE_PID_NAMESPACE,
	OBSTACLE_HIDEPID,
	OBSTACLE_YAMA,
	/* names of kernel functions */
	OBSTACLE_NO_KALLSYMS,
	OBSTACLE_KPTR_ALL,
	OBSTACLE_KPTR_USERS,
	OBSTACLE_KPTR_PARANOID,
	/* tracefs */
	OBSTACLE_TRACEFS_NOT_MOUNTED,
	OBSTACLE_TRACEFS_UNREADABLE,
	OBSTACLE_TRACEFS_READ_ONLY,
	OBSTACLE_TRACEFS_LOCKDOWN,
	OBSTACLE_PROBES_NEED_ROOT,
	OBSTACLE_NO_PROBES,
	/* BPF */
	OBSTACLE_BPF_NOT_BUILT,
	OBSTACLE_BPF_NO_LIBRARY,
	OBSTACLE_BPF_OLD_KERNEL,
	OBSTACLE_BPF_SECCOMP,
	OBSTACLE_BPF_USER_NAMESPACE,
	OBSTACLE_BPF_RIGHTS,
	OBSTACLE_BPF_LOCKDOWN,
	OBSTACLE_BPF_NO_TYPES,
	OBSTACLE_BPF_PID_NAMESPACE,
	/* cgroups */
	OBSTACLE_CGROUP_NOT_MOUNTED,
	OBSTACLE_NO_CGROUP,
	/* this perf and its files */
	OBSTACLE_LIBRARY,
	OBSTACLE_CACHE_NONE,
	OBSTACLE_CACHE_UNWRITABLE,
	OBSTACLE_CACHE_FULL,
	OBSTACLE_NO_DEBUG_INFORMATION,
	OBSTACLE_NO_DEBUG_SERVERS,
	OBSTACLES,
};

/* Where a probe looks: at what was tried, and as whom. */
struct obstacle_site {
	const struct sys *sys;           /* NULL: this host */
	const struct open_attempt *open; /* NULL: it was not perf_event_open */
	int needed;                      /* the highest perf_event_paranoid that allows it */
	struct privileges p;
};
/* Reads the privileges. */
void obstacle_site_init(struct obstacle_site *at, const struct sys *sys,
			const struct open_attempt *open, int needed);

/* What stands in a row's text for {what}, {is} ...; NULL: the row has no such word. */
struct obstacle_words {
	const char *what;    /* the event, file, option or purpose that was refused */
	const char *is;      /* the setting's value */
	const char *needs;   /* the value that would do */
	const char *because; /* what needs it */
};

struct obstacle_row {
	const char *name; /* as --json has it, "paranoid" */
	/* Is it the reason here? NULL: who tried knows. */
	bool (*probe)(const struct obstacle_site *at);
	const char *cause; /* the text of the refusal */
	const char *cure;  /* one command or flag; NULL: there is none */
};
extern const struct obstacle_row obstacle_rows[OBSTACLES];

/* The first of the rows from first up to last whose probe holds; OBSTACLES: none. */
enum obstacle obstacle_find(const struct obstacle_site *at, enum obstacle first,
			    enum obstacle last);

/* Sets text, hint and obstacle of the reason from a row; returns -err. */
int obstacle_refuse(enum obstacle which, const struct obstacle_words *words, int err,
		    struct reason *r);
/* The hint alone, of a refusal that has a text of its own. */
void obstacle_hint(enum obstacle which, const struct obstacle_words *words, struct reason *r);
/* The cure as a text, which the caller frees; NULL: there is none. */
char *obstacle_cure(enum obstacle which, const struct obstacle_words *words);

/* Is this process in the user (in the PID) namespace that the machine began with? */
bool in_first_user_namespace(const struct sys *sys);
bool in_first_pid_namespace(const struct sys *sys);
/* Does a seccomp filter refuse this system call before the kernel sees it? */
bool seccomp_refuses_perf(void);
bool seccomp_is_on(void);

#endif
