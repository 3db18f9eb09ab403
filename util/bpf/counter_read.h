/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For BPF programs: computes how far a counter of this CPU went since it was last read. */
#ifndef BPF_COUNTER_READ_H
#define BPF_COUNTER_READ_H

#include "bpf/counter.h"

/*
 * Returns an element of an array, indexed by a loop's variable. That must not be in memory, where
 * the verifier of Linux 6.1 does not track its value.
 */
static __always_inline void *counter_at(void *map, u32 index)
{
	u32 key;

	barrier_var(index);
	key = index;
	return bpf_map_lookup_elem(map, &key);
}

/*
 * Reads an event. Returns false if it is not opened on this CPU, or the kernel refuses to read it,
 * which is counted in *unread.
 */
static __always_inline bool counter_now(void *events, u32 index, struct counter_value *now,
					u64 *unread)
{
	struct bpf_perf_event_value v;
	long err = bpf_perf_event_read_value(events, index, &v, sizeof(v));

	if (err) {
		if (err != -2) /* ENOENT */
			__sync_fetch_and_add(unread, 1);
		return false;
	}
	*now = (struct counter_value){ v.counter, v.enabled, v.running };
	return true;
}

static __always_inline struct counter_value counter_since(const struct counter_value *now,
							  const struct counter_value *before)
{
	return (struct counter_value){ now->count - before->count, now->enabled - before->enabled,
				       now->running - before->running };
}

static __always_inline void counter_sum(struct counter_value *sum, const struct counter_value *part)
{
	sum->count += part->count;
	sum->enabled += part->enabled;
	sum->running += part->running;
}

#endif
