// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The self-check: everything that a component needs from BPF (a constant, counts, a map, stacks,
 * the ring, a field of a kernel struct), in one program that runs on each system call.
 */
#include "bpf/check.h"
#include "bpf/kernel.h"

enum { STACK_DEPTH = 32 };

const volatile struct check_settings settings;
struct check_counts counts;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 16);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 256);
	__uint(key_size, sizeof(u32));
	__uint(value_size, STACK_DEPTH * sizeof(u64));
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 64);
	__type(key, s64);
	__type(value, u64);
} by_number SEC(".maps");

static void count_number(s64 number)
{
	u64 one = 1, *seen = bpf_map_lookup_elem(&by_number, &number);

	if (seen)
		(*seen)++;
	else
		bpf_map_update_elem(&by_number, &number, &one, BPF_NOEXIST);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(sys_enter, void *regs, long number)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct check_call *call;

	if (BPF_CORE_READ(task, tgid) != (int)settings.tgid)
		return 0;
	count_add(counts.calls, 1);
	count_number(number);
	if ((u32)number != settings.only)
		return 0;
	call = bpf_ringbuf_reserve(&events, sizeof(*call), 0);
	if (!call) {
		count_add(counts.lost, 1);
		return 0;
	}
	call->tid = (u32)bpf_get_current_pid_tgid();
	call->number = number;
	call->stack = bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK);
	bpf_get_current_comm(call->comm, sizeof(call->comm));
	if (call->stack < 0)
		count_add(counts.no_stack, 1);
	bpf_ringbuf_submit(call, 0);
	count_add(counts.sent, 1);
	return 0;
}
