// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keeps what other records say about samples: how many threads ran at a time (parallelism), their
 * cgroup namespaces, their last counter readings.
 *
 * In a file all such records come before the first sample, in file order; they are sorted on first
 * use. A stream has them in order.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/perf_abi.h"
#include "base/search.h"
#include "profile/internal.h"
#include "profile/threads.h"

struct profile_change {
	struct order_key key;
	struct thread_change what;
};
/* How many threads run from a time on. */
struct profile_step {
	u64 time;
	u32 running;
};
/* The cgroup namespace of a thread from a time on, by its number. */
struct profile_space {
	struct order_key key;
	u32 tid;
	u64 number;
};

/* Sorted once ready; under the lock until then. */
struct profile_side {
	VEC(struct profile_change) changes;
	VEC(struct profile_step) steps;
	VEC(struct profile_space) spaces;
	struct cgroup_spaces numbers; /* distinguish rows */
	struct map64 space_of;        /* for a stream: tid -> number */
	VEC(struct profile_reading) readings;
	struct map64 reading_of; /* hash of thread and event -> place + 1 */
	struct running_threads running;
	u32 machine_cpus; /* 0 if unknown */
	bool live;        /* a stream: records and samples come in one order */
	bool ready;
	pthread_mutex_t lock;
};

static void want_type(u64 want[2], unsigned type)
{
	want[type / 64] |= BIT64(type % 64);
}

void profile_side_wants(struct profile *p, u64 want[2])
{
	/* a stream describes its content only while it is read */
	if (p->set.latency || data_is_pipe(session_data(p->session))) {
		want_type(want, PERF_RECORD_SWITCH);
		want_type(want, PERF_RECORD_SWITCH_CPU_WIDE);
		want_type(want, PERF_RECORD_EXIT);
		want_type(want, PERF_RECORD_COMM);
	}
	want_type(want, PERF_RECORD_NAMESPACES);
	if (p->asked->readings)
		want_type(want, PERF_RECORD_READ);
}

/* ---- parallelism ---- */

static void apply_change(struct profile *p, const struct profile_change *c)
{
	struct profile_side *side = p->side;

	if (running_threads_apply(&side->running, &c->what))
		vec_push(&side->steps, (struct profile_step){ c->key.time, side->running.count });
}

static void add_change(struct profile *p, const struct record *rec, const struct order_key *key)
{
	struct profile_change c = { .key = *key };

	if (!thread_change_of(session_events(p->session), rec, key, &c.what))
		return;
	if (p->side->live)
		apply_change(p, &c);
	else
		vec_push(&p->side->changes, c);
}

static int change_cmp(const void *a, const void *b)
{
	return order_key_cmp(&((const struct profile_change *)a)->key,
			     &((const struct profile_change *)b)->key);
}

static int space_cmp(const void *pa, const void *pb)
{
	const struct profile_space *a = pa, *b = pb;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return order_key_cmp(&a->key, &b->key);
}

/* Sorts everything on first use. */
static void settle(struct profile *p)
{
	if (p->side->live || __atomic_load_n(&p->side->ready, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&p->side->lock);
	if (!p->side->ready) {
		vec_sort(&p->side->changes, change_cmp);
		vec_for_each(&p->side->changes, c)
			apply_change(p, c);
		vec_sort(&p->side->spaces, space_cmp);
		__atomic_store_n(&p->side->ready, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&p->side->lock);
}

u32 profile_parallelism(struct profile *p, u64 time)
{
	size_t after;
	u32 n;

	settle(p);
	after = lower_bound(i, 0, p->side->steps.count, p->side->steps.items[i].time <= time);
	n = after ? p->side->steps.items[after - 1].running : 0;
	if (p->side->machine_cpus)
		n = MIN(n, p->side->machine_cpus);
	return MAX(n, 1U);
}

/* ---- cgroup namespaces ---- */

u64 profile_cgroup_space(void *arg, const struct hist_sample *s)
{
	const struct profile_space what = { .tid = s->task->tid, .key = *s->key };
	const struct profile *p = arg;
	const struct profile_space *all = p->side->spaces.items;
	size_t n;
	const u64 *now;

	settle(arg);
	if (p->side->live) {
		now = map64_get(&p->side->space_of, s->task->tid);
		return now ? *now : 0;
	}
	/* the last one at or before the sample */
	n = lower_bound(i, 0, p->side->spaces.count, space_cmp(&all[i], &what) <= 0);
	return n && all[n - 1].tid == what.tid ? all[n - 1].number : 0;
}

void profile_cgroup_numbers(void *arg, u64 number, u64 *dev, u64 *ino)
{
	const struct profile *p = arg;
	const struct cgroup_space *space = cgroup_spaces_get(&p->side->numbers, number);

	*dev = space->dev;
	*ino = space->ino;
}

static void add_space(struct profile *p, const struct record *rec, const struct order_key *key)
{
	struct profile_space space = { .key = *key };

	if (!cgroup_spaces_record(&p->side->numbers, session_events(p->session), rec, &space.tid,
				  &space.number))
		return;
	if (p->side->live)
		*map64_put(&p->side->space_of, space.tid, NULL) = space.number;
	else
		vec_push(&p->side->spaces, space);
}

/* ---- counters of threads ---- */

static struct profile_reading *reading_of(struct profile_side *side, const struct record_read *read,
					  u32 event)
{
	const u64 thread = (u64)read->pid << 32 | read->tid;

	for (u64 hash = hash_combine(hash_u64(thread), event);; hash++) {
		bool added;
		u64 *at = map64_put(&side->reading_of, hash, &added);
		struct profile_reading *have;

		if (added) {
			vec_push(&side->readings, (struct profile_reading){ .pid = read->pid,
									    .tid = read->tid,
									    .event = event });
			*at = side->readings.count;
		}
		have = &side->readings.items[*at - 1];
		if (have->pid == read->pid && have->tid == read->tid && have->event == event)
			return have;
	}
}

static void add_reading(struct profile *p, const struct record *rec, struct reason *r)
{
	const struct event_set *events = session_events(p->session);
	struct record_read read;
	const struct event *ev;

	if (record_get_read(events, rec, &read, r))
		return;
	ev = event_by_id(events, read.id);
	if (!ev)
		return;
	reading_of(p->side, &read, ev->index)->value += read.value;
}

static int reading_cmp(const void *pa, const void *pb)
{
	const struct profile_reading *a = pa, *b = pb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

size_t profile_readings(struct profile *p, const struct profile_reading **out)
{
	vec_sort(&p->side->readings, reading_cmp);
	*out = p->side->readings.items;
	return p->side->readings.count;
}

/* ---- */

int profile_side_record(void *arg, const struct record *rec, const struct order_key *key,
			struct reason *r)
{
	struct profile *p = arg;

	if (rec->type == PERF_RECORD_NAMESPACES)
		add_space(p, rec, key);
	else if (rec->type == PERF_RECORD_READ)
		add_reading(p, rec, r);
	else
		add_change(p, rec, key);
	reason_release(r); /* a damaged record is reported by the session */
	return 0;
}

void profile_side_begin(struct profile *p)
{
	p->side = xcalloc(1, sizeof(*p->side));
	pthread_mutex_init(&p->side->lock, NULL);
}

void profile_side_live(struct profile *p, bool live)
{
	p->side->live = live;
}

void profile_side_cpus(struct profile *p, u32 cpus)
{
	p->side->machine_cpus = cpus;
}

void profile_side_release(struct profile *p)
{
	if (!p->side)
		return;
	vec_release(&p->side->changes);
	vec_release(&p->side->steps);
	vec_release(&p->side->spaces);
	cgroup_spaces_release(&p->side->numbers);
	map64_release(&p->side->space_of);
	map64_release(&p->side->reading_of);
	vec_release(&p->side->readings);
	running_threads_release(&p->side->running);
	pthread_mutex_destroy(&p->side->lock);
	free(p->side);
	p->side = NULL;
}
