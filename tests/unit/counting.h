/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests that open events: not every kernel has them, and not everybody may.  After cmocka.h. */
#ifndef TESTS_COUNTING_H
#define TESTS_COUNTING_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "sys/sys.h"

/* Opens a counter and closes it again. Returns the descriptor, now closed, or -errno. */
static int open_counter(u32 type, u64 config)
{
	const struct perf_event_attr a = { .type = type, .config = config, .size = ATTR_SIZE_VER7 };
	int fd = sys_perf_event_open(&a, 0, -1, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd;
}

/*
 * Reports whether this kernel counts, which qemu's user mode does not. Prints why tests are
 * skipped if not.
 */
static bool counts(void)
{
	if (open_counter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY) != -ENOSYS)
		return true;
	fprintf(stderr, "# skip: this kernel has no perf_event_open()\n");
	return false;
}

/* Skips. Stands in the table instead of a test that only root can run. */
static inline void needs_root(void **state)
{
	(void)state;
	fprintf(stderr, "# skip: needs root\n");
	skip();
}

#endif
