/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is measured: threads, CPUs, everything.
 *
 * Numbers are those of this process's PID namespace. target_add_*() append; the caller releases
 * the target, which is plain data until events are opened on it (live/live.h).
 */
#ifndef LIVE_TARGET_H
#define LIVE_TARGET_H

#include <sys/types.h>

#include "base/reason.h"
#include "base/types.h"

struct target {
	bool system_wide; /* -a */
	/*
	 * -C, sorted; events with all_cpus are on the others, too; NULL: all online when system
	 * wide, else any (-1)
	 */
	u32 *cpus;
	size_t cpu_count;
	pid_t *tids; /* threads of -p, -t, -u, or the workload; NULL: all */
	size_t tid_count;
	bool per_thread; /* --per-thread: no CPU dimension */
	bool inherit;
	bool by_user; /* -u was given: the caller's own threads may be among tids */
	/*
	 * A thread that executes a program goes on under another number, which a BPF program knows:
	 * asked with its map before all count as ended; NULL: nobody knows.
	 */
	bool (*goes_on)(int map);
	int goes_on_map;
	bool held; /* the only thread is a workload before its exec: its maps are about to go */
};
void target_release(struct target *t);
/*
 * "0-2,5": CPUs that are online here; anything that is not such a list fails with reason_usage().
 */
int target_choose_cpus(struct target *t, const char *list, struct reason *r);
/* Threads of the processes in "PID[,PID]"; vanished ones: an error with the pid. */
int target_add_pids(struct target *t, const char *list, struct reason *r);
int target_add_tids(struct target *t, const char *list, struct reason *r);
/* Every thread that there is: for counting by thread, system wide. */
int target_add_all(struct target *t, struct reason *r);
/* Does one of its threads still run?  Always where none is named. */
bool target_is_alive(const struct target *t);
/* In the processes that the user, a name or a number, has now. */
int target_add_user(struct target *t, const char *user, struct reason *r);
/*
 * The same for a -u that cannot include later processes: if the user has none now and no tasks are
 * named, the error says why (why_list), and hint how to include them (NULL: nothing does).
 */
int target_list_user(struct target *t, const char *user, const char *why_list, const char *hint,
		     struct reason *r);
int target_user(const char *user, uid_t *uid, struct reason *r);
/* A command that has been prepared, beside what is there. */
void target_add_command(struct target *t, pid_t pid);

#endif
