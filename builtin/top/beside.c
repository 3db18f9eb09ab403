// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What records other than samples contribute: how many threads are running (for the keys latency
 * and parallelism), and a thread's cgroup namespace (for the key cgroup_id).
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/perf_abi.h"
#include "builtin/top/internal.h"
#include "profile/threads.h"

struct top_beside {
	struct running_threads running;
	u32 cpus; /* at most this many run at once */
	struct cgroup_spaces spaces;
	struct map64 space_of; /* tid -> number of its namespace */
	/* Samples taken inside exit() come after the record of the thread's end. */
	struct map64 ended; /* tid -> how many tables were made since its thread ended */
};

static u64 space_of(void *arg, const struct hist_sample *s)
{
	const struct top_beside *b = arg;
	const u64 *number = map64_get(&b->space_of, s->task->tid);

	return number ? *number : 0;
}

static void space_numbers(void *arg, u64 number, u64 *dev, u64 *ino)
{
	const struct top_beside *b = arg;
	const struct cgroup_space *space = cgroup_spaces_get(&b->spaces, number);

	*dev = space->dev;
	*ino = space->ino;
}

static int take_record(void *arg, const struct record *rec, const struct order_key *key,
		       struct reason *r)
{
	struct top *t = arg;
	struct top_beside *b = t->beside;
	const struct event_set *events = session_events(top_source_session(t->source));
	struct thread_change change;
	u64 number;
	u32 tid;

	(void)r;
	if (rec->type == PERF_RECORD_NAMESPACES) {
		if (cgroup_spaces_record(&b->spaces, events, rec, &tid, &number)) {
			*map64_put(&b->space_of, tid, NULL) = number;
			map64_remove(&b->ended, tid);
		}
	} else if (thread_change_of(events, rec, key, &change)) {
		running_threads_apply(&b->running, &change);
		if (rec->type == PERF_RECORD_EXIT)
			*map64_put(&b->ended, change.tid, NULL) = 0;
		else if (change.runs)
			map64_remove(&b->ended, change.tid);
	}
	return 0;
}

static void want_type(struct session_ops *ops, unsigned type)
{
	ops->want[type / 64] |= BIT64(type % 64);
}

void top_beside_begin(struct top *t, struct session_ops *ops)
{
	struct top_beside *b = xcalloc(1, sizeof(*b));
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	t->beside = b;
	b->cpus = cpus > 0 ? (u32)cpus : UINT32_MAX;
	t->o.set.services.cgroup_space = space_of;
	t->o.set.services.cgroup_space_numbers = space_numbers;
	t->o.set.services.cgroup_space_arg = b;
	if (t->o.set.latency) {
		want_type(ops, PERF_RECORD_SWITCH);
		want_type(ops, PERF_RECORD_SWITCH_CPU_WIDE);
		want_type(ops, PERF_RECORD_COMM);
		want_type(ops, PERF_RECORD_EXIT);
	}
	if (top_source_has_namespaces(t->source)) {
		want_type(ops, PERF_RECORD_NAMESPACES);
		want_type(ops, PERF_RECORD_EXIT);
	}
	if (ops->want[0] | ops->want[1])
		ops->record = take_record;
}

/* A thread that is sampled is running, even if it started to run before perf began. */
u32 top_parallelism(struct top *t, const struct task *task)
{
	struct top_beside *b = t->beside;
	const struct thread_change runs = { task->tid, true };

	if (task->tid && !map64_get(&b->ended, task->tid))
		running_threads_apply(&b->running, &runs);
	return MAX(MIN(b->running.count, b->cpus), 1U);
}

void top_beside_forget(struct top *t)
{
	struct map64 *ended = &t->beside->ended;
	VEC(u32) gone = VEC_INIT;

	for (size_t i = 0; i < ended->space; i++)
		if (ended->slots[i].used && ended->slots[i].value++)
			vec_push(&gone, (u32)ended->slots[i].key);
	vec_for_each(&gone, tid) {
		map64_remove(ended, *tid);
		map64_remove(&t->beside->space_of, *tid);
	}
	vec_release(&gone);
}

void top_beside_release(struct top *t)
{
	if (!t->beside)
		return;
	running_threads_release(&t->beside->running);
	cgroup_spaces_release(&t->beside->spaces);
	map64_release(&t->beside->space_of);
	map64_release(&t->beside->ended);
	free(t->beside);
	t->beside = NULL;
}
