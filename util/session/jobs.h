/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs beside ordered reading, for this component alone: session_give_job() in an ahead_run() with
 * threads.
 *
 * Jobs are begun in the order in which they were given. The reading thread makes them when it is
 * far enough ahead. The thread of the callbacks makes them when it has nothing to call back, or no
 * room for one more job, and it puts all of them. The lock of struct ahead guards all of it; it is
 * not held while a job is made or put.
 */
#ifndef SESSION_JOBS_H
#define SESSION_JOBS_H

#include <pthread.h>

#include "session/session.h"

enum { JOBS = 8 };

struct jobs {
	pthread_cond_t made_one;        /* for the thread that puts them */
	struct session_job *ring[JOBS]; /* job n is at n % JOBS */
	bool made[JOBS];
	/* numbers: jobs before them were given, were begun, were put */
	u64 given, begun, put;
	bool over; /* no more jobs come, and all were put */
};

static inline bool jobs_wait(const struct jobs *j)
{
	return j->begun < j->given;
}

/* Makes the next job. The caller holds the lock, which is released while the job is made. */
void jobs_make_one(struct jobs *j, pthread_mutex_t *lock);
/*
 * Gives a job, on the thread of the callbacks, without the lock. The caller wakes the threads that
 * may make it.
 */
void jobs_give(struct jobs *j, pthread_mutex_t *lock, struct session_job *job);
/* Puts all jobs that were given. */
void jobs_finish(struct jobs *j, pthread_mutex_t *lock);

#endif
