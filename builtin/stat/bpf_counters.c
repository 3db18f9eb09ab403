// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat with BPF: events opened for programs, programs hooked to events, sums read. */
#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "builtin/stat/bpf.h"

#define IOC_ENABLE  _IO('$', 0)
#define IOC_SET_BPF _IOW('$', 8, u32)

int counted_open(struct stat_bpf *b, struct event *const *events, size_t count, struct counted *c,
		 struct reason *r)
{
	struct live_options o = { .counting = true, .no_inherit = true, .sys = &b->q->events.sys };
	struct target everywhere = { .system_wide = true };

	event_set_init(&c->set);
	c->live = NULL;
	for (size_t i = 0; i < count; i++) {
		struct event *copy = event_set_copy(&c->set, events[i]);

		copy->by_bpf = false;
	}
	return live_open(b->q->ctx, &c->set, &everywhere, &o, &c->live, r);
}

u32 counted_places(const struct stat_bpf *b, const struct counted *c)
{
	u32 last = b->possible_count ? b->possible[b->possible_count - 1] : 0;

	return (last + 1) * (u32)c->set.list.count;
}

int counted_start(struct counted *c, int events_map, struct reason *r)
{
	u32 events = (u32)c->set.list.count;
	int err = live_enable(c->live);

	if (err)
		return reason_errno(r, -err, "cannot enable the events");
	for (size_t cpu = 0; cpu < live_cpu_count(c->live); cpu++)
		for (u32 e = 0; e < events; e++) {
			int fd = live_event_fd(c->live, c->set.list.items[e], cpu, 0);
			u32 place = (u32)live_cpu(c->live, cpu) * events + e, value = (u32)fd;

			err = fd < 0 ? 0 : bpf_map_write(events_map, &place, &value);
			if (err)
				return reason_errno(r, -err, "a BPF program cannot read '%s'",
						    c->set.list.items[e]->name);
		}
	return 0;
}

bool counted_is_supported(const struct counted *c, size_t event)
{
	for (size_t cpu = 0; c->live && cpu < live_cpu_count(c->live); cpu++)
		if (live_event_fd(c->live, c->set.list.items[event], cpu, 0) >= 0)
			return true;
	return false;
}

void counted_close(struct counted *c)
{
	live_close(c->live);
	event_set_release(&c->set);
	c->live = NULL;
}

int counter_read_sum(struct stat_bpf *b, int sums, u32 index, s32 cpu, struct live_count *c)
{
	int err = bpf_map_read(sums, &index, b->values);

	*c = (struct live_count){ .supported = true };
	for (size_t i = 0; !err && i < b->possible_count; i++) {
		if (cpu >= 0 && b->possible[i] != (u32)cpu)
			continue;
		c->value += b->values[i].count;
		c->enabled += b->values[i].enabled;
		c->running += b->values[i].running;
	}
	return err;
}

/* Runs the program on each online CPU. A CPU that has gone offline adds nothing. */
void counter_run_everywhere(const struct stat_bpf *b, int program)
{
	for (size_t i = 0; i < b->online_count; i++)
		bpf_program_run(program, b->online[i]);
}

static int hook_one(u64 software_event, u64 period, u32 cpu, int program)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = ATTR_SIZE_VER7,
		.config = software_event,
		.sample_period = period,
		.flags = ATTR_DISABLED,
	};
	int fd = sys_perf_event_open(&attr, -1, (int)cpu, -1, 0), err = 0;

	if (fd < 0)
		return fd;
	if (ioctl(fd, IOC_SET_BPF, program) || ioctl(fd, IOC_ENABLE, 0))
		err = -errno;
	if (err)
		close(fd);
	return err ? err : fd;
}

int counter_hook(const struct stat_bpf *b, u64 software_event, u64 period, int program, int **fds,
		 struct reason *r)
{
	int *all = xcalloc(b->online_count, sizeof(*all)), fd = 0;
	size_t i = 0;

	for (; i < b->online_count && fd >= 0; i++)
		all[i] = fd = hook_one(software_event, period, b->online[i], program);
	if (fd >= 0) {
		*fds = all;
		return 0;
	}
	for (size_t k = 0; k + 1 < i; k++)
		close(all[k]);
	free(all);
	return reason_errno(r, -fd, "cannot run a BPF program at each switch of CPU %u",
			    b->online[i - 1]);
}

void counter_unhook(const struct stat_bpf *b, int *fds)
{
	for (size_t i = 0; fds && i < b->online_count; i++)
		close(fds[i]);
	free(fds);
}

void counter_say_missing(struct context *ctx, struct bpf_run *run,
			 const struct counter_state *state)
{
	struct condition_list *l = &ctx->conditions;

	if (!state)
		return;
	if (state->no_storage)
		condition_add(
			l, CONDITION_WARNING, "stat-no-storage", NULL, NULL, state->no_storage,
			NULL,
			"tasks were not counted because the kernel had no memory to mark them");
	if (state->no_begin)
		condition_add(
			l, CONDITION_WARNING, "stat-bpf-nested", NULL, NULL, state->no_begin, NULL,
			"runs of the BPF programs were not counted because others interrupted "
			"them");
	if (state->unread)
		condition_add(
			l, CONDITION_WARNING, "stat-unread", NULL, NULL, state->unread, NULL,
			"the kernel refused to read an event: what it counted may be in another "
			"row");
	if (state->no_cgroup)
		condition_add(l, CONDITION_WARNING, "stat-no-cgroup", NULL, NULL, state->no_cgroup,
			      NULL,
			      "counts are missing because the cgroup of a task could not be read");
	if (state->too_deep)
		condition_add(l, CONDITION_WARNING, "stat-too-deep", NULL, NULL, state->too_deep,
			      "without --bpf-counters the kernel counts in each cgroup",
			      "counts of tasks in cgroups nested deeper than %d are missing in the "
			      "outermost ones",
			      COUNTER_LEVELS_MOST);
	bpf_run_say_missed(ctx, run);
}
