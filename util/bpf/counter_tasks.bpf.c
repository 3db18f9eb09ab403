// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One event on every CPU, read at each context switch. Its counts are added to the CPU, the
 * outgoing task, or this task's user.
 *
 * on_switch is attached to the software event context-switches, because that is counted for every
 * switch while the outgoing task is still current; on_report is attached to the tracepoint. on_read
 * is not attached: it runs on a CPU to bring the sums up to date. Neither can interrupt the other:
 * one runs with interrupts off, the other where no switch can happen.
 *
 * Tasks are named by their numbers, in "targets". From their first switch on they carry the index
 * of their sum, so it moves with them and a reused number cannot cause confusion.
 */
#include "bpf/counter_read.h"
#include "bpf/kernel.h"

const volatile struct counter_settings settings;
struct counter_state state;

/* This event on each CPU; several perfs may use it. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(map_flags, BPF_F_PRESERVE_ELEMS); /* the events outlive the perf that opened them */
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} events SEC(".maps");

#define PER_CPU(map)                                                                               \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                                           \
		__uint(max_entries, 1);                                                            \
		__type(key, u32);                                                                  \
		__type(value, struct counter_value);                                               \
	} map SEC(".maps")

PER_CPU(previous);
PER_CPU(sums); /* one for all, or one for each named thread */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} targets SEC(".maps");

OF_TASKS(carried, u32); /* index in sums, plus one */

/* Returns the index that the current task carries, plus one; 0 if it is not counted. */
static u32 current_index(void)
{
	struct task_struct *task = this_task();
	u32 *has = of_task(carried, task), *named, tid;

	if (has)
		return *has;
	if (!state.waiting)
		return 0;
	tid = (u32)bpf_get_current_pid_tgid();
	named = bpf_map_lookup_elem(&targets, &tid);
	if (!named)
		return 0;
	has = make_of_task(carried, task);
	if (!has) {
		count_add(state.no_storage, 1);
		return *named + 1;
	}
	*has = *named + 1;
	bpf_map_delete_elem(&targets, &tid);
	count_add(state.waiting, -1);
	return *has;
}

/* Returns 1 in what the user runs, which an idle CPU's task is not, although root owns it. */
static u32 index_of_user(void)
{
	return bpf_get_current_pid_tgid() && (u32)bpf_get_current_uid_gid() == settings.user;
}

/*
 * Reads what was counted on this CPU since the last reading; returns false if that fails. In a
 * switch, the event that was opened last runs first, which is this one: the switch is not counted
 * yet.
 */
static bool read_part(struct counter_value *part, bool in_switch)
{
	struct counter_value now, *before;
	u32 zero = 0;

	before = bpf_map_lookup_elem(&previous, &zero);
	if (!before || !counter_now(&events, bpf_get_smp_processor_id(), &now, &state.unread))
		return false;
	now.count += in_switch && settings.is_switch;
	*part = counter_since(&now, before);
	*before = now;
	return true;
}

static int read_and_add(bool in_switch)
{
	u32 index = settings.by_task ? current_index() : settings.by_user ? index_of_user() : 1;
	struct counter_value part, *sum;

	if (!read_part(&part, in_switch) || !index || !state.enabled)
		return 0;
	index--;
	sum = bpf_map_lookup_elem(&sums, &index);
	if (sum)
		counter_sum(sum, &part);
	return 0;
}

SEC("perf_event")
int on_switch(void *ctx)
{
	return read_and_add(true);
}

/*
 * The kernel stops calling on_switch for the rest of a tick after very many switches, and while a
 * CPU is idle a tick is long. The tracepoint misses other switches, so both are used: the second
 * finds nothing left of what the first has read.
 */
SEC("?tp_btf/sched_switch")
int BPF_PROG(on_report)
{
	return read_and_add(true);
}

SEC("raw_tp/sched_switch")
int on_read(void *ctx)
{
	return read_and_add(false);
}

SEC("?tp_btf/task_newtask")
int BPF_PROG(task_made, struct task_struct *child)
{
	u32 index = current_index(), *has;

	if (!index)
		return 0;
	has = make_of_task(carried, child);
	if (has)
		*has = index;
	else
		count_add(state.no_storage, 1);
	return 0;
}

/* A switch may interrupt exec, so it subtracts earlier counts instead of reading them away. */
SEC("?tp_btf/sched_process_exec")
int BPF_PROG(task_exec, struct task_struct *task)
{
	struct counter_value now, part, *before, *sum;
	u32 zero = 0, index = current_index();

	if (!index || state.enabled)
		return 0;
	index--;
	before = bpf_map_lookup_elem(&previous, &zero);
	sum = bpf_map_lookup_elem(&sums, &index);
	if (before && sum &&
	    counter_now(&events, bpf_get_smp_processor_id(), &now, &state.unread)) {
		part = counter_since(before, &now);
		counter_sum(sum, &part);
	}
	state.enabled = 1;
	return 0;
}

/*
 * Like the kernel's own events of a task, a counter leaves the task here: the switch that it never
 * returns from is not counted.
 */
SEC("?tp_btf/sched_process_exit")
int BPF_PROG(task_exit, struct task_struct *task)
{
	u32 zero = 0, index = current_index(), *has;
	struct counter_value now, part, *before, *sum;

	if (!index)
		return 0;
	index--;
	before = bpf_map_lookup_elem(&previous, &zero);
	sum = bpf_map_lookup_elem(&sums, &index);
	if (state.enabled && before && sum &&
	    counter_now(&events, bpf_get_smp_processor_id(), &now, &state.unread)) {
		part = counter_since(&now, before);
		counter_sum(sum, &part);
	}
	has = of_task(carried, this_task());
	if (has)
		*has = 0;
	return 0;
}
