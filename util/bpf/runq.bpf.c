// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures how long runnable tasks wait for a CPU: from the wake-up, the fork or the preemption, to
 * the switch to the task.
 *
 * Idle CPUs of some kernels do not report each switch to a task. The next report of the task's run
 * time shows when it began, so the wait ends there.
 */
#include "bpf/kernel.h"
#include "bpf/refusals.h"
#include "bpf/runq.h"

enum { ROWS = 16384 };

const volatile struct runq_settings settings;
/* The initial row. */
const volatile struct runq_row no_delays = { .least = ~0ULL };
struct runq_counts counts;

struct ready {
	u64 since;     /* 0 while it runs or sleeps */
	u32 preempted; /* it was preempted and is ready since: a wake-up adds nothing */
	u32 unused;
};

OF_TASKS(starts, struct ready);

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ROWS);
	__type(key, struct runq_key);
	__type(value, struct runq_row);
} rows SEC(".maps");

/* Before Linux 5.14. */
struct task_struct___state {
	long state;
} __attribute__((preserve_access_index));

/* The place of its CPU's number: in thread_info since Linux 5.16. */
struct task_struct___cpu {
	unsigned int cpu;
} __attribute__((preserve_access_index));

static u32 state_of(struct task_struct *task)
{
	struct task_struct___state *old = (void *)task;

	if (bpf_core_field_exists(task->__state))
		return (u32)BPF_CORE_READ(task, __state);
	return (u32)BPF_CORE_READ(old, state);
}

static u32 cpu_of(struct task_struct *task)
{
	struct task_struct___cpu *old = (void *)task;

	if (bpf_core_field_exists(task->thread_info.cpu))
		return BPF_CORE_READ(task, thread_info.cpu);
	if (bpf_core_field_exists(old->cpu))
		return BPF_CORE_READ(old, cpu);
	return bpf_get_smp_processor_id();
}

static bool is_on_cpu(struct task_struct *task)
{
	return bpf_core_field_exists(task->on_cpu) && BPF_CORE_READ(task, on_cpu);
}

static bool wants(u32 cpu)
{
	u32 word = cpu / 64;

	if (!settings.some_cpus)
		return true;
	if (word >= RUNQ_CPU_WORDS)
		return false;
	/*
	 * Without this the compiler drops the mask as redundant; verifiers of old kernels need it.
	 */
	barrier_var(word);
	return settings.cpus[word & (RUNQ_CPU_WORDS - 1)] >> (cpu % 64) & 1;
}

static void set_key(struct runq_key *key, struct task_struct *task, u32 cpu)
{
	key->round = counts.round;
	if (settings.mode == RUNQ_TASK) {
		key->id = (u32)task->pid;
		BPF_CORE_READ_STR_INTO(&key->comm, task, comm);
	} else if (settings.mode == RUNQ_CPU) {
		key->id = cpu;
	} else if (settings.mode == RUNQ_CGROUP) {
		key->id = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	}
}

static struct runq_row *row_of(const struct runq_key *key)
{
	struct runq_row *row = bpf_map_lookup_elem(&rows, key);
	long err;

	if (row)
		return row;
	err = bpf_map_update_elem(&rows, key, (const void *)&no_delays, BPF_NOEXIST);
	row = bpf_map_lookup_elem(&rows, key);
	if (!row)
		count_refusal(err, &counts.no_row);
	return row;
}

static void keep_extremes(struct runq_row *row, u64 ns)
{
	keep_most(&row->most, ns);
	keep_least(&row->least, ns);
}

static u32 slot_of(u64 us)
{
	u32 slot = 0;

	for (u32 step = 32; step; step /= 2)
		if (us >> step) {
			slot += step;
			us >>= step;
		}
	slot += us != 0;
	return slot < RUNQ_SLOTS ? slot : RUNQ_SLOTS - 1;
}

static void count(struct task_struct *task, u64 ns)
{
	u32 cpu = cpu_of(task), slot = slot_of(ns / 1000);
	struct runq_key key = { 0 };
	struct runq_row *row;

	if (!counts.enabled || !wants(cpu))
		return;
	set_key(&key, task, cpu);
	row = row_of(&key);
	if (!row)
		return;
	if (slot < RUNQ_SLOTS)
		count_add(row->slots[slot], 1);
	count_add(row->count, 1);
	count_add(row->sum, ns);
	keep_extremes(row, ns);
}

static void set_ready(struct task_struct *task, bool preempted)
{
	struct ready *s;

	if (!task->pid)
		return;
	s = make_of_task(starts, task);
	if (!s) {
		count_add(counts.no_start, 1);
		return;
	}
	if (!preempted && s->since && s->preempted)
		return;
	s->preempted = preempted;
	s->since = bpf_ktime_get_ns();
}

SEC("tp_btf/sched_waking")
int BPF_PROG(sched_waking, struct task_struct *task)
{
	set_ready(task, false);
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(sched_wakeup_new, struct task_struct *task)
{
	set_ready(task, false);
	return 0;
}

/* Woken before it had left its CPU: it continues, and has not waited. */
SEC("tp_btf/sched_wakeup")
int BPF_PROG(sched_wakeup, struct task_struct *task)
{
	struct ready *s = is_on_cpu(task) ? of_task(starts, task) : NULL;

	if (s)
		s->since = 0;
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(sched_switch, bool preempted, struct task_struct *prev, struct task_struct *next)
{
	struct ready *s;
	u64 now;

	if (preempted || !state_of(prev))
		set_ready(prev, true);
	s = next->pid ? of_task(starts, next) : NULL;
	if (!s || !s->since)
		return 0;
	now = bpf_ktime_get_ns();
	if (now > s->since)
		count(next, now - s->since);
	s->since = 0;
	return 0;
}

SEC("tp_btf/sched_stat_runtime")
int BPF_PROG(sched_stat_runtime, struct task_struct *task, u64 runtime)
{
	struct ready *s = of_task(starts, task);
	u64 began;

	if (!s || !s->since)
		return 0;
	began = bpf_ktime_get_ns() - runtime;
	if (began < s->since)
		return 0; /* woken while it ran */
	count(task, began - s->since);
	count_add(counts.unseen, 1);
	s->since = 0;
	return 0;
}
