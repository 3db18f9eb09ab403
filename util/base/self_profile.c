// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"
#include "base/self_profile.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

enum {
	/* phases within each other; deeper ones count for the one around them */
	DEEPEST = 64,
	MOST_SPANS = 50000, /* what one thread keeps one by one: 3 MB */
};

struct open_span {
	const char *file, *name;
	u64 start, cpu, inside; /* inside: wall time of the phases within it */
};

/* The open phases of a thread, besides the finished ones. */
struct track {
	struct phase_thread thread;
	struct open_span open[DEEPEST];
	u32 depth; /* can be above DEEPEST */
	struct track *next_free;
};

bool phases_on;
static __thread struct track *mine;
/* guards the list of threads, and the free tracks */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct phase_thread *threads, **threads_end = &threads;
static u32 thread_count;
static struct track *free_tracks; /* of threads that have ended */
static u64 started, stopped, cpu_started, cpu_stopped;

static struct track *new_track(void)
{
	struct track *t = xcalloc(1, sizeof(*t));

	t->thread.number = thread_count++;
	*threads_end = &t->thread;
	threads_end = &t->thread.next;
	return t;
}

static struct track *track_of_thread(void)
{
	if (mine)
		return mine;
	pthread_mutex_lock(&lock);
	mine = free_tracks;
	if (mine)
		free_tracks = mine->next_free;
	else
		mine = new_track();
	pthread_mutex_unlock(&lock);
	return mine;
}

void phase_open(const char *file, const char *name)
{
	struct track *t = track_of_thread();

	if (t->depth++ < DEEPEST)
		t->open[t->depth - 1] = (struct open_span){ file, name, clock_ns(CLOCK_MONOTONIC),
							    clock_ns(CLOCK_THREAD_CPUTIME_ID), 0 };
}

static struct phase_sum *sum_of(struct phase_thread *t, const struct timed_phase *s)
{
	vec_for_each(&t->sums, sum)
		if (!strcmp(sum->name, s->name) && !strcmp(sum->file, s->file))
			return sum;
	vec_push(&t->sums, (struct phase_sum){ .file = s->file, .name = s->name });
	return vec_last(&t->sums);
}

static void keep(struct phase_thread *t, const struct timed_phase *s)
{
	struct phase_sum *sum = sum_of(t, s);

	sum->count++;
	sum->wall += s->wall;
	sum->self += s->self;
	sum->cpu += s->cpu;
	sum->bytes += s->bytes;
	if (t->phases.count < MOST_SPANS)
		vec_push(&t->phases, *s);
	else
		t->left_out++;
}

void phase_close(u64 bytes)
{
	struct track *t = track_of_thread();
	struct open_span *o;
	struct timed_phase s;

	if (!t->depth || --t->depth >= DEEPEST)
		return;
	o = &t->open[t->depth];
	s = (struct timed_phase){
		.file = o->file,
		.name = o->name,
		.start = o->start - started,
		.bytes = bytes,
		.cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - o->cpu,
		.wall = clock_ns(CLOCK_MONOTONIC) - o->start,
	};
	s.self = s.wall - o->inside;
	if (t->depth)
		t->open[t->depth - 1].inside += s.wall;
	keep(&t->thread, &s);
}

struct phase_place phase_here(void)
{
	const struct open_span *o;

	if (!mine || !mine->depth)
		return (struct phase_place){ NULL, NULL };
	o = &mine->open[MIN(mine->depth, (u32)DEEPEST) - 1];
	return (struct phase_place){ o->file, o->name };
}

void phase_thread_begins(struct phase_place of_starter)
{
	if (of_starter.name)
		phase_open(of_starter.file, of_starter.name);
}

void phase_thread_ends(void)
{
	while (mine && mine->depth)
		phase_close(0);
	if (!mine)
		return;
	pthread_mutex_lock(&lock);
	mine->next_free = free_tracks;
	free_tracks = mine;
	pthread_mutex_unlock(&lock);
	mine = NULL;
}

void phases_start(void)
{
	started = clock_ns(CLOCK_MONOTONIC);
	cpu_started = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	track_of_thread(); /* this one is number 0 */
	phases_on = true;
}

void phases_stop(void)
{
	stopped = clock_ns(CLOCK_MONOTONIC);
	cpu_stopped = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	phases_on = false;
}

void phases_release(void)
{
	struct phase_thread *next;

	for (struct phase_thread *t = threads; t; t = next) {
		next = t->next;
		vec_release(&t->phases);
		vec_release(&t->sums);
		free((struct track *)t);
	}
	threads = NULL;
	threads_end = &threads;
	thread_count = 0;
	free_tracks = NULL;
	mine = NULL;
}

struct phases phases_gathered(void)
{
	return (struct phases){ threads, thread_count, stopped - started,
				cpu_stopped - cpu_started };
}
