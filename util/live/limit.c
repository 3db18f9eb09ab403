// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Descriptors: one for each (event, CPU, thread), so the default limit is soon
 * too small.
 */
#include <sys/resource.h>

#include "live/internal.h"

/* Besides the events: output, pipes, /proc files. */
#define SPARE_FDS 64

void live_raise_fd_limit(size_t need)
{
	struct rlimit lim, want;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur >= need)
		return;
	/* root may go over the hard limit; a refusal leaves the second try */
	want = lim;
	want.rlim_cur = need;
	want.rlim_max = MAX(lim.rlim_max, (rlim_t)need);
	if (!setrlimit(RLIMIT_NOFILE, &want))
		return;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
}

u64 live_wanted_fds(const struct live *l)
{
	u64 clocks = l->options.times ? l->thread_count : 0;

	return l->set->list.count * l->cpu_count * l->thread_count + clocks + SPARE_FDS;
}
