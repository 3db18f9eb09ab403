// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf sched replay: the recorded work done again by threads that run, sleep and wake each other.
 *
 * A task's way is a list of steps. A sleep that another recorded task ended waits for that task's
 * thread; one that an interrupt or a timer ended takes its recorded time. Steps are in the order of
 * the recording, in which no task was woken before its waker could run. So threads cannot wait for
 * each other in a circle.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "builtin/sched/internal.h"
#include "cli/say.h"

enum step_kind { STEP_RUN, STEP_WAIT, STEP_SLEEP, STEP_WAKE };

struct step {
	u64 ns;     /* the duration of RUN and SLEEP */
	u32 target; /* for WAKE: the index of the task */
	enum step_kind kind;
};

struct replayed {
	u32 tid, index;
	char name[17];
	VEC(struct step) steps;
	sem_t woken;
	pthread_t thread;
	bool started;
	u64 cpu; /* ns that it used in this round */
	struct replay *all;
};

struct replay {
	struct sched *s;
	struct sched_analysis a;
	int repeat;
	VEC(struct replayed *) tasks;
	struct map64 by_life; /* number of the life -> index in tasks */
	u64 runs, sleeps, wakeups, untargeted, merged;
	u64 run_overhead, sleep_overhead;
	pthread_barrier_t start;
	struct out *out;
};

static struct replayed *task_of(struct replay *p, const struct tasks_life *l)
{
	bool added;
	u64 *slot = map64_put(&p->by_life, l->number, &added);
	struct replayed *t;

	if (!added)
		return p->tasks.items[*slot];
	*slot = p->tasks.count;
	t = xcalloc(1, sizeof(*t));
	t->tid = l->tid;
	t->index = (u32)p->tasks.count;
	t->all = p;
	memcpy(t->name, l->name, sizeof(l->name));
	vec_push(&p->tasks, t);
	return t;
}

static void add_run(struct replay *p, struct replayed *t, u64 ns)
{
	struct step *last = t->steps.count ? vec_last(&t->steps) : NULL;

	p->runs++;
	if (last && last->kind == STEP_RUN) {
		last->ns += ns;
		p->merged++;
		return;
	}
	vec_push(&t->steps, (struct step){ .ns = ns, .kind = STEP_RUN });
}

static int on_switch(void *arg, const struct tasks_switch *s, struct reason *r)
{
	struct replay *p = arg;
	struct replayed *t;

	(void)r;
	if (s->prev)
		add_run(p, task_of(p, s->prev), s->ran);
	if (s->next && s->next->wait.out && s->next->wait.why != TASKS_PREEMPTED) {
		const struct tasks_wait *w = &s->next->wait;

		t = task_of(p, s->next);
		p->sleeps++;
		/* on_wake() has put a wait in its place where a task woke it */
		if (!t->steps.count || vec_last(&t->steps)->kind != STEP_WAIT)
			vec_push(&t->steps,
				 (struct step){ .kind = STEP_SLEEP,
						.ns = (w->woken ? w->woken : w->in) - w->out });
	}
	return 0;
}

static int on_wake(void *arg, const struct tasks_wakeup *w, struct reason *r)
{
	struct replay *p = arg;
	u32 by = tracer_tid(w->hit);
	struct tasks_life *waker = by ? tasks_now(p->a.tasks, by) : NULL;
	struct replayed *t;

	(void)r;
	p->wakeups++;
	if (w->life->ahead.woken != tracer_time(w->hit) || !w->life->ahead.out || !waker ||
	    waker == w->life || waker->state != TASKS_RUNNING) {
		p->untargeted++;
		return 0;
	}
	t = task_of(p, w->life);
	vec_push(&t->steps, (struct step){ .kind = STEP_WAIT });
	vec_push(&task_of(p, waker)->steps, (struct step){ .kind = STEP_WAKE, .target = t->index });
	return 0;
}

/* ---- doing it again ---- */

static void burn(u64 ns, u64 overhead)
{
	u64 end = clock_ns(CLOCK_MONOTONIC) + ns;

	while (clock_ns(CLOCK_MONOTONIC) + overhead < end)
		continue;
}

static void rest(u64 ns)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / 1000000000),
			       .tv_nsec = (long)(ns % 1000000000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
		continue;
}

static void do_steps(struct replayed *t)
{
	vec_for_each(&t->steps, s) {
		switch (s->kind) {
		case STEP_RUN:
			burn(s->ns, t->all->run_overhead);
			break;
		case STEP_SLEEP:
			rest(s->ns);
			break;
		case STEP_WAIT:
			while (sem_wait(&t->woken) && errno == EINTR)
				continue;
			break;
		case STEP_WAKE:
			sem_post(&t->all->tasks.items[s->target]->woken);
			break;
		}
	}
}

static void *run_task(void *arg)
{
	struct replayed *t = arg;
	u64 before;

	pthread_barrier_wait(&t->all->start);
	before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	do_steps(t);
	t->cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
	return NULL;
}

static void measure_overheads(struct replay *p)
{
	u64 least_run = UINT64_MAX, least_sleep = UINT64_MAX;

	for (int i = 0; i < 10; i++) {
		u64 t = clock_ns(CLOCK_MONOTONIC);

		burn(0, 0);
		least_run = MIN(least_run, clock_ns(CLOCK_MONOTONIC) - t);
		t = clock_ns(CLOCK_MONOTONIC);
		rest(10000);
		least_sleep = MIN(least_sleep, clock_ns(CLOCK_MONOTONIC) - t);
	}
	p->run_overhead = least_run;
	p->sleep_overhead = least_sleep - MIN(least_sleep, 10000U);
	out_f(p->out,
	      "run measurement overhead: %" PRIu64 " nsecs\nsleep measurement overhead: %" PRIu64
	      " nsecs\n",
	      p->run_overhead, p->sleep_overhead);
}

/* Tests how well this machine keeps to a millisecond, to help judge the replayed times. */
static void test_steps(struct replay *p)
{
	enum { NS = 1000000 };
	u64 t = clock_ns(CLOCK_MONOTONIC);

	burn(NS, p->run_overhead);
	out_f(p->out, "the run test took %" PRIu64 " nsecs\n", clock_ns(CLOCK_MONOTONIC) - t);
	t = clock_ns(CLOCK_MONOTONIC);
	rest(NS);
	out_f(p->out, "the sleep test took %" PRIu64 " nsecs\n", clock_ns(CLOCK_MONOTONIC) - t);
}

/* Starts all threads or none: those that wait for one that could not be made would wait forever. */
static int start_all(struct replay *p, struct reason *r)
{
	pthread_attr_t attr;
	int err = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	for (size_t i = 0; !err && i < p->tasks.count; i++) {
		struct replayed *t = p->tasks.items[i];

		err = pthread_create(&t->thread, &attr, run_task, t);
		t->started = !err;
	}
	pthread_attr_destroy(&attr);
	return err ? reason_errno(r, err, "cannot start %zu threads, one for each task",
				  p->tasks.count)
		   : 0;
}

static int one_round(struct replay *p, int round, double *average, double *cpu_average,
		     struct reason *r)
{
	double took, cpu = 0;
	u64 begin;
	int err;

	pthread_barrier_init(&p->start, NULL, (unsigned)p->tasks.count + 1);
	err = start_all(p, r);
	if (err)
		return err; /* the command ends here, and its threads with it */
	begin = clock_ns(CLOCK_MONOTONIC);
	pthread_barrier_wait(&p->start);
	vec_for_each(&p->tasks, t) {
		pthread_join((*t)->thread, NULL);
		(*t)->started = false;
		cpu += (double)(*t)->cpu / 1e6;
	}
	took = (double)(clock_ns(CLOCK_MONOTONIC) - begin) / 1e6;
	pthread_barrier_destroy(&p->start);
	*average = round == 1 ? took : (*average * 9 + took) / 10;
	*cpu_average = round == 1 ? cpu : (*cpu_average * 9 + cpu) / 10;
	out_f(p->out, "#%-3d: %0.3f, ravg: %0.2f, cpu: %0.2f / %0.2f\n", round, took, *average, cpu,
	      *cpu_average);
	out_flush(p->out);
	return 0;
}

static void put_tasks(struct replay *p)
{
	struct strbuf *b = out_buf(p->out);

	strbuf_f(b,
		 "nr_run_events:        %" PRIu64 "\nnr_sleep_events:      %" PRIu64
		 "\nnr_wakeup_events:     %" PRIu64 "\n",
		 p->runs, p->sleeps, p->wakeups);
	if (p->untargeted)
		strbuf_f(b, "target-less wakeups:  %" PRIu64 "\n", p->untargeted);
	if (p->merged)
		strbuf_f(b, "run atoms optimized: %" PRIu64 "\n", p->merged);
	vec_for_each(&p->tasks, t) {
		strbuf_f(b, "task %6u (", (*t)->index);
		strbuf_pad(b, ' ', 20 - (int)strlen((*t)->name));
		strbuf_printable(b, (*t)->name);
		strbuf_f(b, ":%10u), nr_events: %zu\n", (*t)->tid, (*t)->steps.count);
	}
	strbuf_pad(b, '-', 60);
	strbuf_char(b, '\n');
	out_flush(p->out);
}

static void print(void *arg, struct tasks *t, struct out *out)
{
	struct replay *p = arg;

	(void)t;
	p->out = out;
	measure_overheads(p);
	test_steps(p);
	put_tasks(p);
}

static int replay(struct replay *p, struct reason *r)
{
	double average = 0, cpu_average = 0;
	int err = 0;

	vec_for_each(&p->tasks, t)
		sem_init(&(*t)->woken, 0, 0);
	for (int i = 1; !err && p->tasks.count && (p->repeat < 0 || i <= p->repeat); i++)
		err = one_round(p, i, &average, &cpu_average, r);
	return err;
}

/* Replays the recording after it has been read and closed. */
static int run(struct sched *s, struct replay *p)
{
	struct reason r = REASON_INIT;
	struct out out;
	int code = sched_analyse(s, &p->a), err;

	if (code)
		return code;
	out_init(&out, 1);
	p->out = &out;
	err = replay(p, &r);
	code = say_output(out_release(&out));
	return err ? say_reason(&r) : code;
}

int sched_replay(struct sched *s, int argc, const char **argv)
{
	static const struct sched_use use = { "sched replay", { "perf sched replay [<options>]" } };
	struct replay p = { .s = s, .repeat = 10 };
	const struct option_row own[] = {
		{ OPTION_INT, 'r', "repeat", &p.repeat,
		  .help = "number of rounds (default 10), -1: forever" },
	};
	option_rows rows = VEC_INIT;
	int code;

	option_rows_add(&rows, own, ARRAY_SIZE(own));
	sched_common_rows(s, &rows);
	code = sched_parse(s, &use, &rows, argc, argv);
	if (!code && p.repeat < -1) {
		say_error("--repeat: %d is not a number of rounds, and only -1 repeats forever",
			  p.repeat);
		code = EXIT_USAGE;
	}
	p.a.ops = (struct tasks_ops){ .switched = on_switch, .woken = on_wake };
	p.a.arg = &p;
	p.a.print = print;
	if (!code)
		code = run(s, &p);
	vec_for_each(&p.tasks, t) {
		vec_release(&(*t)->steps);
		free(*t);
	}
	vec_release(&p.tasks);
	map64_release(&p.by_life);
	return code < 0 ? 0 : code;
}
