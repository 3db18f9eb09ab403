// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events on every CPU, read when the CPU goes from one cgroup to another. Their counts are added to
 * the cgroup that it leaves, and to all around it.
 *
 * on_switch is attached to the software event cgroup-switches, which is counted while the outgoing
 * task is still current. on_read runs on a CPU to bring the sums up to date.
 *
 * A task that is moved takes its CPU into another cgroup without a switch. If it moves itself,
 * on_move reads the counters immediately. If another CPU moves it, a clock that runs on_switch a
 * hundred times a second limits how much the new cgroup gets wrongly.
 *
 * The clock is an interrupt, which can come while on_read or on_move runs on its CPU. It then
 * leaves everything as it is: the next reader adds what was counted up to that moment.
 */
#include "bpf/counter_read.h"
#include "bpf/kernel.h"

const volatile struct counter_settings settings;
struct counter_state state;

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1); /* those of CPU 0, then those of CPU 1, and so on */
	__type(key, u32);
	__type(value, u32);
} events SEC(".maps");

/* The cgroups to count, by the number of their directory. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, u64);
	__type(value, u32);
} cgroups SEC(".maps");

#define PER_CPU(map)                                                                               \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                                           \
		__uint(max_entries, 1);                                                            \
		__type(key, u32);                                                                  \
		__type(value, struct counter_value);                                               \
	} map SEC(".maps")

PER_CPU(previous); /* by event */
PER_CPU(latest);   /* by event: the difference that this reading made */
PER_CPU(sums);     /* [cgroup][event] */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} reading SEC(".maps"); /* 1 while a reader runs on this CPU */

static void read_all(void)
{
	struct counter_value now, *before, *difference;
	u32 first = bpf_get_smp_processor_id() * settings.events;

	for (u32 e = 0; e < COUNTER_EVENTS_MOST && e < settings.events; e++) {
		before = counter_at(&previous, e);
		difference = counter_at(&latest, e);
		if (!before || !difference)
			return;
		*difference = (struct counter_value){ 0 };
		if (!counter_now(&events, first + e, &now, &state.unread))
			continue; /* the event is not opened here */
		*difference = counter_since(&now, before);
		*before = now;
	}
}

static void add_to(u32 cgroup)
{
	struct counter_value *difference, *sum;

	for (u32 e = 0; e < COUNTER_EVENTS_MOST && e < settings.events; e++) {
		difference = counter_at(&latest, e);
		sum = counter_at(&sums, cgroup * settings.events + e);
		if (difference && sum)
			counter_sum(sum, difference);
	}
}

static struct cgroup_subsys_state *current_cgroup(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	u32 id = bpf_core_enum_value(enum cgroup_subsys_id, perf_event_cgrp_id);
	struct cgroup_subsys_state *at = NULL;

	if (bpf_probe_read_kernel(&at, sizeof(at),
				  (void *)__builtin_preserve_access_index(&set->subsys) +
					  id * sizeof(at)))
		count_add(state.no_cgroup, 1);
	return at;
}

static void read_and_add_all(bool root_alone)
{
	struct cgroup_subsys_state *at = current_cgroup(), *parent;

	read_all();
	if (!state.enabled)
		return;
	for (int level = 0; at && level < COUNTER_LEVELS_MOST; level++) {
		u64 id = BPF_CORE_READ(at, cgroup, kn, id);
		u32 *index = bpf_map_lookup_elem(&cgroups, &id);

		parent = BPF_CORE_READ(at, parent);
		if (index && (!parent || !root_alone))
			add_to(*index);
		at = parent;
	}
	if (at)
		count_add(state.too_deep, 1);
}

/*
 * Reads the events and adds them. A plain flag suffices: what interrupts a reader ends before the
 * reader continues.
 */
static int read_and_add(bool root_alone)
{
	u32 zero = 0, *busy = bpf_map_lookup_elem(&reading, &zero);

	if (!busy || *busy)
		return 0;
	*(volatile u32 *)busy = 1;
	barrier();
	read_and_add_all(root_alone);
	barrier();
	*(volatile u32 *)busy = 0;
	return 0;
}

SEC("perf_event")
int on_switch(void *ctx)
{
	return read_and_add(false);
}

/*
 * Runs after the move, and does not know the old cgroup, which the counts since the last reading
 * belong to. It is only certain that the root contains it.
 */
SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(on_move, struct cgroup *to, const char *path, struct task_struct *task)
{
	if ((u64)task == bpf_get_current_task())
		read_and_add(true);
	return 0;
}

/* The kernel throttles on_switch, as described in counter_tasks.bpf.c. */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_report)
{
	return read_and_add(false);
}

SEC("raw_tp/sched_switch")
int on_read(void *ctx)
{
	return read_and_add(false);
}
