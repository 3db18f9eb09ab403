// SPDX-License-Identifier: GPL-2.0-or-later
/* What a task waits for, by call chains as kernels from 5.10 to 6.18 have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "builtin/sched/causes.h"

enum { MOST = 12 };

/* Names of the kernel, innermost first; one behind a slash is of the program. */
static size_t chain(const char *text, struct sched_frame *frames, char *names, size_t size)
{
	size_t count = 0;

	assert_true(strlen(text) < size);
	memcpy(names, text, strlen(text) + 1);
	for (char *at = strtok(names, " "); at; at = strtok(NULL, " ")) {
		bool user = *at == '/';

		assert_true(count < MOST);
		frames[count++] = (struct sched_frame){ .name = at + user, .kernel = !user };
	}
	return count;
}

static enum cause cause(const char *text, enum tasks_state why, char letter, bool to_idle)
{
	struct sched_frame frames[MOST];
	char names[512];
	size_t count = chain(text, frames, names, sizeof(names));

	return cause_of(frames, count, why, letter, to_idle);
}

static void sleeping(void **state)
{
	static const struct {
		const char *chain;
		enum cause cause;
	} rows[] = {
		{ "schedule futex_wait_queue_me futex_wait do_futex __x64_sys_futex /lll_lock_wait",
		  CAUSE_FUTEX },
		{ "schedule futex_wait_queue __futex_wait futex_wait do_futex /f", CAUSE_FUTEX },
		{ "schedule futex_do_wait __futex_wait /f", CAUSE_FUTEX },
		{ "schedule anon_pipe_read vfs_read ksys_read /read", CAUSE_PIPE },
		{ "schedule pipe_write vfs_write /write", CAUSE_PIPE },
		{ "schedule schedule_timeout unix_stream_data_wait unix_stream_read_generic /recv",
		  CAUSE_SOCKET },
		{ "schedule schedule_timeout inet_csk_accept inet_accept /accept", CAUSE_SOCKET },
		{ "schedule do_nanosleep hrtimer_nanosleep /sleep", CAUSE_SLEEP },
		{ "schedule schedule_hrtimeout_range_clock do_sigtimedwait.isra.0 /sigwait",
		  CAUSE_SIGNAL },
		{ "schedule schedule_timeout __x64_sys_rt_sigtimedwait /sigwait", CAUSE_SIGNAL },
		{ "schedule schedule_hrtimeout_range do_epoll_wait.part.0 do_epoll_wait /epoll",
		  CAUSE_POLL },
		{ "schedule io_schedule folio_wait_bit_common filemap_fault __do_fault "
		  "exc_page_fault /f",
		  CAUSE_PAGE_FAULT },
		{ "schedule io_schedule folio_wait_bit_common filemap_read ext4_file_read_iter "
		  "vfs_read /read",
		  CAUSE_DISK },
		{ "schedule jbd2_log_wait_commit ext4_sync_file do_fsync /fsync", CAUSE_DISK },
		{ "schedule wb_wait_for_completion __writeback_inodes_sb_nr sync_inodes_sb "
		  "ksys_sync /sync",
		  CAUSE_DISK },
		{ "schedule rwsem_down_write_slowpath down_write vm_mmap_pgoff /mmap",
		  CAUSE_KERNEL_LOCK },
		{ "schedule do_wait kernel_wait4 /wait4", CAUSE_CHILDREN },
		{ "schedule schedule_timeout __wait_for_common wait_for_completion_state "
		  "kernel_clone /vfork",
		  CAUSE_CHILDREN },
		{ "schedule worker_thread kthread ret_from_fork", CAUSE_KERNEL_THREAD },
		{ "schedule something_new __x64_sys_new /new", CAUSE_OTHER },
		{ ".isra.0 schedule something_new /new", CAUSE_OTHER },
		/* a name of the program says nothing of the kernel */
		{ "schedule something_new /pipe_read", CAUSE_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		enum cause c = cause(rows[i].chain, TASKS_SLEEPING, 'S', false);

		if (c != rows[i].cause)
			fail_msg("%s: %s, not %s", rows[i].chain, cause_name(c),
				 cause_name(rows[i].cause));
	}
}

static void able_to_run(void **state)
{
	static const char preempted[] = "schedule irqentry_exit_to_user_mode /burn";
	static const char throttled[] = "schedule throttle_cfs_rq_work task_work_run /burn";
	static const char rescheduled[] =
		"schedule __cond_resched task_work_run irqentry_exit_to_user_mode "
		"asm_sysvec_apic_timer_interrupt /burn";
	static const char closing[] =
		"schedule __cond_resched task_work_run exit_to_user_mode_loop do_syscall_64 "
		"entry_SYSCALL_64_after_hwframe /close";
	static const char deeper[] =
		"schedule __cond_resched dput __fput task_work_run irqentry_exit_to_user_mode "
		"asm_sysvec_apic_timer_interrupt /burn";
	static const char ending[] =
		"schedule __cond_resched task_work_run do_exit do_group_exit /exit";

	(void)state;
	assert_int_equal(cause(preempted, TASKS_PREEMPTED, 'R', false), CAUSE_RUN_QUEUE);
	/* nobody else wanted the CPU */
	assert_int_equal(cause(preempted, TASKS_PREEMPTED, 'R', true), CAUSE_QUOTA);
	assert_int_equal(cause(throttled, TASKS_PREEMPTED, 'R', false), CAUSE_QUOTA);
	assert_int_equal(cause(rescheduled, TASKS_PREEMPTED, 'R', false), CAUSE_QUOTA);
	/* closing a file can wake others that take the CPU */
	assert_int_equal(cause(closing, TASKS_PREEMPTED, 'R', false), CAUSE_RUN_QUEUE);
	assert_int_equal(cause(closing, TASKS_PREEMPTED, 'R', true), CAUSE_QUOTA);
	assert_int_equal(cause(deeper, TASKS_PREEMPTED, 'R', false), CAUSE_RUN_QUEUE);
	/* which is never throttled: it closes its files in the same work */
	assert_int_equal(cause(ending, TASKS_PREEMPTED, 'R', false), CAUSE_RUN_QUEUE);
	assert_int_equal(cause(throttled, TASKS_SLEEPING, 'T', false), CAUSE_STOPPED);
	assert_int_equal(cause("", TASKS_SLEEPING, 'S', false), CAUSE_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(sleeping),
					    cmocka_unit_test(able_to_run) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
