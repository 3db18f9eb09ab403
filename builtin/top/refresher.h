/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread behind the browser: it takes samples in and makes the tables, so that neither a key
 * nor the picture waits for that.
 *
 *	refresher_new()		the first table, on the caller's thread
 *	refresher_start()	the thread runs; the caller, whose thread is the screen's, has the
 *				lock
 *	  refresher_give()	around each wait for a key: the lock is given up
 *	  refresher_take()
 *	  refresher_due(), refresher_next(), refresher_shown()	the next table
 *	refresher_free()	the caller has the lock, and uses no name of a table any more
 *
 * Threads: one thread of the refresher's, and the screen's, which calls all of these.  One lock.
 *
 *	of the thread alone: collector, pool, what decays and fades, names that must not be
 *		forgotten
 *	changed by the thread with the lock, read by the screen with the lock: the session (history,
 *		images), counts of the title and of functions' instructions, what symbols_of() gives
 *		after files have changed
 *	changed by the screen with the lock, read by the thread with the lock: t->o, t->paused,
 *		which function is open
 *	of the one who has it: a table.  Its names are the session's, so it is looked at with the
 *		lock.
 *
 * As nobody but the thread changes the session, it needs no lock to read it.  So it counts, names
 * (which reads files of symbols: symbols_of() may be called by several) and makes tables without
 * the lock, and has it only while it applies records, forgets, and looks at files that have
 * changed.
 * While it applies records it gives the lock up between two of them when the screen waits for it.
 *
 * A table that the screen does not fetch until the next one is due is thrown away, and no other one
 * is made until it asks: nobody looks (a menu or a function is open), but samples still count.
 * Errors: one of the rings or of a callback ends the thread; refresher_free() returns it.
 */
#ifndef BUILTIN_TOP_REFRESHER_H
#define BUILTIN_TOP_REFRESHER_H

#include "builtin/top/internal.h"

struct refresher;

/* h: the first table, which is the caller's. */
int refresher_new(struct top *t, struct refresher **out, struct hist **h,
		  struct reason *r) MUST_CHECK;
int refresher_start(struct refresher *x, struct reason *r) MUST_CHECK;
/* Ends the thread, if it runs.  -errno with a reason when it ended early. */
int refresher_free(struct refresher *x, struct reason *r);

void refresher_give(struct refresher *x);
void refresher_take(struct refresher *x);

/* Becomes readable when something is due. */
int refresher_fd(const struct refresher *x);
/* Ask for the next table? */
bool refresher_due(const struct refresher *x);
/* NULL if no new table is ready. */
struct hist *refresher_next(struct refresher *x);
/* After it gave a table, and before the lock is given up: the table before is gone. */
void refresher_shown(struct refresher *x);
/* The same for counts of functions' instructions, which are up to date at once. */
bool refresher_counts_due(const struct refresher *x);
void refresher_next_counts(struct refresher *x);

/*
 * The screen keeps the lock while it waits for keys, and the thread does nothing between the two,
 * since another thread of the screen's reads the session, or since the context may be cancelled.
 */
void refresher_hold(struct refresher *x, bool on);

/*
 * From a callback of the session, before it looks at anything that the screen may read: the lock is
 * given up for a moment if the screen waits for it. NULL is fine.
 */
void refresher_yield(struct refresher *x);

#endif
