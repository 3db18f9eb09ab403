// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of page faults, and of any event that is not a call. */
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "builtin/trace/internal.h"

static bool for_programs(const struct trace *t)
{
	return t->o.json || t->o.separator;
}

/* Prints for --json or -x an event that is not a call, with all its fields as one string. */
static void put_other(struct trace *t, const struct session_sample *s,
		      const struct trace_task *task, const char *name, const char *args)
{
	struct strbuf *b = out_buf(&t->out);
	const char *sep = t->o.separator;

	if (t->o.json) {
		strbuf_f(b, "{\"time\": %" PRIu64 ", \"cpu\": %u, \"comm\": ", s->key.time,
			 s->sample->id.cpu);
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
		line_field(t, task->comm);
		strbuf_f(b, "%s%u%s%u%s", sep, task->pid, sep, task->tid, sep);
		line_field(t, name);
		strbuf_str(b, sep);
		line_field(t, args);
		strbuf_str(b, sep);
	}
	line_end(t);
}

/* Adds "fault [main+0x4] => /usr/bin/true@0x1000 (d.)", after "maj" or "min". */
static void print_fault(struct trace *t, const struct session_sample *s, struct strbuf *out)
{
	bool mapped;

	strbuf_str(out, "fault [");
	place_print(t, s, s->sample->cpumode, s->sample->ip, false, true, out, &mapped);
	strbuf_str(out, "] => ");
	/* the touched memory is the program's, touched by the kernel or by the program */
	place_print(t, s, PERF_RECORD_MISC_USER, s->sample->addr, true, false, out, &mapped);
	strbuf_f(out, " (%c%c)", mapped ? 'd' : '?', s->sample->cpumode == 1 ? 'k' : '.');
}

void event_fault(struct trace *t, const struct session_sample *s)
{
	bool major = s->sample->event->attr.config == FAULTS_MAJ_CONFIG;
	struct trace_task *task =
		trace_task_get(t, s->sample->id.pid, s->sample->id.tid, sample_comm(t, s));
	struct trace_line l = { .time = s->key.time, .task = task, .cpu = s->sample->id.cpu };

	if (major)
		task->faults_major++;
	else
		task->faults_minor++;
	t->events++;
	task->events++;
	if (t->o.summary || t->switched_off ||
	    (t->o.min_stack && chain_print(t, s, false) < t->o.min_stack))
		return;
	if (for_programs(t)) {
		strbuf_clear(&t->args);
		print_fault(t, s, &t->args);
		put_other(t, s, task, major ? "major-faults" : "minor-faults",
			  strbuf_cstr(&t->args));
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
	return f->flags & FIELD_STRING ||
	       (f->flags & FIELD_ARRAY && f->element_size == 1 && strstr(f->type, "char"));
}

/* Reports whether the kernel gives the field to each probe. */
static bool is_place(const struct tracepoint_field *f)
{
	static const char *const names[] = { "__probe_ip", "__probe_func", "__probe_ret_ip" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(f->name, names[i]))
			return true;
	return false;
}

static void print_number(u64 v, bool is_signed, struct strbuf *out)
{
	if (is_signed)
		strbuf_f(out, "%" PRId64, (s64)v);
	else
		strbuf_dec(out, v);
}

/* Adds "0x55d0e4113d (main+0x4)": where a probe was, was called from or returns to. */
static void print_place(struct trace *t, const struct session_sample *at, u64 addr,
			struct strbuf *out)
{
	struct strbuf name = STRBUF_INIT;
	bool mapped;

	place_print(t, at, at->sample->cpumode, addr, false, true, &name, &mapped);
	strbuf_f(out, "0x%" PRIx64, addr);
	if (mapped && !str_starts(strbuf_cstr(&name), "0x"))
		strbuf_f(out, " (%s)", strbuf_cstr(&name));
	strbuf_release(&name);
}

/* Adds "comm: "true", pid: 23571": the fields that mean something. */
static void print_fields(struct trace *t, const struct tracepoint_format *f,
			 const struct session_sample *at, struct strbuf *out)
{
	const struct sample *s = at->sample;
	bool any = false;

	for (u32 i = 0; i < f->field_count; i++) {
		const struct tracepoint_field *field = &f->fields[i];
		const char *text = NULL;
		u64 v = 0;
		u32 n = 0;

		if (field->flags & FIELD_COMMON || call_event_hides(f, field->name))
			continue;
		if (is_text(field))
			text = tracepoint_get_bytes(t->formats, field, s->raw, s->raw_size, &n);
		else if (!(field->flags & FIELD_ARRAY) &&
			 (!tracepoint_get_int(t->formats, field, s->raw, s->raw_size, &v) ||
			  (!v && !t->o.zeros)))
			continue;
		strbuf_f(out, "%s%s: ", any ? ", " : "", field->name);
		any = true;
		if (text)
			syscall_print_text((const u8 *)text, (u32)strnlen(text, n), 0, false, out);
		else if (field->flags & FIELD_ARRAY)
			tracepoint_print_field(t->formats, field, s->raw, s->raw_size, out);
		else if (is_place(field))
			print_place(t, at, v, out);
		else if (field->flags & FIELD_POINTER)
			strbuf_f(out, "0x%" PRIx64, v);
		else
			print_number(v, field->flags & FIELD_SIGNED, out);
	}
}

static void print_args(struct trace *t, const struct bound_event *b,
		       const struct session_sample *at, struct strbuf *out)
{
	const struct sample *s = at->sample;
	const struct perf_event_attr *attr = &s->event->attr;

	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT)
		trace_print_output(s, out);
	else if (b->format && !t->o.libtraceevent && call_event_print(t, b->format, at, out))
		return;
	else if (b->format && !t->o.libtraceevent)
		print_fields(t, b->format, at, out);
	else if (b->format)
		tracepoint_print(t->printer, b->format, s->raw, s->raw_size, s->id.cpu, out);
}

void event_other(struct trace *t, struct bound_event *b, const struct session_sample *s)
{
	const struct event *ev = s->sample->event;
	struct trace_task *task =
		trace_task_get(t, s->sample->id.pid, s->sample->id.tid, sample_comm(t, s));
	struct trace_line l = {
		.time = s->key.time, .task = task, .no_duration = true, .cpu = s->sample->id.cpu
	};
	bool duration = t->o.show_duration, print = true;

	if (!asked_passes(t, b, s))
		return;
	t->events++;
	trace_switch(t, ev->name, &print);
	if (b->hidden || !print || t->o.summary ||
	    (t->o.min_stack && chain_print(t, s, false) < t->o.min_stack))
		return;
	if (ev->max_events && b->printed >= ev->max_events)
		return;
	if (for_programs(t)) {
		strbuf_clear(&t->args);
		print_args(t, b, s, &t->args);
		put_other(t, s, task, ev->name, strbuf_cstr(&t->args));
		b->printed++;
		return;
	}
	trace_interrupt(t);
	t->o.show_duration = duration && t->o.syscalls;
	line_begin(t, &l);
	t->o.show_duration = duration;
	strbuf_f(out_buf(&t->out), "%s(", ev->name);
	print_args(t, b, s, out_buf(&t->out));
	strbuf_char(out_buf(&t->out), ')');
	line_end(t);
	b->printed++;
	chain_print(t, s, true);
}

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
