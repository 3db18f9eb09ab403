/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A live source: what events see now, as a session's callbacks on the caller's thread.
 *
 *	open        live_open() on a target, session_new_live() for the same events
 *	watch_new()       the session is the watch's from here on
 *	watch_begin()     the session learns what runs already (synthesised from /proc)
 *	watch_start()     a thread empties the rings from now on: events may be enabled
 *	watch_step()      again and again: callbacks, in order of time, until a given moment
 *	watch_stop()      the rings' last records are fetched; step until it returns 0
 *	watch_free()      then session_free(), live_close()
 *
 *	rings --reader's thread--> feed --caller's thread--> session --> callbacks
 *
 * The rings are emptied whatever the callbacks do, so a slow screen loses no side-band; it
 * gets fewer samples (feed/feed.h, FEED_SHED) or reads them from disk (FEED_SPILL), as the
 * program chooses.  A step ends at the time that it is given, so a screen keeps its refresh,
 * and immediately when the context is cancelled.
 *
 * What is called back is what `record` would have written and `report` read: the same order, the
 * same mappings, stacks unwound in the same way.  tests/unit/test_watch.c holds them together.
 *
 * Threads: all calls by one thread.
 * Errors: -errno with a reason.
 */
#ifndef WATCH_WATCH_H
#define WATCH_WATCH_H

#include "feed/feed.h"
#include "synth/synth.h"

struct watch;
/*
 * Creates a watch. feed: the callbacks, and what happens when they are too slow; `after` and
 * `taken` must be unset.
 */
struct watch *watch_new(struct live *live, struct session *s, const struct feed_settings *feed);
void watch_free(struct watch *w); /* ends the thread first; NULL is fine */

/*
 * Tells the session what is already running: kernel, modules, BPF programs, cgroups and the
 * target's processes. ev carries the side-band. A kernel that hides its addresses from the user is
 * not an error. how may be NULL.
 */
int watch_begin(struct watch *w, const struct event *ev, const struct target *t,
		const struct synth_how *how, struct reason *r);
int watch_start(struct watch *w, struct reason *r);

/*
 * Callbacks until `until` (ns of CLOCK_MONOTONIC; 0: of all that waits now; 1: of one piece of it).
 * 1: go on; 0: all was called back after watch_stop(); -errno of a callback or of the reader,
 * -EINTR when cancelled.
 */
int watch_step(struct watch *w, u64 until, struct reason *r);
/*
 * Also calls back what the rings hold now, unless that takes longer than until then (ns of
 * CLOCK_MONOTONIC). Returns the same as a step.
 */
int watch_catch_up(struct watch *w, u64 until, struct reason *r);
/*
 * Does the same, with step() instead of watch_step() for each piece. For callers whose callbacks
 * change what they share with other threads.
 */
int watch_catch_up_by(struct watch *w, u64 until, int (*step)(void *arg, struct reason *r),
		      void *arg, struct reason *r);
/*
 * Returns a descriptor for poll(2), beside a keyboard: it is readable when a step has something to
 * do.
 */
int watch_fd(const struct watch *w);
/* Reports whether a step has something to do. */
bool watch_has_work(const struct watch *w);
/* Reports whether anything that is watched is still running; always true for CPUs. */
bool watch_alive(const struct watch *w);
/*
 * Appends the CPUs that are offline, or that came back and could not be opened again, as part of a
 * sentence ("CPU 1, CPU 3"); nothing if there are none. The events of a CPU that comes back are
 * opened again within about a second.
 */
void watch_cpus_gone(const struct watch *w, struct strbuf *b);
void watch_stop(struct watch *w);
struct feed *watch_feed(struct watch *w); /* for its counts */

#endif
