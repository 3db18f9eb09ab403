// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf stat --for-each-cgroup with BPF: each event is opened once on every CPU. A program that runs
 * when a CPU changes its cgroup adds the counts to the old cgroup.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtin/stat/bpf.h"
#include "sys/cgroup.h"

struct cgroup_counters {
	struct bpf_run *run;
	struct counter_state *state;
	struct counted counted;
	int *hooks, *clocks;
	u32 cgroups, events; /* events of each cgroup that BPF counts */
};

/*
 * Returns how many cgroups there are: the set has the events of the first, then those of the
 * second, and so on.
 */
static u32 count_cgroups(const struct stat_bpf *b)
{
	u32 n = 0;

	for (size_t i = 0; i < b->events.count; i++)
		n += !i || strcmp(b->events.items[i]->cgroup, b->events.items[i - 1]->cgroup) != 0;
	return n;
}

static int name_cgroups(struct stat_bpf *b, struct reason *r)
{
	struct cgroup_counters *g = b->cgroups;
	int map = bpf_run_map(g->run, "cgroups"), err = 0;

	for (u32 i = 0; !err && i < g->cgroups; i++) {
		const char *name = b->events.items[(size_t)i * g->events]->cgroup;
		int fd = cgroup_open(&b->q->events.sys, name, r);
		struct stat st;
		u64 id;

		if (fd < 0)
			return fd;
		err = fstat(fd, &st) ? -errno : 0;
		id = (u64)st.st_ino;
		if (!err)
			err = bpf_map_write(map, &id, &i);
		close(fd);
		if (err)
			reason_errno(r, -err, "cannot pass the cgroup '%s' to a BPF program", name);
	}
	return err;
}

static int load(struct stat_bpf *b, struct reason *r)
{
	struct cgroup_counters *g = b->cgroups;
	struct counter_settings *s = bpf_run_variable(g->run, "settings", sizeof(*s));
	int err;

	s->events = g->events;
	bpf_run_map_entries(g->run, "events", counted_places(b, &g->counted));
	bpf_run_map_entries(g->run, "cgroups", g->cgroups);
	bpf_run_map_entries(g->run, "previous", g->events);
	bpf_run_map_entries(g->run, "latest", g->events);
	bpf_run_map_entries(g->run, "sums", g->events * g->cgroups);
	err = bpf_run_load(b->q->ctx, g->run, r);
	if (err)
		return err;
	g->state = bpf_run_variable(g->run, "state", sizeof(*g->state));
	return g->state ? 0 : reason_set(r, EIO, "a BPF program's state cannot be reached");
}

static int hook(struct stat_bpf *b, struct reason *r)
{
	enum { HUNDREDTH_SECOND = 10000000 };
	struct cgroup_counters *g = b->cgroups;
	int program = bpf_run_program(g->run, "on_switch");
	int err = counter_hook(b, PERF_COUNT_SW_CGROUP_SWITCHES, 1, program, &g->hooks, r);

	if (!err)
		err = counter_hook(b, PERF_COUNT_SW_CPU_CLOCK, HUNDREDTH_SECOND, program,
				   &g->clocks, r);
	return err;
}

static int open_cgroups(struct stat_bpf *b, struct reason *r)
{
	struct cgroup_counters *g = xcalloc(1, sizeof(*g));
	int err;

	b->cgroups = g;
	event_set_init(&g->counted.set);
	g->cgroups = count_cgroups(b);
	g->events = (u32)b->events.count / g->cgroups;
	if (g->events > COUNTER_EVENTS_MOST)
		return reason_set(r, E2BIG,
				  "--bpf-counters counts at most %d events in each cgroup",
				  COUNTER_EVENTS_MOST);
	err = bpf_kernel_needs(BPF_CGROUP_SWITCHES, "--bpf-counters --for-each-cgroup",
			       "without --bpf-counters the kernel counts in each cgroup", r);
	if (err)
		return err;
	g->run = bpf_run_open("counter_cgroups", r);
	if (!g->run)
		return -ENOTSUP;
	err = counted_open(b, b->events.items, g->events, &g->counted, r);
	if (!err)
		err = load(b, r);
	if (!err)
		err = name_cgroups(b, r);
	if (!err)
		err = counted_start(&g->counted, bpf_run_map(g->run, "events"), r);
	if (!err)
		err = bpf_run_attach_one(g->run, "on_move", r);
	if (!err)
		err = bpf_run_attach_one(g->run, "on_report", r);
	return err ? err : hook(b, r);
}

static void refresh_cgroups(struct stat_bpf *b)
{
	counter_run_everywhere(b, bpf_run_program(b->cgroups->run, "on_read"));
}

static void enable_cgroups(struct stat_bpf *b, bool on)
{
	b->cgroups->state->enabled = on;
}

static int read_cgroups(struct stat_bpf *b, const struct event *ev, size_t cpu, size_t thread,
			struct live_count *c)
{
	struct cgroup_counters *g = b->cgroups;
	u32 i = 0;

	(void)thread;
	while (b->events.items[i] != ev)
		i++;
	if (!counted_is_supported(&g->counted, i % g->events)) {
		memset(c, 0, sizeof(*c));
		return 1;
	}
	return counter_read_sum(b, bpf_run_map(g->run, "sums"), i, live_cpu(b->q->live, cpu), c);
}

static void close_cgroups(struct stat_bpf *b)
{
	struct cgroup_counters *g = b->cgroups;

	if (!g)
		return;
	counter_unhook(b, g->hooks);
	counter_unhook(b, g->clocks);
	counter_say_missing(b->q->ctx, g->run, g->state);
	bpf_run_close(g->run);
	counted_close(&g->counted);
	free(g);
}

const struct stat_bpf_mode stat_bpf_cgroups = {
	.open = open_cgroups,
	.refresh = refresh_cgroups,
	.enable = enable_cgroups,
	.read = read_cgroups,
	.close = close_cgroups,
};
