// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures time between two points of a thread: a function's entry and its return, or two events.
 *
 * Calls of a function may nest, so each thread has a stack of starts, by its depth. A program's
 * call can end without a visible return: by longjmp() or an exception, or because the kernel
 * follows at most 64 returns of a thread. So the return of a program's function searches the call
 * that had its stack pointer.
 */
#include "bpf/kernel.h"
#include "bpf/latency.h"
#include "bpf/tasks.h"

enum { OPEN = 65536 };

const volatile struct latency_settings settings;
struct latency_counts counts;

struct open_key {
	u32 task, depth; /* task: for idle tasks the CPU, with the highest bit */
};

struct begin {
	u64 time, sp; /* sp: 0 for the kernel's functions and events, and if unknown */
};

HASH(begins, struct open_key, struct begin, OPEN);
HASH(depths, u32, u32, OPEN);
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

/*
 * A loop over at most all depths. The compiler must not replace the counter by one whose value the
 * verifier cannot track.
 */
#define for_each_depth(i)                                                                          \
	for (u32 i = 0; i < LATENCY_DEPTH; i++, ({ __asm__ volatile("" : "+r"(i)); }))

/* Returns the stack pointer of the probed program. */
static __always_inline u64 stack_pointer(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86) || defined(__TARGET_ARCH_arm64) || defined(__TARGET_ARCH_riscv)
	return regs->sp;
#elif defined(__TARGET_ARCH_powerpc)
	return regs->gpr[1];
#else
	return 0;
#endif
}

/*
 * Returns the depth of a full stack of starts without calls that have ended unseen, whose frames
 * are gone.
 */
static u32 without_ended(u32 depth, u64 sp)
{
	struct open_key key = { .task = task_number() };

	for_each_depth(i) {
		struct begin *b;

		key.depth = depth - 1;
		b = depth ? bpf_map_lookup_elem(&begins, &key) : NULL;
		if (!depth || (b && b->sp > sp))
			break;
		depth--;
	}
	return depth;
}

static void begin(u64 sp)
{
	struct begin now = { .time = bpf_ktime_get_ns(), .sp = sp };
	struct open_key key = { .task = task_number() };
	u32 *depth, first = 1;
	long err;

	if (settings.nests) {
		depth = bpf_map_lookup_elem(&depths, &key.task);
		if (depth) {
			key.depth =
				sp && *depth >= LATENCY_DEPTH ? without_ended(*depth, sp) : *depth;
			/*
			 * the kernel does not report the return of a program's call at this depth
			 */
			if (!sp || key.depth < LATENCY_DEPTH)
				*depth = key.depth + 1;
		} else {
			err = bpf_map_update_elem(&depths, &key.task, &first, BPF_NOEXIST);
			count_refusal(err, &counts.no_room);
			if (err)
				return;
		}
		if (key.depth >= LATENCY_DEPTH) {
			count_add(counts.too_deep, 1);
			return;
		}
	}
	count_refusal(bpf_map_update_elem(&begins, &key, &now, BPF_ANY), &counts.no_room);
}

static void keep_extremes(u64 ns)
{
	keep_most(&counts.sums.max, ns);
	keep_least(&counts.sums.min, ns);
}

/*
 * Finds the innermost call that returns with this stack pointer; its return address may not be on
 * the stack any more.
 */
static struct begin *call_of(struct open_key *key, u32 depth, u64 sp)
{
	for_each_depth(i) {
		struct begin *b;

		if (!depth)
			break;
		key->depth = --depth;
		b = bpf_map_lookup_elem(&begins, key);
		if (b && sp >= b->sp && sp - b->sp <= 2 * sizeof(u64))
			return b;
	}
	return NULL;
}

static void end(u64 sp)
{
	u64 now = bpf_ktime_get_ns(), ns;
	struct open_key key = { .task = task_number() };
	struct latency_scale scale = settings.scale;
	struct begin *from = NULL;
	u32 *depth = NULL, slot;

	if (settings.nests) {
		depth = bpf_map_lookup_elem(&depths, &key.task);
		if (!depth || !*depth)
			return; /* it was called before the measurement began */
		key.depth = *depth - 1;
	}
	if (sp)
		from = call_of(&key, depth ? *depth : 1, sp);
	else if (key.depth < LATENCY_DEPTH)
		from = bpf_map_lookup_elem(&begins, &key);
	if (depth && (from || !sp)) {
		*depth = key.depth;
		if (!key.depth)
			bpf_map_delete_elem(&depths, &key.task);
	}
	if (!from) {
		count_add(counts.unmatched, key.depth < LATENCY_DEPTH);
		return;
	}
	ns = now - from->time;
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
int user_begin(struct pt_regs *ctx)
{
	if (wanted())
		begin(stack_pointer(ctx));
	return 0;
}

SEC("?uretprobe")
int user_end(struct pt_regs *ctx)
{
	end(stack_pointer(ctx));
	return 0;
}

SEC("?kprobe")
int kernel_begin(void *ctx)
{
	if (wanted())
		begin(0);
	return 0;
}

SEC("?kretprobe")
int kernel_end(void *ctx)
{
	end(0);
	return 0;
}

SEC("?tracepoint")
int event_begin(void *ctx)
{
	if (wanted())
		begin(0);
	return 0;
}

SEC("?tracepoint")
int event_end(void *ctx)
{
	end(0);
	return 0;
}

/* A thread that ends inside a call leaves its starts behind; its number may be reused. */
SEC("?tp_btf/sched_process_exit")
int BPF_PROG(task_exit, struct task_struct *task)
{
	struct open_key key = { .task = task_number() };
	u32 *known = bpf_map_lookup_elem(&depths, &key.task), depth = known ? *known : 1;

	for_each_depth(i) {
		if (i >= depth)
			break;
		key.depth = i;
		bpf_map_delete_elem(&begins, &key);
	}
	bpf_map_delete_elem(&depths, &key.task);
	return 0;
}
