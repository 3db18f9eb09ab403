// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Time between two points of a thread: a function's entry and its return, or two events.
 *
 * Calls of a function may nest, so each thread has a stack of begins, by its depth.
 */
#include "bpf/kernel.h"
#include "bpf/latency.h"
#include "bpf/processes.h"

enum { OPEN = 65536 };

const volatile struct latency_settings settings;
struct latency_counts counts;

struct open_key {
	u32 task, depth; /* task: of the idle tasks their CPU, with the highest bit */
};

HASH(begins, struct open_key, u64, OPEN);
HASH(depths, u32, u32, OPEN);
HASH(tasks, u32, u8, TARGETS);
HASH(cpus, u32, u8, TARGETS);

static bool wanted(void)
{
	u64 id = bpf_get_current_pid_tgid();
	u32 tid = (u32)id, tgid = id >> 32, cpu = bpf_get_smp_processor_id();

	if (!counts.enabled || tgid == settings.self)
		return false;
	if (settings.some_tasks && !bpf_map_lookup_elem(&tasks, &tid))
		return false;
	if (settings.some_processes && !bpf_map_lookup_elem(&processes, &tgid))
		return false;
	return !settings.some_cpus || bpf_map_lookup_elem(&cpus, &cpu);
}

static u32 task_number(void)
{
	u32 tid = (u32)bpf_get_current_pid_tgid();

	return tid ? tid : bpf_get_smp_processor_id() | 1U << 31;
}

static void begin(void)
{
	u64 now = bpf_ktime_get_ns();
	struct open_key key = { .task = task_number() };
	u32 *depth, first = 1;

	if (settings.nests) {
		depth = bpf_map_lookup_elem(&depths, &key.task);
		if (depth)
			key.depth = (*depth)++;
		else if (bpf_map_update_elem(&depths, &key.task, &first, BPF_NOEXIST)) {
			count_add(counts.no_room, 1);
			return;
		}
		if (key.depth >= LATENCY_DEPTH) {
			count_add(counts.too_deep, 1);
			return;
		}
	}
	if (bpf_map_update_elem(&begins, &key, &now, BPF_ANY))
		count_add(counts.no_room, 1);
}

static void keep_extremes(u64 ns)
{
	for (int i = 0; i < 8; i++) {
		u64 old = counts.sums.max;

		if (old >= ns || __sync_val_compare_and_swap(&counts.sums.max, old, ns) == old)
			break;
	}
	for (int i = 0; i < 8; i++) {
		u64 old = counts.sums.min;

		if (old <= ns || __sync_val_compare_and_swap(&counts.sums.min, old, ns) == old)
			break;
	}
}

static void end(void)
{
	u64 now = bpf_ktime_get_ns(), *from, ns;
	struct open_key key = { .task = task_number() };
	struct latency_scale scale = settings.scale;
	u32 *depth, slot;

	if (settings.nests) {
		depth = bpf_map_lookup_elem(&depths, &key.task);
		if (!depth || !*depth)
			return; /* it was called before we began */
		key.depth = --*depth;
		if (!key.depth)
			bpf_map_delete_elem(&depths, &key.task);
		if (key.depth >= LATENCY_DEPTH)
			return;
	}
	from = bpf_map_lookup_elem(&begins, &key);
	if (!from) {
		count_add(counts.unmatched, 1);
		return;
	}
	ns = now - *from;
	bpf_map_delete_elem(&begins, &key);
	if (!counts.enabled)
		return;
	slot = latency_slot(&scale, ns);
	if (slot < LATENCY_SLOTS)
		count_add(counts.slots[slot], 1);
	count_add(counts.sums.count, 1);
	count_add(counts.sums.total, ns);
	keep_extremes(ns);
}

SEC("?uprobe")
int user_begin(void *ctx)
{
	if (wanted())
		begin();
	return 0;
}

SEC("?uretprobe")
int user_end(void *ctx)
{
	end();
	return 0;
}

SEC("?kprobe")
int kernel_begin(void *ctx)
{
	if (wanted())
		begin();
	return 0;
}

SEC("?kretprobe")
int kernel_end(void *ctx)
{
	end();
	return 0;
}

SEC("?tracepoint")
int event_begin(void *ctx)
{
	if (wanted())
		begin();
	return 0;
}

SEC("?tracepoint")
int event_end(void *ctx)
{
	end();
	return 0;
}

/* A thread that ends inside of a call leaves its begins; its number may come again. */
SEC("?tp_btf/sched_process_exit")
int BPF_PROG(task_exit, struct task_struct *task)
{
	struct open_key key = { .task = task_number() };

	bpf_map_delete_elem(&depths, &key.task);
	bpf_map_delete_elem(&begins, &key);
	return 0;
}
