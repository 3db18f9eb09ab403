// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The filter for ordinary users, who cannot load a program, but may attach one that root has loaded
 * and pinned. A map holds an event's tests, by the event's number.
 * A recording that was killed leaves its elements behind, so the map evicts the least recently
 * used. Samples of an event without an element are written.
 */
#include "bpf/sample_filter_tests.h"

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, PINNED_FILTERS);
	__type(key, u64);
	__type(value, struct pinned_filter);
} perf_filters SEC(".maps");

/*
 * Returns the event's number. Inherited events have the number of the first one in their samples.
 */
static u64 number_of(struct perf_event *event)
{
	struct perf_event *parent = BPF_CORE_READ(event, parent);

	return parent ? BPF_CORE_READ(parent, id) : BPF_CORE_READ(event, id);
}

SEC("perf_event")
int perf_filter(void *ctx)
{
	struct bpf_perf_event_data_kern *kernel = bpf_cast_to_kern_ctx(ctx);
	u64 id = number_of(BPF_CORE_READ(kernel, event));
	struct pinned_filter *filter = bpf_map_lookup_elem(&perf_filters, &id);

	if (!filter || sample_passes(BPF_CORE_READ(kernel, data), filter->tests, filter->count,
				     PINNED_FILTER_TESTS))
		return 1;
	count_add(filter->dropped, 1);
	return 0;
}
