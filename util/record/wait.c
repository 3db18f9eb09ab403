// SPDX-License-Identifier: GPL-2.0-or-later
/* Waiting for the end of a run that something else counts. */
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "record/record.h"

static u64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

bool record_wait(struct workload *w, int wake_fd, u64 until)
{
	enum { LONGEST = 1000 }; /* ms */

	for (;;) {
		struct pollfd fd = { .fd = wake_fd, .events = POLLIN };
		u64 time = now(), left = until > time ? until - time : 0, count;

		if (record_ending_signal() || (w && w->started && workload_wait(w, false)))
			return true;
		if (!left)
			return false;
		if (poll(&fd, 1, left / 1000000 >= LONGEST ? LONGEST : (int)(left / 1000000) + 1) > 0 &&
		    read(wake_fd, &count, sizeof(count)) < 0)
			continue;
	}
}
