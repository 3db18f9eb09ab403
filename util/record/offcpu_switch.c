// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits without BPF: a sample of sched:sched_switch shows, with its stack, where a task leaves the
 * CPU. Records of context switches show whether it was preempted, and when it comes back.
 *
 * It is between rings and file (struct record_sink): switches become waits and go no further. A
 * task can leave on one CPU and come back on another whose ring is emptied first. So events of
 * tasks are handled in order of time: at the end of a turn, up to the newest of the turn before.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "data/reader.h"
#include "event/sample.h"
#include "record/internal.h"
#include "record/offcpu.h"

enum { MOST_FRAMES = 127, MOST_PLACES = 1 << 18 };

/* A stack as recorded: leaf first, with markers. */
struct stack {
	u32 count;
	u64 ips[];
};

struct thread {
	struct stack *out; /* left, and has not come back; NULL: it runs */
	u64 left;
	u32 pid;
	/* counts its names, programs and ends: later waits are counted separately */
	u32 life;
};

struct place {
	u32 pid, tid;
	u64 ns, count;
	u64 time; /* when the newest of these waits began */
	struct stack *stack;
};

enum happening_kind {
	LEAVES, /* with its stack */
	STAYS,  /* was preempted: it could have gone on, so it does not wait */
	RETURNS,
	BECOMES_OTHER, /* a name, a program, the end */
};

struct happening {
	u64 time, number; /* number: in the order of arrival */
	enum happening_kind kind;
	u32 pid, tid, cpu;
	struct stack *stack; /* LEAVES */
};

struct off_cpu_switches {
	struct recorder *rec;
	struct record_sink sink;
	const struct event *switches, *waits; /* both belong to rec->set */
	struct off_cpu_text text;
	struct map64 threads;  /* tid -> struct thread * */
	struct map64 by_stack; /* hash -> index in places + 1 */
	VEC(struct place) places;
	VEC(struct happening) coming;
	u64 arrived; /* how many came */
	/* times: of what came, and of what had come when the turn before ended */
	u64 newest, before;
	struct strbuf batch, piece;
	u64 full; /* waits for which there was no room */
};

static struct thread *thread_of(struct off_cpu_switches *o, u32 tid)
{
	u64 *slot = map64_put(&o->threads, tid, NULL);

	if (!*slot)
		*slot = (u64)(uintptr_t)xcalloc(1, sizeof(struct thread));
	return (struct thread *)(uintptr_t)*slot;
}

static struct stack *keep_stack(const struct sample *s)
{
	u32 count = (u32)MIN(s->chain_count, (u64)MOST_FRAMES);
	struct stack *k = xcalloc(1, sizeof(*k) + count * sizeof(u64));

	k->count = count;
	if (count)
		memcpy(k->ips, s->chain, count * sizeof(u64));
	return k;
}

/* Splits a recorded chain into its two sides. */
static void split(const struct stack *k, struct off_cpu_wait *w)
{
	for (u32 i = 0; i < k->count; i++) {
		u32 from = i + 1, to = from;

		if (k->ips[i] != PERF_CONTEXT_KERNEL && k->ips[i] != PERF_CONTEXT_USER)
			continue;
		while (to < k->count && k->ips[to] < PERF_CONTEXT_MAX)
			to++;
		if (k->ips[i] == PERF_CONTEXT_KERNEL) {
			w->kernel = k->ips + from;
			w->kernel_count = to - from;
		} else {
			w->user = k->ips + from;
			w->user_count = to - from;
		}
		i = to - 1;
	}
}

static void put_wait(struct off_cpu_switches *o, const struct stack *k, struct off_cpu_wait w)
{
	split(k, &w);
	if (o->rec->settings->user_callchains)
		w.kernel_count = 0;
	if (o->rec->settings->kernel_callchains)
		w.user_count = 0;
	off_cpu_put_sample(o->waits, &w, &o->text, &o->batch);
	o->rec->counts.samples++;
	if (o->rec->counts_events)
		record_count_sample(&o->rec->counts, o->waits);
}

/* Adds a wait to the sums of its place, which takes the stack over or frees it. */
static void add_to_sum(struct off_cpu_switches *o, const struct thread *t, u32 tid, struct stack *k,
		       u64 ns)
{
	struct hash128 h = hash128_bytes(k->ips, k->count * sizeof(u64),
					 hash_combine((u64)t->pid << 32 | tid, t->life));
	bool added;
	u64 *slot;
	struct place *p;

	if (o->places.count >= MOST_PLACES && !map64_get(&o->by_stack, h.a)) {
		o->full++;
		free(k);
		return;
	}
	slot = map64_put(&o->by_stack, h.a, &added);
	if (added) {
		vec_push(&o->places, (struct place){ t->pid, tid, ns, 1, t->left, k });
		*slot = o->places.count;
		return;
	}
	p = &o->places.items[*slot - 1];
	p->ns += ns;
	p->count++;
	p->time = MAX(p->time, t->left);
	free(k);
}

static void end_wait(struct off_cpu_switches *o, struct thread *t, u32 tid, u64 time, u32 cpu)
{
	u64 ns = time - t->left;

	if (ns >= o->rec->settings->off_cpu_threshold) {
		put_wait(o, t->out,
			 (struct off_cpu_wait){
				 .pid = t->pid, .tid = tid, .cpu = cpu, .time = time, .ns = ns });
		free(t->out);
	} else {
		add_to_sum(o, t, tid, t->out, ns);
	}
	t->out = NULL;
}

/* Reports whether the task is a user's: a kernel thread's chain has no user side. */
static bool is_user_task(const struct off_cpu_switches *o, const struct sample *s)
{
	for (u64 i = 0; i < s->chain_count; i++)
		if (load_u64(s->chain + 8 * i, o->rec->set->swap) == PERF_CONTEXT_USER)
			return true;
	return false;
}

static void note(struct off_cpu_switches *o, enum happening_kind kind, const struct sample_id *id,
		 struct stack *stack)
{
	vec_push(&o->coming, (struct happening){ id->time, o->arrived++, kind, id->pid, id->tid,
						 id->cpu, stack });
	o->newest = MAX(o->newest, id->time);
}

static void on_departure(struct off_cpu_switches *o, const struct sample *s)
{
	if (s->id.tid && s->id.tid != UINT32_MAX && s->id.pid != (u32)getpid() &&
	    is_user_task(o, s))
		note(o, LEAVES, &s->id, keep_stack(s));
}

static void on_switch_record(struct off_cpu_switches *o, const struct record *rec)
{
	struct sample_id id;
	const struct event *ev;

	if (record_sample_id(o->rec->set, rec, &id, &ev, NULL) || !id.tid || id.tid == UINT32_MAX)
		return;
	if (!(rec->misc & PERF_RECORD_MISC_SWITCH_OUT))
		note(o, RETURNS, &id, NULL);
	else if (rec->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
		note(o, STAYS, &id, NULL);
}

/* Handles a change of a thread, whose name another thread may have set. */
static void on_change(struct off_cpu_switches *o, const struct record *rec)
{
	struct sample_id id;
	const struct event *ev;
	struct record_comm comm;
	struct record_task task;

	if (record_sample_id(o->rec->set, rec, &id, &ev, NULL))
		return;
	if (rec->type == PERF_RECORD_COMM && !record_get_comm(o->rec->set, rec, &comm, NULL))
		id.tid = comm.tid;
	else if (rec->type == PERF_RECORD_EXIT && !record_get_task(o->rec->set, rec, &task, NULL))
		id.tid = task.tid;
	else
		return;
	note(o, BECOMES_OTHER, &id, NULL);
}

static void look_at(struct off_cpu_switches *o, const struct happening *h)
{
	struct thread *t = thread_of(o, h->tid);

	switch (h->kind) {
	case LEAVES:
		free(t->out); /* how it came back was lost */
		t->out = h->stack;
		t->left = h->time;
		t->pid = h->pid;
		break;
	case STAYS:
		free(t->out);
		t->out = NULL;
		break;
	case RETURNS:
		if (t->out)
			end_wait(o, t, h->tid, h->time, h->cpu);
		break;
	case BECOMES_OTHER:
		t->life++;
		break;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct happening *x = a, *y = b;

	return x->time != y->time ? (x->time > y->time ? 1 : -1) : x->number > y->number ? 1 : -1;
}

static void look_until(struct off_cpu_switches *o, u64 time)
{
	size_t n = 0;

	if (!o->coming.count)
		return;
	qsort(o->coming.items, o->coming.count, sizeof(*o->coming.items), by_time);
	while (n < o->coming.count && o->coming.items[n].time <= time)
		look_at(o, &o->coming.items[n++]);
	o->coming.count -= n;
	memmove(o->coming.items, o->coming.items + n, o->coming.count * sizeof(*o->coming.items));
}

static bool is_departure(const struct off_cpu_switches *o, const struct record *rec,
			 struct sample *s)
{
	return rec->type == PERF_RECORD_SAMPLE && !sample_decode(o->rec->set, rec, s, NULL) &&
	       s->event == o->switches;
}

static int take(void *arg, u32 ring, const struct ring_data *d, struct reason *r)
{
	struct off_cpu_switches *o = arg;
	struct data_chunk c = { 0 };
	struct record rec;
	struct sample s;
	size_t at = 0;

	(void)ring;
	(void)r;
	strbuf_clear(&o->piece); /* a record can be on both sides of the ring's end */
	strbuf_add(&o->piece, d->first, d->first_size);
	if (d->second_size)
		strbuf_add(&o->piece, d->second, d->second_size);
	c.data = (const u8 *)strbuf_cstr(&o->piece);
	c.size = o->piece.len;
	while (data_chunk_record(&c, &at, &rec)) {
		if (is_departure(o, &rec, &s))
			on_departure(o, &s);
		else if (rec.type == PERF_RECORD_SWITCH || rec.type == PERF_RECORD_SWITCH_CPU_WIDE)
			on_switch_record(o, &rec);
		else {
			on_change(o, &rec);
			strbuf_add(&o->batch, rec.data, rec.size);
		}
	}
	return 0;
}

static int turn(void *arg, bool all, struct reason *r)
{
	struct off_cpu_switches *o = arg;
	int err;

	look_until(o, all ? UINT64_MAX : o->before);
	o->before = o->newest;
	if (!o->batch.len)
		return 0;
	record_build_finished_round(&o->batch);
	err = data_write(o->rec->writer, o->batch.s, o->batch.len, r);
	strbuf_clear(&o->batch);
	return err ? err : data_flush(o->rec->writer, r);
}

int off_cpu_switches_sums(struct off_cpu_switches *o, struct reason *r)
{
	int err;

	vec_for_each(&o->places, p) {
		put_wait(o, p->stack,
			 (struct off_cpu_wait){
				 .pid = p->pid, .tid = p->tid, .time = p->time, .ns = p->ns });
		free(p->stack);
	}
	vec_clear(&o->places);
	map64_release(&o->by_stack);
	if (o->full)
		condition_add(&o->rec->ctx->conditions, CONDITION_WARNING, "off-cpu-full", NULL,
			      NULL, o->full, NULL,
			      "waits are not recorded, since there was no room left for the places "
			      "where they began");
	o->full = 0;
	err = o->batch.len ? data_write(o->rec->writer, o->batch.s, o->batch.len, r) : 0;
	strbuf_clear(&o->batch);
	return err;
}

struct off_cpu_switches *off_cpu_switches_new(struct recorder *rec)
{
	struct off_cpu_switches *o = xcalloc(1, sizeof(*o));

	o->rec = rec;
	vec_for_each(&rec->set->list, it) {
		if (event_is_wait(*it))
			o->waits = *it;
		if (event_is_tracepoint(*it) && (*it)->name && !strcmp((*it)->name, OFF_CPU_SWITCH))
			o->switches = *it;
	}
	o->sink = (struct record_sink){ .arg = o, .take = take, .turn = turn };
	rec->sink = &o->sink;
	return o;
}

void off_cpu_switches_free(struct off_cpu_switches *o)
{
	if (!o)
		return;
	o->rec->sink = NULL;
	for (size_t i = 0; i < o->threads.space; i++) {
		struct thread *t = (struct thread *)(uintptr_t)o->threads.slots[i].value;

		if (!o->threads.slots[i].used)
			continue;
		free(t->out);
		free(t);
	}
	map64_release(&o->threads);
	map64_release(&o->by_stack);
	vec_for_each(&o->places, p)
		free(p->stack);
	vec_release(&o->places);
	vec_for_each(&o->coming, h)
		free(h->stack);
	vec_release(&o->coming);
	strbuf_release(&o->batch);
	strbuf_release(&o->piece);
	free(o);
}
