// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * -e FILE.o: the user's own BPF programs, attached as their section names say. Their output to a
 * PERF_EVENT_ARRAY map with bpf_perf_event_output() arrives as a perf event that is named after the
 * map, and each becomes a line.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "builtin/trace/internal.h"

bool trace_is_object(const char *word)
{
	return str_ends(word, ".o") && strlen(word) > strlen(".o");
}

void trace_add_object(struct trace *t, const char *path)
{
	struct trace_object o = { .path = xstrdup(path) };

	vec_push(&t->objects, o);
}

static void add_output(struct trace *t, struct trace_object *o, const char *map)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					      .size = sizeof(attr),
					      .config = PERF_COUNT_SW_BPF_OUTPUT,
					      .sample_period = 1 };
	struct event *ev = event_set_add(&t->set, &attr, map);
	struct trace_output out = { .map = xstrdup(map), .event = ev };

	ev->user_period = true;
	vec_push(&o->outputs, out);
}

static int open_one(struct trace *t, struct trace_object *o, struct reason *r)
{
	const char *map;
	u32 type;
	int err;

	o->run = bpf_run_open_file(o->path, o->path, r);
	if (!o->run)
		return r->err ? -r->err : -EINVAL;
	err = bpf_run_load(t->ctx, o->run, r);
	if (err)
		return err;
	for (size_t i = 0; (map = bpf_run_map_name(o->run, i, &type)); i++)
		if (type == BPF_MAP_TYPE_PERF_EVENT_ARRAY)
			add_output(t, o, map);
	if (o->outputs.count)
		return 0;
	reason_set(
		r, EINVAL,
		"-e: '%s' has no map of type BPF_MAP_TYPE_PERF_EVENT_ARRAY: it has nothing to show",
		o->path);
	return -EINVAL;
}

int trace_objects_open(struct trace *t, struct reason *r)
{
	int err = 0;

	vec_for_each(&t->objects, o)
		if (!err)
			err = open_one(t, o, r);
	return err;
}

void trace_objects_configure(struct trace *t)
{
	vec_for_each(&t->objects, o)
		vec_for_each(&o->outputs,
			     out) /* a map takes the event itself, not copies in children */
			out->event->attr.flags &= ~(u64)ATTR_INHERIT;
}

/*
 * Connects an output map to the events of each CPU: the kernel writes to the one of the CPU on
 * which the program runs.
 */
static int connect_output(struct trace *t, const struct trace_object *o,
			  const struct trace_output *out, struct reason *r)
{
	int map = bpf_run_map(o->run, out->map);

	for (size_t i = 0; i < live_cpu_count(t->live); i++) {
		s32 cpu = live_cpu(t->live, i);
		int fd = live_event_fd(t->live, out->event, i, 0);
		u32 key = (u32)cpu, value = (u32)fd;
		int err = cpu < 0 || fd < 0 ? 0 : bpf_map_write(map, &key, &value);

		if (err && err != -E2BIG) /* a map for fewer CPUs */
			return reason_errno(r, -err,
					    "cannot connect the map '%s' of '%s' to an event of "
					    "CPU %d",
					    out->map, o->path, cpu);
	}
	return 0;
}

int trace_objects_start(struct trace *t, struct reason *r)
{
	int err = 0;

	vec_for_each(&t->objects, o) {
		vec_for_each(&o->outputs, out)
			if (!err)
				err = connect_output(t, o, out, r);
		if (!err)
			err = bpf_run_attach(o->run, r);
	}
	return err;
}

void trace_objects_stop(struct trace *t)
{
	vec_for_each(&t->objects, o)
		if (o->run) {
			bpf_run_detach(o->run);
			bpf_run_say_missed(t->ctx, o->run);
		}
}

void trace_objects_free(struct trace *t)
{
	vec_for_each(&t->objects, o) {
		bpf_run_close(o->run);
		vec_for_each(&o->outputs, out)
			free(out->map);
		vec_release(&o->outputs);
		free(o->path);
	}
	vec_release(&t->objects);
}

/* Adds the output as a string if it is one, else as bytes; the kernel pads it with zeros. */
void trace_print_output(const struct sample *s, struct strbuf *out)
{
	u32 n = s->raw_size;
	bool text;

	while (n && !s->raw[n - 1])
		n--;
	text = n;
	for (u32 i = 0; i < n; i++)
		text = text &&
		       ((s->raw[i] >= ' ' && s->raw[i] < 0x7f) || strchr("\t\n\r", s->raw[i])) &&
		       s->raw[i];
	if (text) {
		syscall_print_text(s->raw, n, 0, false, out);
		return;
	}
	for (u32 i = 0; i < s->raw_size; i++)
		strbuf_f(out, i ? " %02x" : "%02x", s->raw[i]);
}
