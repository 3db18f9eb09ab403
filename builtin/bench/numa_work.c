// SPDX-License-Identifier: GPL-2.0-or-later
/* The processes and threads of numa mem, and what they do to memory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "builtin/bench/numa.h"

/* Accesses a word. Each access depends on the one before, so the compiler can leave none out. */
static inline u64 access_word(const struct numa_params *p, u64 *word, u64 val)
{
	if (p->reads)
		val += *word;
	if (p->writes)
		*word = val + 1;
	return val;
}

static u64 walk_random(const struct numa_params *p, u64 *data, u64 words, u64 seed, u64 val)
{
	u32 lfsr = (u32)seed | 1;

	for (u64 i = 0; i < words / 1024; i++) {
		u64 start, end;

		/* x^32 + x^7 + x^6 + x^2 + 1 */
		lfsr = (lfsr >> 1) ^ (lfsr & 1 ? 0x80000062u : 0);
		start = lfsr % words;
		end = MIN(start + 1024, words - 1);
		if (p->zero)
			memset(data + start, 0, (end - start) * sizeof(*data));
		else
			for (u64 k = start; k < end; k++)
				val = access_word(p, data + k, val);
	}
	return val;
}

/* Accesses all words but one, up or down, from an offset that depends on task and loop. */
static u64 work(const struct numa_params *p, u8 *bytes, u64 size, u64 number, u64 of, u64 loop,
		u64 val)
{
	u64 *data = (u64 *)(void *)bytes, words = size / sizeof(*data), start;

	if (!data || !words)
		return val;
	if (p->zero && !p->random_walk) {
		memset(data, 0, size);
		return val;
	}
	if (p->random_walk)
		return walk_random(p, data, words, number + loop + val, val);
	start = (number * (words / of) + loop * MAX(words / MAX(p->loops, 1u), 1ULL)) % words;
	if (p->backwards && !((number + loop) & 1)) {
		for (u64 i = start + words - 1; i > start; i--)
			val = access_word(p, data + (i >= words ? i - words : i), val);
		return val;
	}
	for (u64 i = start + 1; i < start + words; i++)
		val = access_word(p, data + (i >= words ? i - words : i), val);
	return val;
}

static void wait_for_start(struct numa_shared *g)
{
	if (!g->p.serialize)
		return;
	pthread_mutex_lock(&g->lock);
	g->waiting++;
	pthread_cond_signal(&g->arrived);
	while (!g->open)
		pthread_cond_wait(&g->go, &g->lock);
	pthread_mutex_unlock(&g->lock);
}

/* Moves to the other half of the machine for a moment. */
static void perturb(struct numa_task *t)
{
	int target = t->cpu < t->g->cpu_count / 2 ? t->g->cpu_count - 1 : 0;
	cpu_set_t before, one;

	if (sched_getaffinity(0, sizeof(before), &before))
		return;
	CPU_ZERO(&one);
	CPU_SET(target, &one);
	sched_setaffinity(0, sizeof(one), &one);
	if (t->g->p.details >= 1)
		bench_text(t->g->b, " (injecting perturbalance, moved to CPU#%d)\n", target);
	sched_setaffinity(0, sizeof(before), &before);
}

static u64 one_loop(struct numa_task *t, u8 *own, u64 loop, u64 val)
{
	struct numa_shared *g = t->g;
	const struct numa_params *p = &g->p;

	val = work(p, g->data, p->global_bytes, (u64)t->process, (u64)p->processes, loop, val);
	val = work(p, t->process_data, p->process_bytes, (u64)t->thread, (u64)p->threads, loop,
		   val);
	val = work(p, own, p->thread_bytes, 0, 1, loop, val);
	if (p->sleep_us) {
		pthread_mutex_lock(t->process_lock);
		usleep(p->sleep_us);
		pthread_mutex_unlock(t->process_lock);
	}
	if (p->locked_bytes) {
		pthread_mutex_lock(t->process_lock);
		val = work(p, t->process_data, p->locked_bytes, (u64)t->thread, (u64)p->threads,
			   loop, val);
		pthread_mutex_unlock(t->process_lock);
	}
	t->cpu = sched_getcpu();
	t->bytes += p->global_bytes + p->process_bytes + p->locked_bytes + p->thread_bytes;
	return val;
}

static void run_loops(struct numa_task *t, u8 *own)
{
	struct numa_shared *g = t->g;
	bool first = !t->process && !t->thread, last = t == &g->tasks[g->p.tasks - 1];
	u64 start = clock_now(), second = 0, perturbed = 0, val = start;
	double converged = 0;

	for (u64 loop = 0; loop < g->p.loops && !atomic_load(&g->stop); loop++) {
		u64 ran;

		val = one_loop(t, own, loop, val);
		t->loops = loop;
		ran = clock_now() - start;
		if (g->p.seconds && ran >= g->p.seconds * 1000000000ULL)
			break;
		if (ran / 1000000000 == second)
			continue;
		second = ran / 1000000000;
		if (first && g->p.perturb_seconds > 0 &&
		    second - perturbed >= (u64)g->p.perturb_seconds) {
			perturbed = second;
			perturb(t);
		}
		if (last)
			numa_progress(g, ran, loop, &converged);
	}
	t->ran_ns = clock_now() - start;
	t->value = val;
	/* the time has ended for all threads */
	if (g->p.seconds && t->ran_ns >= g->p.seconds * 1000000000ULL)
		atomic_store(&g->stop, true);
}

static void *run_thread(void *arg)
{
	struct numa_task *t = arg;
	struct rusage usage;
	char name[32];
	u8 *own;

	sched_setaffinity(0, sizeof(t->cpus), &t->cpus);
	if (t->node != NO_NODE)
		numa_bind_memory(t->node);
	snprintf(name, sizeof(name), "thread %d/%d", t->process, t->thread);
	prctl(PR_SET_NAME, name);
	own = numa_memory(t->g, t->g->p.thread_bytes, false);
	wait_for_start(t->g);
	run_loops(t, own);
	getrusage(RUSAGE_THREAD, &usage);
	t->system_ns = (u64)usage.ru_stime.tv_sec * 1000000000 + (u64)usage.ru_stime.tv_usec * 1000;
	t->user_ns = (u64)usage.ru_utime.tv_sec * 1000000000 + (u64)usage.ru_utime.tv_usec * 1000;
	numa_give_back(own, t->g->p.thread_bytes);
	return NULL;
}

int numa_process(struct numa_shared *g, int number)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct numa_task *tasks = &g->tasks[number * g->p.threads];
	pthread_t *threads = xcalloc((size_t)g->p.threads, sizeof(*threads));
	int started = 0, err = 0;
	u8 *data;

	/* memory is where the process's first thread wants it */
	sched_setaffinity(0, sizeof(tasks->cpus), &tasks->cpus);
	if (tasks->node != NO_NODE)
		err = -numa_bind_memory(tasks->node);
	data = numa_memory(g, g->p.process_bytes, false);
	if (!data && g->p.process_bytes)
		err = ENOMEM;
	for (; started < g->p.threads && !err; started += !err) {
		struct numa_task *t = &tasks[started];

		t->process_data = data;
		t->process = number;
		t->thread = started;
		t->process_lock = &lock;
		err = pthread_create(&threads[started], NULL, run_thread, t);
	}
	if (err) {
		bench_failed(err, "cannot start the threads of process %d", number);
		_exit(1); /* the parent ends the processes that wait for this one */
	}
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	numa_give_back(data, g->p.process_bytes);
	free(threads);
	return 0;
}
