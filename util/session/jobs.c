// SPDX-License-Identifier: GPL-2.0-or-later
/* Jobs that callbacks leave to any thread that has time. */
#include "session/jobs.h"

#include "base/self_profile.h"

void jobs_make_one(struct jobs *j, pthread_mutex_t *lock)
{
	u64 number = j->begun++;
	struct session_job *job = j->ring[number % JOBS];

	pthread_mutex_unlock(lock);
	phase_begin("pass 2: text of lines");
	job->make(job);
	phase_end();
	pthread_mutex_lock(lock);
	j->made[number % JOBS] = true;
	pthread_cond_signal(&j->made_one);
}

/* Puts the oldest job. While another thread makes that job, this one makes a later one. */
static void put_oldest(struct jobs *j, pthread_mutex_t *lock)
{
	u64 number = j->put;
	struct session_job *job;

	while (!j->made[number % JOBS]) {
		if (jobs_wait(j))
			jobs_make_one(j, lock);
		else
			pthread_cond_wait(&j->made_one, lock);
	}
	job = j->ring[number % JOBS];
	j->put++;
	pthread_mutex_unlock(lock);
	job->put(job);
	pthread_mutex_lock(lock);
}

void jobs_give(struct jobs *j, pthread_mutex_t *lock, struct session_job *job)
{
	pthread_mutex_lock(lock);
	if (j->given - j->put == JOBS)
		put_oldest(j, lock);
	j->ring[j->given % JOBS] = job;
	j->made[j->given % JOBS] = false;
	j->given++;
	while (j->put < j->given && j->made[j->put % JOBS])
		put_oldest(j, lock);
	pthread_mutex_unlock(lock);
}

void jobs_finish(struct jobs *j, pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	while (j->put < j->given)
		put_oldest(j, lock);
	pthread_mutex_unlock(lock);
}
