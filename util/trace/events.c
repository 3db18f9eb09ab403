// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples of rings and files: entries and exits of calls, page faults, and any other event. */
#include <errno.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "trace/internal.h"

enum { FAULTS_MIN_CONFIG = 5, FAULTS_MAJ_CONFIG = 6, FAULTS_CONFIG = 2, SOFTWARE_TYPE = 1 };

/* raw_syscalls:* is an event like others where -e names it, and calls are not shown or come from BPF. */
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
	const struct tracepoint_format *f = t->formats ? tracepoint_by_id(t->formats, (u32)ev->attr.config) : NULL;

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
		u8 kind = bound_of(t, *ev)->kind;

		any |= kind == BOUND_ENTER || kind == BOUND_EXIT;
	}
	if (any || t->o.input == NULL || session_events(t->session)->list.count)
		return 0;
	return reason_set(r, ENODATA, "'%s' holds no events", t->o.input);
}

static const char *comm_of(struct trace *t, const struct session_sample *s)
{
	return history_comm_text(session_history(t->session), s->comm);
}

static void set_head(const struct session_sample *s, struct trace_call *c)
{
	c->pid = s->sample->id.pid;
	c->tid = c->entry_tid = s->sample->id.tid;
	c->cpu = (u16)MIN(s->sample->id.cpu, 65535U);
	c->lost = 0;
}

/* Of a recording the arguments are words of the machine that was recorded. */
static bool read_args(struct trace *t, const struct bound_event *b, const struct sample *s, u64 args[TRACE_ARGS])
{
	u32 word = b->value->element_size ? b->value->element_size : 8;

	for (u32 i = 0; i < TRACE_ARGS; i++) {
		struct tracepoint_field f = *b->value;

		f.offset += i * word;
		f.size = word;
		f.flags &= ~(u32)FIELD_ARRAY;
		if ((i + 1) * word > b->value->size)
			args[i] = 0;
		else if (!tracepoint_get_int(t->formats, &f, s->raw, s->raw_size, &args[i]))
			return false;
	}
	return true;
}

static void print_sample(struct trace *t, const struct session_sample *s)
{
	if (!t->o.print_sample)
		return;
	out_f(&t->out, "%22s %10.3f %s %d/%d [%d]\n", s->sample->event->name, (double)s->sample->id.time / 1e6,
	      comm_of(t, s), (s32)s->sample->id.pid, (s32)s->sample->id.tid, (s32)s->sample->id.cpu);
}

static void on_enter(struct trace *t, const struct bound_event *b, const struct session_sample *s)
{
	struct trace_call c = { .flags = TRACE_HAS_ENTRY, .entry_time = s->key.time };
	u64 nr;

	set_head(s, &c);
	if (!tracepoint_get_int(t->formats, b->number, s->sample->raw, s->sample->raw_size, &nr) ||
	    !trace_abi(t, s, &nr, &c.flags) || !read_args(t, b, s->sample, c.args))
		return;
	c.nr = (u32)nr;
	trace_task_get(t, c.pid, c.tid, comm_of(t, s));
	print_sample(t, s);
	trace_take_call(t, &c, NULL);
}

static void on_exit_sample(struct trace *t, const struct bound_event *b, const struct session_sample *s)
{
	struct trace_call c = { .flags = TRACE_HAS_EXIT | TRACE_ENTRY_SENT, .exit_time = s->key.time };
	struct trace_task *task;
	u64 nr, result, printed = t->printed;

	set_head(s, &c);
	if (!tracepoint_get_int(t->formats, b->number, s->sample->raw, s->sample->raw_size, &nr) ||
	    !trace_abi(t, s, &nr, &c.flags) ||
	    !tracepoint_get_int(t->formats, b->value, s->sample->raw, s->sample->raw_size, &result))
		return;
	c.nr = (u32)nr;
	c.result = (s64)result;
	task = trace_task_get(t, c.pid, c.tid, comm_of(t, s));
	c.entry_time = task->pending && task->call.nr == c.nr && !((task->call.flags ^ c.flags) & TRACE_COMPAT)
			       ? task->call.entry_time
			       : 0;
	print_sample(t, s);
	if (t->o.min_stack && chain_print(t, s, false) < t->o.min_stack) {
		task->pending = false;
		return;
	}
	trace_chain_keep(t, s);
	trace_take_call(t, &c, NULL);
	strbuf_clear(&t->chain);
	if (t->printed != printed)
		chain_print(t, s, true);
}

static bool for_programs(const struct trace *t)
{
	return t->o.json || t->o.separator;
}

/* --json, -x: an event that is no call, with its fields as one text. */
static void put_other(struct trace *t, const struct session_sample *s, const struct trace_task *task, const char *name,
		      const char *args)
{
	struct strbuf *b = out_buf(&t->out);
	const char *sep = t->o.separator;
	size_t from;

	if (t->o.json) {
		strbuf_f(b, "{\"time\": %" PRIu64 ", \"cpu\": %u, \"comm\": ", s->key.time, s->sample->id.cpu);
		json_text(b, task->comm);
		strbuf_f(b, ", \"pid\": %u, \"tid\": %u, \"event\": ", task->pid, task->tid);
		json_text(b, name);
		strbuf_str(b, ", \"args\": ");
		json_text(b, args);
		trace_chain_keep(t, s);
		strbuf_add(b, strbuf_cstr(&t->chain), t->chain.len);
		strbuf_clear(&t->chain);
		strbuf_char(b, '}');
	} else {
		strbuf_f(b, "%" PRIu64 "%s%s%u%s", s->key.time, sep, sep, s->sample->id.cpu, sep);
		from = b->len;
		strbuf_str(b, task->comm);
		strbuf_printable_from(b, from);
		strbuf_f(b, "%s%u%s%u%s%s%s%s%s", sep, task->pid, sep, task->tid, sep, name, sep, args, sep);
	}
	line_end(t);
}

/* "fault [main+0x4] => /usr/bin/true@0x1000 (d.)", behind maj or min. */
static void print_fault(struct trace *t, const struct session_sample *s, struct strbuf *out)
{
	bool mapped;

	strbuf_str(out, "fault [");
	place_print(t, s, s->sample->ip, false, true, out, &mapped);
	strbuf_str(out, "] => ");
	place_print(t, s, s->sample->addr, true, false, out, &mapped);
	strbuf_f(out, " (%c%c)", mapped ? 'd' : '?', s->sample->cpumode == 1 ? 'k' : '.');
}

static void on_fault(struct trace *t, const struct session_sample *s)
{
	bool major = s->sample->event->attr.config == FAULTS_MAJ_CONFIG;
	struct trace_task *task = trace_task_get(t, s->sample->id.pid, s->sample->id.tid, comm_of(t, s));
	struct trace_line l = { .time = s->key.time, .task = task, .cpu = s->sample->id.cpu };

	if (major)
		task->faults_major++;
	else
		task->faults_minor++;
	t->events++;
	task->events++;
	if (t->o.summary || t->switched_off || (t->o.min_stack && chain_print(t, s, false) < t->o.min_stack))
		return;
	if (for_programs(t)) {
		strbuf_clear(&t->args);
		print_fault(t, s, &t->args);
		put_other(t, s, task, major ? "major-faults" : "minor-faults", strbuf_cstr(&t->args));
		return;
	}
	trace_interrupt(t);
	line_begin(t, &l);
	strbuf_str(out_buf(&t->out), major ? "maj" : "min");
	print_fault(t, s, out_buf(&t->out));
	line_end(t);
	chain_print(t, s, true);
}

static bool is_text(const struct tracepoint_field *f)
{
	return f->flags & FIELD_STRING || (f->flags & FIELD_ARRAY && f->element_size == 1 && strstr(f->type, "char"));
}

/* "comm: "true", pid: 23571": the fields that say something. */
static void print_fields(struct trace *t, const struct tracepoint_format *f, const struct sample *s, struct strbuf *out)
{
	bool any = false;

	for (u32 i = 0; i < f->field_count; i++) {
		const struct tracepoint_field *field = &f->fields[i];
		const char *text = NULL;
		u64 v = 0;
		u32 n = 0;

		if (field->flags & FIELD_COMMON)
			continue;
		if (is_text(field))
			text = tracepoint_get_bytes(t->formats, field, s->raw, s->raw_size, &n);
		else if (!(field->flags & FIELD_ARRAY) &&
			 (!tracepoint_get_int(t->formats, field, s->raw, s->raw_size, &v) || (!v && !t->o.zeros)))
			continue;
		strbuf_f(out, "%s%s: ", any ? ", " : "", field->name);
		any = true;
		if (text)
			syscall_print_text((const u8 *)text, (u32)strnlen(text, n), 0, false, out);
		else if (field->flags & FIELD_ARRAY)
			tracepoint_print_field(t->formats, field, s->raw, s->raw_size, out);
		else if (field->flags & FIELD_POINTER)
			strbuf_f(out, "0x%" PRIx64, v);
		else
			strbuf_f(out, "%" PRId64, (s64)v);
	}
}

static void print_args(struct trace *t, const struct bound_event *b, const struct sample *s, struct strbuf *out)
{
	const struct perf_event_attr *attr = &s->event->attr;

	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT)
		trace_print_output(s, out);
	else if (b->format && !t->o.libtraceevent)
		print_fields(t, b->format, s, out);
	else if (b->format)
		tracepoint_print(t->printer, b->format, s->raw, s->raw_size, s->id.cpu, out);
}

static void on_event(struct trace *t, struct bound_event *b, const struct session_sample *s)
{
	const struct event *ev = s->sample->event;
	struct trace_task *task = trace_task_get(t, s->sample->id.pid, s->sample->id.tid, comm_of(t, s));
	struct trace_line l = { .time = s->key.time, .task = task, .no_duration = true, .cpu = s->sample->id.cpu };
	bool duration = t->o.show_duration, print = true;

	t->events++;
	trace_switch(t, ev->name, &print);
	if (!print || t->o.summary || (t->o.min_stack && chain_print(t, s, false) < t->o.min_stack))
		return;
	if (ev->max_events && b->printed >= ev->max_events)
		return;
	if (for_programs(t)) {
		strbuf_clear(&t->args);
		print_args(t, b, s->sample, &t->args);
		put_other(t, s, task, ev->name, strbuf_cstr(&t->args));
		b->printed++;
		return;
	}
	trace_interrupt(t);
	t->o.show_duration = duration && t->o.syscalls;
	line_begin(t, &l);
	t->o.show_duration = duration;
	strbuf_f(out_buf(&t->out), "%s(", ev->name);
	print_args(t, b, s->sample, out_buf(&t->out));
	strbuf_char(out_buf(&t->out), ')');
	line_end(t);
	b->printed++;
	chain_print(t, s, true);
}

static void on_runtime(struct trace *t, const struct bound_event *b, const struct session_sample *s)
{
	struct trace_task *task = trace_task_get(t, s->sample->id.pid, s->sample->id.tid, comm_of(t, s));
	u64 ns;

	if (tracepoint_get_int(t->formats, b->value, s->sample->raw, s->sample->raw_size, &ns))
		task->runtime += (double)ns / 1e6;
}

/* --filter-pids, which the BPF programs see to by themselves. */
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
	/* -e with events alone: of a recording, too, no calls */
	if ((b->kind == BOUND_ENTER || b->kind == BOUND_EXIT) && !t->o.syscalls)
		return 0;
	switch (b->kind) {
	case BOUND_ENTER:
		on_enter(t, b, s);
		break;
	case BOUND_EXIT:
		on_exit_sample(t, b, s);
		break;
	case BOUND_FAULT:
		on_fault(t, s);
		break;
	case BOUND_RUNTIME:
		on_runtime(t, b, s);
		break;
	default:
		on_event(t, b, s);
	}
	return t->done ? -ECANCELED : 0;
}

/* LOST: what waited for its exit may wait for ever. */
static void on_loss(struct trace *t, const struct record *rec)
{
	u64 count;

	if (rec->size < 24)
		return;
	memcpy(&count, rec->data + 16, sizeof(count));
	trace_forget_pending(t);
	t->lost += count;
	if (!t->o.summary && !t->o.json && !t->o.separator)
		out_f(&t->out, "LOST %" PRIu64 " events!\n", count);
}

/* EXIT: pid, ppid, tid, ptid.  The programs in the kernel say it themselves. */
static void on_task_exit(struct trace *t, const struct record *rec)
{
	u32 ids[4];
	u64 *slot;

	if (t->bpf || rec->size < 8 + sizeof(ids))
		return;
	memcpy(ids, rec->data + 8, sizeof(ids));
	slot = map64_get(&t->tasks, ids[2]);
	if (slot)
		trace_task_end(t, (struct trace_task *)(uintptr_t)*slot, ids[0] == ids[2]);
}

static int on_record(void *arg, const struct record *rec, const struct order_key *key, struct reason *r)
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

void trace_switch(struct trace *t, const char *event, bool *print)
{
	if (t->switched_off && t->o.on && !strcmp(t->o.on, event)) {
		t->switched_off = false;
		*print = t->o.on_off_events;
	} else if (!t->switched_off && t->o.off && !strcmp(t->o.off, event)) {
		t->switched_off = true;
		*print = t->o.on_off_events;
	} else {
		*print = !t->switched_off;
	}
}
