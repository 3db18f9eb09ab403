// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that begin together: each waits at a gate, which opens when all of them have reached it.
 * 6.1 binds to the CPUs that are online; these are the CPUs that this process may use, so a
 * benchmark also runs in a container.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "builtin/bench/internal.h"

unsigned team_cpus(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof(set), &set) || !CPU_COUNT(&set))
		return 1;
	return (unsigned)CPU_COUNT(&set);
}

/* Returns the n-th CPU of the set, which has more than n. */
static int nth_cpu(const cpu_set_t *set, unsigned n)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, set) && !n--)
			return cpu;
	return 0;
}

static int start_one(struct team *t, unsigned i, bool bound, void *(*fn)(void *), void *arg)
{
	pthread_attr_t attr;
	cpu_set_t one;
	int err = pthread_attr_init(&attr);

	if (err)
		return err;
	if (bound && CPU_COUNT(&t->cpus)) {
		CPU_ZERO(&one);
		CPU_SET(nth_cpu(&t->cpus, i % (unsigned)CPU_COUNT(&t->cpus)), &one);
		err = pthread_attr_setaffinity_np(&attr, sizeof(one), &one);
	}
	if (!err)
		err = pthread_create(&t->threads[i], &attr, fn, arg);
	pthread_attr_destroy(&attr);
	return err;
}

static void give_up(struct team *t)
{
	pthread_mutex_lock(&t->lock);
	t->given_up = true;
	pthread_cond_broadcast(&t->opened);
	pthread_mutex_unlock(&t->lock);
}

int team_start(struct team *t, unsigned count, bool bound, void *(*fn)(void *), void *arg,
	       size_t size)
{
	memset(t, 0, sizeof(*t));
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->arrived, NULL);
	pthread_cond_init(&t->opened, NULL);
	if (sched_getaffinity(0, sizeof(t->cpus), &t->cpus))
		CPU_ZERO(&t->cpus);
	t->threads = xcalloc(count, sizeof(*t->threads));
	for (unsigned i = 0; i < count; i++) {
		int err = start_one(t, i, bound, fn, (char *)arg + i * size);

		if (err) {
			give_up(t);
			team_join(t);
			return bench_failed(err, "cannot start thread %u of %u", i + 1, count);
		}
		t->count++;
	}
	return 0;
}

bool team_gate(struct team *t)
{
	bool go;

	pthread_mutex_lock(&t->lock);
	t->waiting++;
	pthread_cond_signal(&t->arrived);
	while (!t->open && !t->given_up)
		pthread_cond_wait(&t->opened, &t->lock);
	go = !t->given_up;
	pthread_mutex_unlock(&t->lock);
	return go;
}

void team_open(struct team *t)
{
	pthread_mutex_lock(&t->lock);
	while (t->waiting < t->count)
		pthread_cond_wait(&t->arrived, &t->lock);
	t->open = true;
	pthread_cond_broadcast(&t->opened);
	pthread_mutex_unlock(&t->lock);
}

void team_join(struct team *t)
{
	for (unsigned i = 0; i < t->count; i++)
		pthread_join(t->threads[i], NULL);
	free(t->threads);
	pthread_cond_destroy(&t->arrived);
	pthread_cond_destroy(&t->opened);
	pthread_mutex_destroy(&t->lock);
}
