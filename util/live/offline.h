/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs that go offline while events are open on them. The kernel takes the events of a CPU away
 * with it and does not bring them back, so nothing comes from it any more, also when it is online
 * again, unless they are opened again (live_reopen()): a CPU that looks as if it were idle.
 * Events of a task are not concerned, they go where the task goes.
 */
#ifndef LIVE_OFFLINE_H
#define LIVE_OFFLINE_H

#include "live/live.h"

/* A CPU by its place in the table of struct live. */
struct offline_cpu {
	/*
	 * identifies its directories in sysfs, which are made again when it returns; 0: not known
	 */
	u64 life;
	u64 went_at;  /* ns since the first call: it was seen to be gone; 0: it is here */
	bool ignored; /* not listed from the beginning, though its events could be opened */
};

struct offline_watch {
	u64 since, next; /* ns: the first call, the next look; 0: none yet */
	struct offline_cpu *cpus;
	size_t count;
};

struct offline_ops {
	/* It is not there any more.  May be NULL. */
	void (*gone)(void *arg, size_t cpu, u64 after);
	/* It is here again.  false: this was not heeded, and is asked for again in a second. */
	bool (*back)(void *arg, size_t cpu, u64 gone_at, u64 after);
};

/*
 * Looks once a second, however often it is called; now: ns of CLOCK_MONOTONIC.  Times that are told
 * are ns since the first call.  A CPU that went and came back between two looks is told, too.
 */
void offline_look(struct offline_watch *w, const struct live *l, const struct sys *sys, u64 now,
		  const struct offline_ops *ops, void *arg);
void offline_release(struct offline_watch *w);

#endif
