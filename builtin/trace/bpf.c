// SPDX-License-Identifier: GPL-2.0-or-later
/* The source of calls whose pointer arguments are copied in the kernel: util/bpf/trace.bpf.c. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "builtin/trace/internal.h"
#include "sys/sys.h"

enum { RING_BYTES = 32 << 20 };

/*
 * Returns the size of the ring, not larger than needed: the kernel clears every page before the
 * trace can begin, and tables need no queue.
 */
static u64 ring_bytes(const struct trace *t)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE);

	if (t->o.summary)
		return page;
	return t->settings.ring_pages ? MIN(t->settings.ring_pages * page, 1ULL << 30) : RING_BYTES;
}

struct trace_source_bpf {
	struct bpf_run *run;
	struct bpf_ring *ring;
	struct trace_counts *counts;
	u64 until; /* the end of the drain that is under way */
	/* a record younger than the time up to which was drained */
	struct held {
		u8 *bytes;
		size_t size;
	} * held;
	VEC(struct held) queue;
	size_t first; /* the first one in the queue: those before it were taken */
	u64 folded;   /* number of rows when those of ended tasks were last taken */
};

/* ---- open, start, end ---- */

int trace_bpf_open(struct trace *t, struct reason *r)
{
	struct trace_source_bpf *b = xcalloc(1, sizeof(*b));
	struct trace_settings *s;
	int err = 0;

	t->bpf = b;
	b->run = bpf_run_open("trace", r);
	if (!b->run)
		return r->err ? -r->err : -ENOTSUP;
	s = bpf_run_variable(b->run, "settings", sizeof(*s));
	if (!s)
		return reason_set(r, EINVAL,
				  "the BPF programs of perf trace do not match this perf");
	trace_bpf_settings(t, s);
	bpf_run_enable(b->run, "trace_enter_again", s->keeps_cpu);
	bpf_run_enable(b->run, "trace_exit_again", s->keeps_cpu);
	err = bpf_run_map_entries(b->run, "events", (u32)ring_bytes(t));
	if (!err)
		err = bpf_run_load(t->ctx, b->run, r);
	/* -EINVAL is for a request with which tracepoints would not work, either */
	if (err)
		return err == -EINVAL ? -ENOTSUP : err;
	b->counts = bpf_run_variable(b->run, "counts", sizeof(*b->counts));
	b->ring = bpf_ring_open(bpf_run_map(b->run, "events"), r);
	if (!b->ring || !b->counts)
		return r->err ? -r->err : -EINVAL;
	err = trace_bpf_maps(t, b->run, r);
	b->counts->many = t->set.list.count || t->o.faults || t->o.signals ? TRACE_SEND_ENTRIES
			  : trace_is_all(t) || t->target.tid_count > 1     ? TRACE_SEND_WAITING
									   : TRACE_SEND_CALLS;
	return err;
}

int trace_bpf_targets(struct trace *t, u32 state, struct reason *r)
{
	int map = bpf_run_map(t->bpf->run, "targets");

	for (size_t i = 0; i < t->target.tid_count; i++) {
		u32 tid = (u32)t->target.tids[i], tgid = tid;
		struct strbuf text = STRBUF_INIT;
		char path[64];
		const char *at;
		int err;

		snprintf(path, sizeof(path), "/proc/%u/status", tid);
		if (!t->o.tids && !sys_read(NULL, &text, path)) {
			at = strstr(strbuf_cstr(&text), "\nTgid:");
			if (at)
				tgid = (u32)strtoul(at + strlen("\nTgid:"), NULL, 10);
		}
		strbuf_release(&text);
		err = bpf_map_write(map, &tgid, &state);
		if (err)
			return reason_errno(r, -err, "cannot pass the task %u to the BPF programs",
					    tid);
	}
	return 0;
}

int trace_bpf_start(struct trace *t, struct reason *r)
{
	return bpf_run_attach(t->bpf->run, r);
}

void trace_bpf_pause(struct trace *t, bool pause)
{
	t->bpf->counts->paused = pause;
}

struct looking {
	int map;
	bool alive;
};

/*
 * Notes that a task is alive, or removes one that ended before the programs were attached, which
 * never do that.
 */
static int look_for(void *arg, const void *key, void *value)
{
	struct looking *l = arg;
	u32 id;

	(void)value;
	memcpy(&id, key, sizeof(id));
	if (kill((pid_t)id, 0) && errno == ESRCH)
		bpf_map_remove(l->map, &id);
	else
		l->alive = true;
	return 0;
}

bool trace_bpf_alive(struct trace *t)
{
	struct looking l = { bpf_run_map(t->bpf->run, "targets"), trace_is_all(t) };

	if (!l.alive)
		bpf_map_each(l.map, sizeof(u32), sizeof(u32), look_for, &l);
	return l.alive;
}

void trace_bpf_stop(struct trace *t)
{
	bpf_run_detach(t->bpf->run);
}

void trace_bpf_say_losses(struct trace *t)
{
	if (!t->bpf || !t->bpf->counts)
		return;
	bpf_run_say_missed(t->ctx, t->bpf->run);
	if (t->bpf->counts->failed_copies)
		condition_add(
			&t->ctx->conditions, CONDITION_NOTE, "trace-copies", NULL, NULL,
			t->bpf->counts->failed_copies, NULL,
			"what an argument points to could not be copied: where the copy after the "
			"call failed as well, "
			"the argument is shown as an address");
	if (t->bpf->counts->no_memory)
		condition_add(
			&t->ctx->conditions, CONDITION_WARNING, "trace-no-memory", NULL, NULL,
			t->bpf->counts->no_memory, NULL,
			"calls, or the numbers of their errors, are missing: the kernel had no "
			"memory for them");
}

void trace_bpf_close(struct trace *t)
{
	struct trace_source_bpf *b = t->bpf;

	if (!b)
		return;
	bpf_ring_close(b->ring);
	bpf_run_close(b->run);
	for (size_t i = b->first; i < b->queue.count; i++)
		free(b->queue.items[i].bytes);
	vec_release(&b->queue);
	free(b);
	t->bpf = NULL;
}

/* ---- records ---- */

static u64 time_of(const struct trace_call *c)
{
	return c->flags & (TRACE_HAS_EXIT | TRACE_ENDED) ? c->exit_time : c->entry_time;
}

static int take(void *arg, const void *data, size_t size)
{
	struct trace *t = arg;
	const struct trace_call *c = data;
	struct trace_source_bpf *b = t->bpf;

	if (size < sizeof(*c) || c->size > size - sizeof(*c))
		return 0;
	if (time_of(c) > b->until) {
		vec_push(&b->queue, (struct held){ xmemdup(data, size), size });
		return 0;
	}
	trace_take_call(t, c, (const u8 *)data + sizeof(*c));
	return t->done ? -ECANCELED : 0;
}

/* Reuses the space of consumed records, even if the queue never becomes empty. */
static void close_gap(struct trace_source_bpf *b)
{
	if (b->first < 1024 || b->first < b->queue.count / 2)
		return;
	b->queue.count -= b->first;
	memmove(b->queue.items, b->queue.items + b->first,
		b->queue.count * sizeof(*b->queue.items));
	b->first = 0;
}

static s64 take_held(struct trace *t, u64 until)
{
	struct trace_source_bpf *b = t->bpf;
	s64 n = 0;

	while (b->first < b->queue.count) {
		struct held *h = &b->queue.items[b->first];
		const struct trace_call *c = (const struct trace_call *)h->bytes;

		if (time_of(c) > until) {
			close_gap(b);
			return n;
		}
		trace_take_call(t, c, h->bytes + sizeof(*c));
		free(h->bytes);
		b->first++;
		n++;
	}
	b->first = b->queue.count = 0;
	return n;
}

s64 trace_bpf_drain(struct trace *t, u64 until)
{
	s64 n = take_held(t, until), more;

	t->bpf->until = t->bpf->queue.count ? 0 : until; /* after the records that wait */
	more = bpf_ring_drain(t->bpf->ring, take, t);
	for (u32 cpu = 0; cpu < 256; cpu++)
		if (!bpf_ring_used(t->bpf->ring))
			trace_say_loss(t, cpu, t->bpf->counts->lost_by_cpu[cpu]);
	return n + MAX(more, 0);
}

/* ---- -s: what was counted in the kernel ---- */

struct adding {
	struct trace *t;
	size_t cpus;
	int map;
	bool ended; /* only rows of tasks that have ended, and these leave the map */
};

/*
 * Reports whether the row is added now: its task cannot count in it any more. The task may have
 * made calls after the row was read and before it ended, so the row is read again.
 */
static bool takes(const struct adding *a, u64 who, const void *key, void *value)
{
	if (!a->ended)
		return true;
	return kill((pid_t)(u32)who, 0) && errno == ESRCH && !bpf_map_read(a->map, key, value) &&
	       !bpf_map_remove(a->map, key);
}

static struct trace_task *task_of(struct trace *t, u64 who, u32 pid, const char *comm)
{
	struct trace_task *task = t->o.summary_mode == SUMMARY_TOTAL
					  ? trace_task_get(t, pid, 0, comm)
					  : trace_task_of_life(t, who, pid, comm);

	task->cgroup = t->o.summary_mode == SUMMARY_CGROUP ? who : 0;
	return task;
}

static int add_sum(void *arg, const void *key_bytes, void *value)
{
	struct adding *a = arg;
	struct trace_sum_key key;
	struct call_stats *s = NULL;
	struct trace_task *task = NULL;

	memcpy(&key, key_bytes, sizeof(key));
	if (!takes(a, key.who, key_bytes, value) || !trace_wants(a->t, key.nr, key.compat))
		return 0;
	for (size_t cpu = 0; cpu < a->cpus; cpu++) {
		const struct trace_sum *v =
			(const struct trace_sum *)((u8 *)value +
						   cpu * bpf_percpu_size(sizeof(struct trace_sum)));

		if (!v->calls)
			continue;
		if (!task) {
			task = task_of(a->t, key.who, v->pid, v->comm);
			s = stats_get(&task->stats, stats_index(key.nr, key.compat));
		}
		s->min = s->calls ? MIN(s->min, v->min) : v->min;
		s->max = MAX(s->max, v->max);
		s->calls += v->calls;
		s->errors += v->errors;
		s->total += v->total;
		s->squares +=
			(double)v->squares_high * 18446744073709551616.0 + (double)v->squares_low;
		for (u32 i = 0; i < TRACE_BUCKETS; i++)
			s->buckets[i] += v->buckets[i];
		task->events += 2 * v->calls;
		a->t->events += 2 * v->calls;
	}
	return 0;
}

static int add_errno(void *arg, const void *key_bytes, void *value)
{
	struct adding *a = arg;
	struct trace_errno_key key;
	struct call_stats *s;
	struct trace_task *task;

	memcpy(&key, key_bytes, sizeof(key));
	if (!trace_wants(a->t, key.nr, key.compat))
		return 0;
	task = trace_task_find_life(a->t, a->t->o.summary_mode == SUMMARY_TOTAL ? 0 : key.who);
	if (!task || !takes(a, key.who, key_bytes, value))
		return 0;
	s = stats_get(&task->stats, stats_index(key.nr, key.compat));
	stats_add_errno(s, key.err, *(u64 *)value);
	return 0;
}

static void add_rows(struct trace *t, bool ended)
{
	bool by_task = t->o.summary_mode == SUMMARY_THREAD;
	struct adding a = { t, by_task ? 1 : bpf_percpu_count(),
			    bpf_run_map(t->bpf->run, by_task ? "task_sums" : "sums"), ended };

	bpf_map_each(a.map, sizeof(struct trace_sum_key),
		     a.cpus * bpf_percpu_size(sizeof(struct trace_sum)), add_sum, &a);
	a.map = bpf_run_map(t->bpf->run, "errnos");
	bpf_map_each(a.map, sizeof(struct trace_errno_key), sizeof(u64), add_errno, &a);
}

void trace_bpf_fold(struct trace *t)
{
	enum { MANY = TRACE_SUMS / 8 };
	u64 rows = t->bpf->counts->rows;

	if (!t->o.summary || t->o.summary_mode != SUMMARY_THREAD || rows - t->bpf->folded < MANY)
		return;
	t->bpf->folded = rows;
	add_rows(t, true);
}

void trace_bpf_sums(struct trace *t)
{
	add_rows(t, false);
	t->uncounted = t->bpf->counts->no_row;
}
