/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Internals of perf sched waits: what a task waits for, judged by the kernel functions in which it
 * waits.
 */
#ifndef BUILTIN_SCHED_CAUSES_H
#define BUILTIN_SCHED_CAUSES_H

#include "builtin/sched/chains.h"

/* clang-format off */
enum cause {
	CAUSE_RUN_QUEUE, CAUSE_QUOTA, CAUSE_FUTEX, CAUSE_PAGE_FAULT, CAUSE_DISK, CAUSE_PIPE, CAUSE_SOCKET,
	CAUSE_SLEEP, CAUSE_POLL, CAUSE_FILE_LOCK, CAUSE_SYSV, CAUSE_SIGNAL, CAUSE_STOPPED, CAUSE_FROZEN,
	CAUSE_KERNEL_LOCK, CAUSE_EVENT_FD, CAUSE_TERMINAL, CAUSE_MEMORY, CAUSE_CHILDREN, CAUSE_KERNEL_THREAD,
	CAUSE_OTHER, CAUSES,
};
/* clang-format on */

/* Returns the name of a cause: "mutex or condition (futex)". */
const char *cause_name(enum cause c);
/*
 * Returns the cause for a task that left the CPU there; frames are innermost first. to_idle means
 * that the CPU became idle, although the task was runnable.
 */
enum cause cause_of(const struct sched_frame *frames, size_t count, enum tasks_state why,
		    char letter, bool to_idle);

/*
 * Reports whether a cgroup's quota may be the cause although cause_of() names the run queue. It is,
 * if the CPU becomes idle before the task has run again.
 */
bool cause_may_be_quota(const struct sched_frame *frames, size_t count, enum tasks_state why);

#endif
