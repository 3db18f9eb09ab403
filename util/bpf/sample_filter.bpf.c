// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sample is written when the program of its event returns 1, and dropped when it returns 0.
 *
 * The kernel has filled in what the event's samples hold before it calls the program (Linux 6.3
 * on).
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
