/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs now as a run of samples: events that are open, their rings and a watch (watch/watch.h).
 *
 *	watched_open()    opens the events and gives the run its session
 *	watched_start()   a thread empties the rings from now on
 *	watched_step()    again and again, by the thread that reads the run
 *	watched_free()    after the session
 *
 * watched_stop() and watched_lost() may be called by any thread.
 */
#ifndef PYTHON_WATCHED_H
#define PYTHON_WATCHED_H

#include "module.h"

struct watched_options {
	const char *events, *cpus, *pids; /* as of -e, -C, -p; NULL: cycles, all, all */
	const char *chains;               /* as of --call-graph; NULL: none */
	u64 freq, period;                 /* 0: not given */
	u64 refresh;                      /* ns that a step takes at most */
};

/* Opens the events. Returns 0, or -errno with a reason. Sets run->watched in any case. */
int watched_open(struct run *run, const struct watched_options *o, struct reason *r);
void watched_free(struct watched *w); /* NULL is fine */
/* Starts watching. ops and arg must outlive it. */
int watched_start(struct run *run, const struct session_ops *ops, void *arg, struct reason *r);
/*
 * Calls back for one refresh. Returns 1 to go on, 0 once everything seen until the end has been
 * called back, or -errno.
 */
int watched_step(struct watched *w, struct reason *r);
/* Ends the callbacks: closes the rings of this session. */
void watched_end(struct watched *w);
/* Asks for the end. What has come until now is still called back. */
void watched_stop(struct watched *w);
u64 watched_lost(const struct watched *w);
const struct tracepoint_formats *watched_formats(const struct watched *w);

#endif
