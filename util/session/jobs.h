/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs beside ordered reading, for this component alone: session_give_job() in an ahead_run() with
 * threads.
 *
 * They are begun in the order in which they were given, by the thread that reads when it is far
 * enough ahead, and by the thread of the callbacks when it has nothing to call back or no room for
 * one job more. That one puts them.
 * All of it is guarded by the lock of struct ahead, which is not held while a job is made or put.
 */
#ifndef SESSION_JOBS_H
#define SESSION_JOBS_H

#include <pthread.h>

#include "session/session.h"

enum { JOBS = 8 };

struct jobs {
	pthread_cond_t made_one;        /* for the thread that puts them */
	struct session_job *ring[JOBS]; /* job n lies at n % JOBS */
	bool made[JOBS];
	/* numbers: jobs before them were given, were begun, were put */
	u64 given, begun, put;
	bool over; /* no job comes any more, and all were put */
};

static inline bool jobs_wait(const struct jobs *j)
{
	return j->begun < j->given;
}

/* The next one; the lock is held, but not while it is made. */
void jobs_make_one(struct jobs *j, pthread_mutex_t *lock);
/* Without the lock, on the thread of the callbacks.  The caller wakes who may make it. */
void jobs_give(struct jobs *j, pthread_mutex_t *lock, struct session_job *job);
/* The same: all that were given are put afterwards. */
void jobs_finish(struct jobs *j, pthread_mutex_t *lock);

#endif
