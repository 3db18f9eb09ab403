// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sample is written if the program of its event returns 1, and dropped if it returns 0.
 * The kernel fills in the fields of the event's samples before it calls the program (since Linux
 * 6.3).
 */
#include "bpf/sample_filter_tests.h"

const volatile struct sample_filter_settings settings;
struct sample_filter_counts counts;

SEC("perf_event")
int filter(void *ctx)
{
	struct bpf_perf_event_data_kern *kernel = bpf_cast_to_kern_ctx(ctx);

	if (sample_passes(BPF_CORE_READ(kernel, data), settings.tests, settings.count,
			  SAMPLE_FILTER_TESTS))
		return 1;
	count_add(counts.dropped, 1);
	return 0;
}
