/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tasks that a program follows, by thread id: perf adds those that the user named. perf loads
 * task_exec() only if tasks were named.
 */
#ifndef BPF_TASKS_H
#define BPF_TASKS_H

#include "bpf/processes.h"

HASH(tasks, u32, u8, TARGETS);

/* A thread that calls exec takes the number of its process's first thread. */
SEC("?tp_btf/sched_process_exec")
int BPF_PROG(task_exec, struct task_struct *task, int old_pid)
{
	u32 from = (u32)old_pid, to = (u32)task->pid;
	u8 one = 1;

	if (from == to || !bpf_map_lookup_elem(&tasks, &from))
		return 0;
	bpf_map_delete_elem(&tasks, &from);
	count_refusal(bpf_map_update_elem(&tasks, &to, &one, BPF_ANY), &unfollowed);
	return 0;
}

#endif
