// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Causes by names of kernel functions.  Of several that fit, the first in the table counts: a
 * page fault that reads from a disk is a page fault.
 */
#include "builtin/sched/causes.h"

#include <string.h>

#include "base/text.h"

const char *cause_name(enum cause c)
{
	static const char *const names[CAUSES] = {
		[CAUSE_RUN_QUEUE] = "run queue (CPUs busy)",
		[CAUSE_QUOTA] = "CPU quota (cgroup)",
		[CAUSE_FUTEX] = "lock or condition (futex)",
		[CAUSE_PAGE_FAULT] = "page fault",
		[CAUSE_DISK] = "disk",
		[CAUSE_PIPE] = "pipe",
		[CAUSE_SOCKET] = "socket",
		[CAUSE_SLEEP] = "sleep (timer)",
		[CAUSE_POLL] = "poll (any of several)",
		[CAUSE_FILE_LOCK] = "file lock",
		[CAUSE_SYSV] = "System V IPC",
		[CAUSE_SIGNAL] = "signal",
		[CAUSE_STOPPED] = "stopped (signal, debugger)",
		[CAUSE_FROZEN] = "frozen (cgroup)",
		[CAUSE_KERNEL_LOCK] = "lock of the kernel",
		[CAUSE_EVENT_FD] = "eventfd, timerfd",
		[CAUSE_TERMINAL] = "terminal",
		[CAUSE_MEMORY] = "memory (reclaim)",
		[CAUSE_CHILDREN] = "its children",
		[CAUSE_KERNEL_THREAD] = "work (threads of the kernel)",
		[CAUSE_OTHER] = "other",
	};

	return names[c];
}

static const struct {
	const char *pattern;
	enum cause cause;
} functions[] = {
	{ "throttle_cfs_rq_work", CAUSE_QUOTA },
	{ "do_freezer_trap", CAUSE_FROZEN },
	{ "__refrigerator", CAUSE_FROZEN },
	{ "do_signal_stop", CAUSE_STOPPED },
	{ "ptrace_stop", CAUSE_STOPPED },
	{ "*futex*wait*", CAUSE_FUTEX },
	{ "futex_do_wait", CAUSE_FUTEX },
	{ "futex_lock_pi*", CAUSE_FUTEX },
	{ "handle_userfault", CAUSE_PAGE_FAULT },
	{ "*exc_page_fault", CAUSE_PAGE_FAULT },
	{ "do_user_addr_fault", CAUSE_PAGE_FAULT },
	{ "do_translation_fault", CAUSE_PAGE_FAULT },
	{ "shrink_*", CAUSE_MEMORY },
	{ "mem_cgroup_handle_over_high", CAUSE_MEMORY },
	{ "*flock_lock_inode_wait", CAUSE_FILE_LOCK },
	{ "locks_lock_inode_wait", CAUSE_FILE_LOCK },
	{ "fcntl_setlk*", CAUSE_FILE_LOCK },
	{ "__do_semtimedop", CAUSE_SYSV },
	{ "do_semtimedop", CAUSE_SYSV },
	{ "do_msgrcv", CAUSE_SYSV },
	{ "do_msgsnd", CAUSE_SYSV },
	{ "wq_sleep", CAUSE_SYSV },
	{ "*pipe_read", CAUSE_PIPE },
	{ "*pipe_write", CAUSE_PIPE },
	{ "wait_for_partner", CAUSE_PIPE },
	{ "fifo_open", CAUSE_PIPE },
	{ "do_epoll_wait", CAUSE_POLL },
	{ "ep_poll", CAUSE_POLL },
	{ "do_sys_poll", CAUSE_POLL },
	{ "do_select", CAUSE_POLL },
	{ "eventfd_read", CAUSE_EVENT_FD },
	{ "timerfd_read*", CAUSE_EVENT_FD },
	{ "signalfd_read*", CAUSE_SIGNAL },
	{ "do_sigtimedwait", CAUSE_SIGNAL },
	{ "*sys_rt_sigtimedwait*", CAUSE_SIGNAL },
	{ "sigsuspend", CAUSE_SIGNAL },
	{ "*sys_pause", CAUSE_SIGNAL },
	{ "hrtimer_nanosleep", CAUSE_SLEEP },
	{ "n_tty_read", CAUSE_TERMINAL },
	{ "do_wait", CAUSE_CHILDREN },
	{ "wait_for_vfork_done", CAUSE_CHILDREN },
	{ "unix_*", CAUSE_SOCKET },
	{ "tcp_*", CAUSE_SOCKET },
	{ "udp_*", CAUSE_SOCKET },
	{ "inet_*", CAUSE_SOCKET },
	{ "sk_wait_data", CAUSE_SOCKET },
	{ "__skb_*wait*", CAUSE_SOCKET },
	{ "sock_*", CAUSE_SOCKET },
	{ "io_schedule*", CAUSE_DISK },
	{ "folio_wait_*", CAUSE_DISK },
	{ "submit_bio_wait", CAUSE_DISK },
	{ "*fsync*", CAUSE_DISK },
	{ "jbd2_*", CAUSE_DISK },
	{ "blk_*", CAUSE_DISK },
	{ "wb_wait_for_completion", CAUSE_DISK },
	{ "balance_dirty_pages*", CAUSE_DISK },
	{ "request_wait_answer", CAUSE_DISK },
	{ "p9_client_rpc", CAUSE_DISK },
	{ "nfs_*", CAUSE_DISK },
	{ "__mutex_lock*", CAUSE_KERNEL_LOCK },
	{ "rwsem_down_*", CAUSE_KERNEL_LOCK },
	{ "__down_*", CAUSE_KERNEL_LOCK },
	{ "schedule_preempt_disabled", CAUSE_KERNEL_LOCK },
	/* after vfork(): compilers make wait_for_vfork_done() a part of it */
	{ "kernel_clone", CAUSE_CHILDREN },
	{ "_do_fork", CAUSE_CHILDREN },
};

/*
 * Reports whether name is the function. Compilers name what they made of one after it:
 * do_sigtimedwait.isra.0.
 */
static bool is_function(const char *pattern, const char *name)
{
	char plain[128];
	size_t len = strcspn(name, ".");

	if (!name[len] || !len || len >= sizeof(plain))
		return glob_match(pattern, name);
	memcpy(plain, name, len);
	plain[len] = '\0';
	return glob_match(pattern, plain);
}

/* Returns the index of the kernel's first frame of this function, or count if there is none. */
static size_t find_frame(const struct sched_frame *frames, size_t count, const char *pattern)
{
	for (size_t i = 0; i < count && frames[i].kernel; i++)
		if (is_function(pattern, frames[i].name))
			return i;
	return count;
}

static bool in_chain(const struct sched_frame *frames, size_t count, const char *pattern)
{
	return find_frame(frames, count, pattern) < count;
}

/* Reports whether task_work_run() itself yields the CPU, rather than something that it calls. */
static bool between_works(const struct sched_frame *frames, size_t count)
{
	size_t at = find_frame(frames, count, "task_work_run");

	return at && at < count && is_function("*cond_resched", frames[at - 1].name) &&
	       !in_chain(frames, count, "do_exit");
}

static bool after_interrupt(const struct sched_frame *frames, size_t count)
{
	return in_chain(frames, count, "irqentry_exit*") ||
	       in_chain(frames, count, "asm_sysvec_*") ||
	       in_chain(frames, count, "asm_common_interrupt") ||
	       in_chain(frames, count, "el0*_irq*") || in_chain(frames, count, "el0_interrupt");
}

bool cause_may_be_quota(const struct sched_frame *frames, size_t count, enum tasks_state why)
{
	return why == TASKS_PREEMPTED && between_works(frames, count);
}

/*
 * Reports whether the task was taken from the CPU because its cgroup's quota is used up. Then even
 * an idle CPU does not run it. Since Linux 6.18 such a task leaves in the work that is done on the
 * way back to its program, mostly from the timer's interrupt: other tasks that want the CPU have
 * got it before that work. On the way back from a system call such work closes files, and may wake
 * others that take the CPU. A task that ends also does that work, but is never throttled there.
 */
static bool is_throttled(const struct sched_frame *frames, size_t count, bool to_idle)
{
	return to_idle || in_chain(frames, count, "throttle_cfs_rq_work") ||
	       (between_works(frames, count) && after_interrupt(frames, count));
}

enum cause cause_of(const struct sched_frame *frames, size_t count, enum tasks_state why,
		    char letter, bool to_idle)
{
	if (letter == 'T' || letter == 't')
		return CAUSE_STOPPED;
	if (why == TASKS_PREEMPTED || why == TASKS_READY)
		return is_throttled(frames, count, to_idle) ? CAUSE_QUOTA : CAUSE_RUN_QUEUE;
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (in_chain(frames, count, functions[i].pattern))
			return functions[i].cause;
	for (size_t i = 0; i < count; i++)
		if (!frames[i].kernel)
			return CAUSE_OTHER;
	return count ? CAUSE_KERNEL_THREAD : CAUSE_OTHER;
}
