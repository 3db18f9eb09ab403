// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat --bpf-prog: events that are counted while other BPF programs run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin/stat/bpf.h"

struct program_counters {
	struct counted counted;
	VEC(struct counted_program {
		u32 id;
		struct bpf_run *run;
		struct counter_state *state;
	})
	list;
};

static int parse_ids(struct program_counters *p, const char *text, struct reason *r)
{
	const char *at = text;

	while (*at) {
		char *end;
		unsigned long id = strtoul(at, &end, 10);

		if (end == at || !id || id > UINT32_MAX || (*end && *end != ',') ||
		    (*end && !end[1])) {
			reason_usage(r, "'%s' is not a list of BPF programs", text);
			reason_hint(
				r,
				"give their ids, separated by commas; 'bpftool prog' shows them");
			return -EINVAL;
		}
		vec_push(&p->list, (struct counted_program){ .id = (u32)id });
		at = *end ? end + 1 : end;
	}
	return p->list.count ? 0 : reason_usage(r, "-b needs the id of a BPF program");
}

static int load(struct stat_bpf *b, struct counted_program *one, int target, const char *function,
		struct reason *r)
{
	struct program_counters *p = b->programs;
	struct counter_settings *s;
	u32 events = (u32)p->counted.set.list.count;
	int err;

	one->run = bpf_run_open("counter_program", r);
	if (!one->run)
		return -ENOTSUP;
	s = bpf_run_variable(one->run, "settings", sizeof(*s));
	s->events = events;
	bpf_run_map_entries(one->run, "events", counted_places(b, &p->counted));
	bpf_run_map_entries(one->run, "begun", events);
	bpf_run_map_entries(one->run, "sums", events);
	bpf_run_target(one->run, "on_begin", target, function);
	bpf_run_target(one->run, "on_end", target, function);
	err = bpf_run_load(b->q->ctx, one->run, r);
	if (err)
		return err;
	one->state = bpf_run_variable(one->run, "state", sizeof(*one->state));
	return one->state ? 0 : reason_set(r, EIO, "a BPF program's state cannot be reached");
}

static int open_program(struct stat_bpf *b, struct counted_program *one, struct reason *r)
{
	int target = bpf_object_open(BPF_PROGRAM_KIND, one->id), err;
	char *function;

	if (target < 0) {
		reason_errno(r, -target, "cannot open the BPF program %u", one->id);
		if (target == -ENOENT) {
			reason_set(r, ENOENT, "there is no BPF program %u", one->id);
			reason_hint(r, "'bpftool prog' lists those that are loaded");
		}
		return target;
	}
	function = bpf_program_function(target, r);
	err = function ? load(b, one, target, function, r) : -ENOTSUP;
	if (!err)
		err = counted_start(&b->programs->counted, bpf_run_map(one->run, "events"), r);
	if (!err)
		err = bpf_run_attach(one->run, r);
	if (err)
		reason_prefix(r, "counting in the BPF program %u", one->id);
	free(function);
	close(target);
	return err;
}

static int open_programs(struct stat_bpf *b, struct reason *r)
{
	struct program_counters *p = xcalloc(1, sizeof(*p));
	int err;

	b->programs = p;
	event_set_init(&p->counted.set);
	err = parse_ids(p, b->q->ask.bpf_prog, r);
	if (!err && b->events.count > COUNTER_EVENTS_MOST)
		err = reason_set(r, E2BIG, "-b counts at most %d events", COUNTER_EVENTS_MOST);
	if (!err)
		err = counted_open(b, b->events.items, b->events.count, &p->counted, r);
	for (size_t i = 0; !err && i < p->list.count; i++)
		err = open_program(b, &p->list.items[i], r);
	return err;
}

/* Leaves the counts as they are: a program that runs during the reading is added when it ends. */
static void refresh_programs(struct stat_bpf *b)
{
	(void)b;
}

static void enable_programs(struct stat_bpf *b, bool on)
{
	vec_for_each(&b->programs->list, it)
		it->state->enabled = on;
}

static int read_programs(struct stat_bpf *b, const struct event *ev, size_t cpu, size_t thread,
			 struct live_count *c)
{
	struct live_count sum = { .supported = true };
	u32 e = 0;
	int err = 0;

	(void)thread;
	memset(c, 0, sizeof(*c));
	while (b->events.items[e] != ev)
		e++;
	if (!counted_is_supported(&b->programs->counted, e))
		return 1;
	vec_for_each(&b->programs->list, it) {
		err = counter_read_sum(b, bpf_run_map(it->run, "sums"), e,
				       live_cpu(b->q->live, cpu), c);
		if (err)
			return err;
		sum.value += c->value;
		sum.enabled += c->enabled;
		sum.running += c->running;
	}
	*c = sum;
	return 0;
}

static void close_programs(struct stat_bpf *b)
{
	struct program_counters *p = b->programs;

	if (!p)
		return;
	vec_for_each(&p->list, it) {
		counter_say_missing(b->q->ctx, it->run, it->state);
		bpf_run_close(it->run);
	}
	vec_release(&p->list);
	counted_close(&p->counted);
	free(p);
}

const struct stat_bpf_mode stat_bpf_programs = {
	.open = open_programs,
	.refresh = refresh_programs,
	.enable = enable_programs,
	.read = read_programs,
	.close = close_programs,
};
