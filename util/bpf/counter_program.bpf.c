// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of this CPU, read when another BPF program begins and when it ends.
 *
 * A program can be interrupted by a task that runs it as well. So the values read at its beginning
 * are valid at its end only if no other run began meanwhile.
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

#define PER_CPU(map, of_value, entries)                                                            \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);                                           \
		__uint(max_entries, entries);                                                      \
		__type(key, u32);                                                                  \
		__type(value, of_value);                                                           \
	} map SEC(".maps")

PER_CPU(begun, struct counter_value, 1); /* by event */
PER_CPU(sums, struct counter_value, 1);  /* by event */
PER_CPU(runner, u64, 1);                 /* the task that runs it, plus one; 0 for none */

SEC("fentry")
int BPF_PROG(on_begin)
{
	u32 zero = 0, first = bpf_get_smp_processor_id() * settings.events;
	u64 *who = bpf_map_lookup_elem(&runner, &zero);

	if (!who || !state.enabled)
		return 0;
	for (u32 e = 0; e < COUNTER_EVENTS_MOST && e < settings.events; e++) {
		struct counter_value *at = counter_at(&begun, e);

		if (at)
			counter_now(&events, first + e, at, &state.unread);
	}
	*who = (u32)bpf_get_current_pid_tgid() + 1ULL;
	return 0;
}

SEC("fexit")
int BPF_PROG(on_end)
{
	u32 zero = 0, first = bpf_get_smp_processor_id() * settings.events;
	u64 *who = bpf_map_lookup_elem(&runner, &zero);

	if (!who || !state.enabled)
		return 0;
	if (*who != (u32)bpf_get_current_pid_tgid() + 1ULL) {
		count_add(state.no_begin, 1);
		return 0;
	}
	*who = 0;
	for (u32 e = 0; e < COUNTER_EVENTS_MOST && e < settings.events; e++) {
		struct counter_value now, part, *at = counter_at(&begun, e);
		struct counter_value *sum = counter_at(&sums, e);

		if (!at || !sum || !counter_now(&events, first + e, &now, &state.unread))
			continue;
		part = counter_since(&now, at);
		counter_sum(sum, &part);
	}
	return 0;
}
