// SPDX-License-Identifier: GPL-2.0-or-later
/* Sorts samples from rings and files into entries, exits, page faults and other events. */
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "builtin/trace/internal.h"

enum { FAULTS_CONFIG = 2, SOFTWARE_TYPE = 1 };

/*
 * Reports whether raw_syscalls:* is an ordinary event: -e names it while calls are not shown or
 * come from BPF.
 */
static bool is_event_alone(const struct trace *t, const struct event *ev)
{
	if (!t->o.input)
		return !t->o.syscalls || t->bpf;
	vec_for_each(&t->set.list, asked)
		if (!t->o.syscalls && !strcmp((*asked)->name, ev->name))
			return true;
	return false;
}

static void bind_tracepoint(struct trace *t, const struct event *ev, struct bound_event *b)
{
	const struct tracepoint_format *f =
		t->formats ? tracepoint_by_id(t->formats, (u32)ev->attr.config) : NULL;

	b->format = f;
	if (!f)
		return;
	if (!strcmp(f->system, "raw_syscalls") && is_event_alone(t, ev))
		return;
	if (!strcmp(f->system, "raw_syscalls") && !strcmp(f->name, "sys_enter")) {
		b->number = tracepoint_field(f, "id");
		b->value = tracepoint_field(f, "args");
		if (b->number && b->value)
			b->kind = BOUND_ENTER;
	} else if (!strcmp(f->system, "raw_syscalls") && !strcmp(f->name, "sys_exit")) {
		b->number = tracepoint_field(f, "id");
		b->value = tracepoint_field(f, "ret");
		if (b->number && b->value)
			b->kind = BOUND_EXIT;
	} else if (!strcmp(f->name, "sched_stat_runtime") && t->o.sched) {
		b->value = tracepoint_field(f, "runtime");
		if (b->value)
			b->kind = BOUND_RUNTIME;
	} else if (t->o.signals && !strcmp(f->name, "signal_deliver")) {
		b->number = tracepoint_field(f, "sig");
		b->value = tracepoint_field(f, "code");
		if (b->number && b->value)
			b->kind = BOUND_SIGNAL;
	}
}

static struct bound_event *bound_of(struct trace *t, const struct event *ev)
{
	struct bound_event *b;

	while (t->bound.count <= ev->index)
		vec_push_zero(&t->bound);
	b = &t->bound.items[ev->index];
	if (b->known)
		return b;
	b->known = true;
	b->kind = BOUND_EVENT;
	if (event_is_tracepoint(ev))
		bind_tracepoint(t, ev, b);
	else if (ev->attr.type == SOFTWARE_TYPE &&
		 (ev->attr.config == FAULTS_MIN_CONFIG || ev->attr.config == FAULTS_MAJ_CONFIG ||
		  ev->attr.config == FAULTS_CONFIG))
		b->kind = BOUND_FAULT;
	return b;
}

int trace_bind(struct trace *t, struct reason *r)
{
	struct reason none = REASON_INIT;
	bool any = false;

	if (!t->formats && session_data(t->session)) /* a live trace has no file */
		t->formats = data_tracepoints(session_data(t->session), &none);
	reason_release(&none);
	if (t->formats)
		t->printer = tracepoint_printer_new(t->formats);
	vec_for_each(&session_events(t->session)->list, ev) {
		struct bound_event *b = bound_of(t, *ev);
		int err = asked_bind(t, *ev, b, r);

		if (err)
			return err;
		any |= b->kind == BOUND_ENTER || b->kind == BOUND_EXIT;
	}
	if (any || t->o.input == NULL || session_events(t->session)->list.count)
		return 0;
	return reason_set(r, ENODATA, "'%s' holds no events", t->o.input);
}

static void on_runtime(struct trace *t, const struct bound_event *b, const struct session_sample *s)
{
	struct trace_task *task =
		trace_task_get(t, s->sample->id.pid, s->sample->id.tid, sample_comm(t, s));
	u64 ns;

	if (tracepoint_get_int(t->formats, b->value, s->sample->raw, s->sample->raw_size, &ns))
		task->runtime += ns;
}

/* Reports whether --filter-pids names the pid. The BPF programs take care of that themselves. */
static bool is_left_out(const struct trace *t, u32 pid)
{
	for (size_t i = 0; i < t->left_out_count; i++)
		if (t->left_out[i] == pid)
			return true;
	return false;
}

static int on_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct trace *t = arg;
	struct bound_event *b = bound_of(t, s->sample->event);

	(void)worker;
	(void)r;
	if (t->bpf)
		trace_bpf_drain(t, s->key.time);
	if (!t->base_time && !t->o.full_time)
		t->base_time = s->key.time;
	if (t->done)
		return -ECANCELED;
	if ((b->kind == BOUND_ENTER || b->kind == BOUND_EXIT) && is_left_out(t, s->sample->id.pid))
		return 0;
	/* -e with only events: no calls, not even those of a recording */
	if ((b->kind == BOUND_ENTER || b->kind == BOUND_EXIT) && !t->o.syscalls)
		return 0;
	switch (b->kind) {
	case BOUND_ENTER:
		raw_enter(t, b, s);
		break;
	case BOUND_EXIT:
		raw_exit(t, b, s);
		break;
	case BOUND_FAULT:
		if (!b->hidden)
			event_fault(t, s);
		break;
	case BOUND_RUNTIME:
		on_runtime(t, b, s);
		break;
	case BOUND_SIGNAL:
		event_signal(t, b, s);
		break;
	default:
		event_other(t, b, s);
	}
	return t->done ? -ECANCELED : 0;
}

/*
 * Reports whether records are in the other byte order. Those of a running machine are in its own.
 */
static bool is_swapped(const struct trace *t)
{
	return t->session && session_events(t->session)->swap;
}

/* Handles LOST: entries that wait for their exit may wait forever. */
static void on_loss(struct trace *t, const struct record *rec)
{
	u64 count;

	if (rec->size < 24)
		return;
	count = load_u64(rec->data + 16, is_swapped(t));
	trace_forget_pending(t);
	t->lost += count;
	if (!t->o.summary && !t->o.json && !t->o.separator)
		out_f(&t->out, "LOST %" PRIu64 " events!\n", count);
}

/* Handles EXIT: pid, ppid, tid, ptid. The BPF programs report it themselves. */
static void on_task_exit(struct trace *t, const struct record *rec)
{
	u32 pid, tid;
	u64 *slot;

	if (t->bpf || rec->size < 8 + 4 * sizeof(u32))
		return;
	pid = load_u32(rec->data + 8, is_swapped(t));
	tid = load_u32(rec->data + 16, is_swapped(t));
	slot = map64_get(&t->tasks, tid);
	if (slot)
		trace_task_end(t, (struct trace_task *)(uintptr_t)*slot, pid == tid);
}

static int on_record(void *arg, const struct record *rec, const struct order_key *key,
		     struct reason *r)
{
	(void)key;
	(void)r;
	if (rec->type == PERF_RECORD_LOST)
		on_loss(arg, rec);
	else if (rec->type == PERF_RECORD_EXIT)
		on_task_exit(arg, rec);
	return 0;
}

const struct session_ops trace_ops = {
	.order = SESSION_ORDERED,
	.sample = on_sample,
	.record = on_record,
	.want = { 1ULL << PERF_RECORD_LOST | 1ULL << PERF_RECORD_EXIT, 0 },
};
