// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf stat with shared counters: their counts on CPUs, in tasks and their children, or in all
 * tasks of a user.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin/stat/bpf.h"

struct task_counter {
	struct shared_counter shared;
	struct bpf_run *run;
	struct counter_state *state; /* the programs' */
	int *hooks;
	int sums;
};

struct task_counters {
	struct task_counter *list; /* by event of the mode */
	size_t count;
};

static int name_tasks(struct stat_bpf *b, struct task_counter *t, struct reason *r)
{
	int targets = bpf_run_map(t->run, "targets"), err = 0;

	t->state->waiting = (u32)b->q->target.tid_count;
	for (u32 i = 0; !err && i < b->q->target.tid_count; i++) {
		u32 tid = (u32)b->q->target.tids[i];

		err = bpf_map_write(targets, &tid, &i);
	}
	return err ? reason_errno(r, -err, "cannot pass the tasks to a BPF program") : 0;
}

static bool counts_from_exec(const struct stat_bpf *b, bool by_task)
{
	return by_task && stat_counts_command(b->q) && !b->q->ask.start_off;
}

static void configure(struct stat_bpf *b, struct task_counter *t, const struct event *ev,
		      bool by_task)
{
	struct counter_settings *s = bpf_run_variable(t->run, "settings", sizeof(*s));
	u32 tasks = by_task ? (u32)b->q->target.tid_count : 1;

	s->by_task = by_task;
	s->by_user = b->q->by_user;
	s->user = b->q->user;
	s->inherit = by_task && b->q->ask.inherit;
	s->on_exec = counts_from_exec(b, by_task);
	s->is_switch = ev->attr.type == PERF_TYPE_SOFTWARE &&
		       ev->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES;
	bpf_run_enable(t->run, "task_made", s->inherit);
	bpf_run_enable(t->run, "task_exec", s->on_exec);
	bpf_run_enable(t->run, "task_exit", by_task);
	bpf_run_enable(t->run, "on_report", by_task || s->by_user);
	bpf_run_map_entries(t->run, "sums", tasks);
	bpf_run_map_entries(t->run, "targets", tasks);
	bpf_run_map_share(t->run, "events", t->shared.events);
}

static int load(struct stat_bpf *b, struct task_counter *t, const struct event *ev,
		struct reason *r)
{
	bool by_task = !b->q->target.system_wide, at_switches = by_task || b->q->by_user;
	int err;

	t->run = bpf_run_open("counter_tasks", r);
	if (!t->run)
		return -ENOTSUP;
	configure(b, t, ev, by_task);
	err = bpf_run_load(b->q->ctx, t->run, r);
	if (err)
		return err;
	t->state = bpf_run_variable(t->run, "state", sizeof(*t->state));
	t->sums = bpf_run_map(t->run, "sums");
	if (!t->state)
		return reason_set(r, EIO, "a BPF program's state cannot be reached");
	err = by_task ? name_tasks(b, t, r) : 0;
	if (!err && b->q->ask.inherit && by_task)
		err = bpf_run_attach_one(t->run, "task_made", r);
	if (!err && counts_from_exec(b, by_task))
		err = bpf_run_attach_one(t->run, "task_exec", r);
	if (!err && by_task)
		err = bpf_run_attach_one(t->run, "task_exit", r);
	if (!err && at_switches)
		err = bpf_run_attach_one(t->run, "on_report", r);
	if (!err && at_switches)
		err = counter_hook(b, PERF_COUNT_SW_CONTEXT_SWITCHES, 1,
				   bpf_run_program(t->run, "on_switch"), &t->hooks, r);
	/* where counting begins */
	counter_run_everywhere(b, bpf_run_program(t->run, "on_read"));
	return err;
}

static int open_tasks(struct stat_bpf *b, struct reason *r)
{
	struct task_counters *all = xcalloc(1, sizeof(*all));
	int err = b->q->target.system_wide ? 0 : bpf_sees_tasks("--bpf-counters", r);

	b->tasks = all;
	all->count = b->events.count;
	all->list = xcalloc(all->count, sizeof(*all->list));
	for (size_t i = 0; i < all->count; i++)
		all->list[i].shared.events = all->list[i].shared.users = -1;
	for (size_t i = 0; !err && i < all->count; i++) {
		struct task_counter *t = &all->list[i];

		err = shared_counter_get(b, b->events.items[i], &t->shared, r);
		if (!err && t->shared.supported)
			err = load(b, t, b->events.items[i], r);
	}
	return err;
}

static void refresh_tasks(struct stat_bpf *b)
{
	for (size_t i = 0; i < b->tasks->count; i++)
		if (b->tasks->list[i].run)
			counter_run_everywhere(b,
					       bpf_run_program(b->tasks->list[i].run, "on_read"));
}

static void enable_tasks(struct stat_bpf *b, bool on)
{
	for (size_t i = 0; i < b->tasks->count; i++)
		if (b->tasks->list[i].state)
			b->tasks->list[i].state->enabled = on;
}

static int read_tasks(struct stat_bpf *b, const struct event *ev, size_t cpu, size_t thread,
		      struct live_count *c)
{
	size_t i = 0;

	while (b->events.items[i] != ev)
		i++;
	if (!b->tasks->list[i].state) {
		memset(c, 0, sizeof(*c));
		return 1;
	}
	return counter_read_sum(b, b->tasks->list[i].sums, (u32)thread, live_cpu(b->q->live, cpu),
				c);
}

static void close_tasks(struct stat_bpf *b)
{
	for (size_t i = 0; b->tasks && i < b->tasks->count; i++) {
		struct task_counter *t = &b->tasks->list[i];

		counter_say_missing(b->q->ctx, t->run, t->state);
		counter_unhook(b, t->hooks);
		bpf_run_close(t->run);
		shared_counter_put(b, &t->shared);
	}
	if (b->tasks)
		free(b->tasks->list);
	free(b->tasks);
}

const struct stat_bpf_mode stat_bpf_tasks = {
	.open = open_tasks,
	.refresh = refresh_tasks,
	.enable = enable_tasks,
	.read = read_tasks,
	.close = close_tasks,
};
