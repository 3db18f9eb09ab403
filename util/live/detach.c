// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Closing in the background.  The kernel waits for a grace period for each
 * tracepoint that is given up, some 40 ms: hundreds of them take many seconds.
 * A forked child keeps the descriptors, so that our own close costs nothing,
 * and gives them up when it ends.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/internal.h"

enum { WORTH_A_CHILD = 8 };

static size_t open_tracepoints(const struct live *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->set->list.count; i++) {
		const struct event *ev = l->set->list.items[i];

		for (size_t c = 0; event_is_tracepoint(ev) && c < l->cpu_count; c++)
			for (size_t t = 0; t < l->thread_count; t++)
				n += live_cell(l, ev, c, t)->fd >= 0;
	}
	return n;
}

static bool is_event_fd(const char *fd)
{
	char path[288], target[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%s", fd);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	return strstr(target, "perf_event") != NULL;
}

/*
 * A reader of our output must not wait for the child, so it keeps no descriptors except those of
 * events.
 */
static void keep_events_only(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int null;

	while (dir && (entry = readdir(dir))) {
		int fd = atoi(entry->d_name);

		if (fd > 2 && fd != dirfd(dir) && !is_event_fd(entry->d_name))
			close(fd);
	}
	if (dir)
		closedir(dir);
	null = open("/dev/null", O_RDWR);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
}

void live_close_in_background(struct live *l)
{
	if (l && open_tracepoints(l) >= WORTH_A_CHILD && fork() == 0) {
		setsid();
		keep_events_only();
		_exit(0);
	}
	live_close(l);
}
