/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes that a program follows, by process id: perf adds those that the user named, and the
 * program adds their children. perf loads process_fork() only if processes were named.
 */
#ifndef BPF_PROCESSES_H
#define BPF_PROCESSES_H

#include "bpf/refusals.h"

/* The size of each map of named processes, tasks, CPUs, locks, cgroups. */
enum { TARGETS = 16384 };

HASH(processes, u32, u8, TARGETS);

u64 unfollowed; /* tasks not followed for lack of room: bpf_run_say_missed() reports them */

SEC("?tp_btf/sched_process_fork")
int BPF_PROG(process_fork, struct task_struct *parent, struct task_struct *child)
{
	u32 from = BPF_CORE_READ(parent, tgid), to = BPF_CORE_READ(child, tgid);
	u8 one = 1;

	if (from != to && bpf_map_lookup_elem(&processes, &from))
		count_refusal(bpf_map_update_elem(&processes, &to, &one, BPF_ANY), &unfollowed);
	return 0;
}

#endif
