// SPDX-License-Identifier: GPL-2.0-or-later
/* perf lock record: the command line of perf record, by what this kernel has. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/record_events.h"
#include "builtin/lock/internal.h"
#include "sys/tracefs.h"

static const char *const lockdep_events[] = { "lock_acquire", "lock_acquired", "lock_contended",
					      "lock_release" };
static const char *const contention_events[] = { "contention_begin", "contention_end" };
static const char *const futex_events[] = { "sys_enter_futex", "sys_exit_futex" };

static int refuse(const struct lock *l, struct reason *r)
{
	if (l->user) {
		reason_set(r, ENOENT, "this kernel has no event syscalls:sys_enter_futex");
		reason_hint(r, "a kernel with CONFIG_FTRACE_SYSCALLS has it");
	} else {
		reason_set(r, ENOENT,
			   "this kernel has neither lock:contention_begin nor lock:lock_acquire");
		reason_hint(
			r,
			"Linux 5.19 and later have the first; older ones with CONFIG_LOCKDEP and "
			"CONFIG_LOCK_STAT the second");
	}
	return -ENOENT;
}

int lock_record_args(struct lock *l, int argc, const char **argv, struct strlist *args,
		     struct reason *r)
{
	static const char *const words[] = { "record", "-R", "-m", "1024", "-c", "1" };
	static const char *const kernel_chains[] = { "--call-graph", "fp,8" };
	static const char *const user_chains[] = { "--call-graph", "dwarf,live" };
	char *dir = tracefs_find(NULL, r);
	int err = 0;

	if (!dir)
		return -ENOENT;
	record_words(args, words, ARRAY_SIZE(words));
	if (l->user &&
	    !missing_tracepoint(dir, "syscalls", futex_events, ARRAY_SIZE(futex_events))) {
		record_events(args, "syscalls", futex_events, ARRAY_SIZE(futex_events));
		record_words(args, user_chains, ARRAY_SIZE(user_chains));
	} else if (!l->user &&
		   !missing_tracepoint(dir, "lock", lockdep_events, ARRAY_SIZE(lockdep_events))) {
		record_events(args, "lock", lockdep_events, ARRAY_SIZE(lockdep_events));
	} else if (!l->user && !missing_tracepoint(dir, "lock", contention_events,
						   ARRAY_SIZE(contention_events))) {
		record_events(args, "lock", contention_events, ARRAY_SIZE(contention_events));
		record_words(args, kernel_chains, ARRAY_SIZE(kernel_chains));
	} else {
		err = refuse(l, r);
	}
	if (!err)
		record_words(args, argv, (size_t)argc);
	free(dir);
	return err;
}
