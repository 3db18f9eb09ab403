/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs that go offline while events are open on them.  The kernel takes the events of a CPU away
 * with it and does not bring them back, so nothing comes from it any more, also when it
 * is online again: that is to be said, since the CPU looks as if it were idle.
 * Events of a task are not concerned, they go where the task goes.
 */
#ifndef LIVE_OFFLINE_H
#define LIVE_OFFLINE_H

#include "live/live.h"

struct offline_watch {
	u64 since, next; /* ns: the first call, the next look; 0: none yet */
	bool *gone;	 /* by ring: it was said */
};

/*
 * Looks once a second, however often it is called; now: ns of CLOCK_MONOTONIC.  Each CPU that is gone
 * is told once, with the ns since the first call.
 */
void offline_look(struct offline_watch *w, const struct live *l, const struct sys *sys, u64 now,
		  void (*gone)(void *arg, s32 cpu, u64 after), void *arg);
void offline_release(struct offline_watch *w);

#endif
