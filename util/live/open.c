// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening an event set on a target.
 *
 * The table is [event][cpu][thread].  A leader is opened everywhere before its
 * members, so a substitution (fallback.c) can start an event over without
 * touching another one.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/trace.h"
#include "event/parse.h"
#include "live/internal.h"
#include "sys/cgroup.h"
#include "sys/sys.h"
#include "sys/topology.h"

static bool any_on_all_cpus(const struct event_set *set)
{
	vec_for_each(&set->list, it)
		if ((*it)->all_cpus)
			return true;
	return false;
}

static bool names_cpu(const struct target *t, u32 cpu)
{
	for (size_t i = 0; i < t->cpu_count; i++)
		if (t->cpus[i] == cpu)
			return true;
	return false;
}

/* After the CPUs that the target names, the others that are online: for events with all_cpus. */
static int add_other_cpus(struct live *l, const struct target *t, struct reason *r)
{
	u32 *online = NULL;
	size_t count = 0;
	int err = sys_cpus(l->options.sys, "online", &online, &count, r);

	if (err)
		return err;
	l->cpus = xreallocarray(l->cpus, l->cpu_count + count, sizeof(*l->cpus));
	l->added = xreallocarray(l->added, l->cpu_count + count, sizeof(*l->added));
	for (size_t i = 0; i < count; i++) {
		if (names_cpu(t, online[i]))
			continue;
		l->cpus[l->cpu_count] = (s32)online[i];
		l->added[l->cpu_count++] = true;
	}
	free(online);
	return 0;
}

/* The CPU dimension: -1 alone when events follow their task everywhere. */
static int choose_cpus(struct live *l, const struct target *t, struct reason *r)
{
	u32 *online = NULL;
	const u32 *from = t->cpus;
	size_t count = t->cpu_count;
	int err;

	l->cpus_given = t->cpus != NULL;
	if (!from) {
		if (!t->system_wide && (l->options.counting || t->per_thread)) {
			l->cpus = xcalloc(1, sizeof(*l->cpus));
			l->added = xcalloc(1, sizeof(*l->added));
			l->cpus[0] = -1;
			l->cpu_count = 1;
			return 0;
		}
		err = sys_cpus(l->options.sys, "online", &online, &count, r);
		if (err)
			return err;
		from = online;
	}
	l->cpus = xcalloc(count, sizeof(*l->cpus));
	for (size_t i = 0; i < count; i++)
		l->cpus[i] = (s32)from[i];
	l->added = xcalloc(count, sizeof(*l->added));
	l->cpu_count = count;
	free(online);
	return l->cpus_given && any_on_all_cpus(l->set) ? add_other_cpus(l, t, r) : 0;
}

static void choose_threads(struct live *l, const struct target *t)
{
	bool all = t->system_wide || !t->tid_count;

	l->thread_count = all ? 1 : t->tid_count;
	l->threads = xcalloc(l->thread_count, sizeof(*l->threads));
	l->gone = xcalloc(l->thread_count, sizeof(*l->gone));
	if (all)
		l->threads[0] = -1;
	else
		memcpy(l->threads, t->tids, t->tid_count * sizeof(*l->threads));
}

/* What counting asks of an attr; sampling attrs come complete. */
static void complete_counting_attr(struct live *l, struct event *ev, const struct target *t)
{
	struct perf_event_attr *a = &ev->attr;
	bool single = ev->leader == ev && ev->members <= 1;

	a->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	a->flags &= ~(ATTR_DISABLED | ATTR_ENABLE_ON_EXEC | ATTR_INHERIT);
	if (!single)
		a->read_format |= PERF_FORMAT_ID | PERF_FORMAT_GROUP;
	if (l->options.want_ids)
		a->sample_type = PERF_SAMPLE_IDENTIFIER;
	if (ev->leader == ev) {
		a->flags |= ATTR_DISABLED;
		if (l->options.enable_on_exec)
			a->flags |= ATTR_ENABLE_ON_EXEC;
	}
	if (t->inherit && !l->options.no_inherit)
		a->flags |= ATTR_INHERIT;
	/*
	 * A task that runs can fork while its group is opened: that child has a part of the group
	 * only, and the kernel refuses (ECHILD) to read the group as long as the child lives. Each
	 * is read alone there.
	 */
	if (a->flags & ATTR_INHERIT && !l->options.enable_on_exec)
		a->read_format &= ~(u64)PERF_FORMAT_GROUP;
}

bool live_belongs_to_cpu(const struct live *l, const struct event *ev, size_t c)
{
	if (l->added[c] && !ev->all_cpus)
		return false;
	if (!ev->cpus || l->cpus[c] < 0)
		return true;
	for (u32 i = 0; i < ev->cpu_count; i++)
		if (ev->cpus[i] == (u32)l->cpus[c])
			return true;
	return false;
}

static size_t first_cpu(const struct live *l, const struct event *ev)
{
	size_t c = 0;

	while (c < l->cpu_count && !live_belongs_to_cpu(l, ev, c))
		c++;
	return c;
}

static u32 attr_size(const struct event_set *set)
{
	for (size_t i = 0; i < set->list.count; i++) {
		const struct perf_event_attr *a = &set->list.items[i]->attr;

		if (a->config4)
			return ATTR_SIZE_VER9;
		if (a->config3)
			return ATTR_SIZE_VER8;
	}
	return ATTR_SIZE_VER7;
}

void live_close_event(struct live *l, const struct event *ev)
{
	for (size_t c = 0; c < l->cpu_count; c++)
		for (size_t t = 0; t < l->thread_count; t++) {
			struct cell *cell = live_cell(l, ev, c, t);

			if (cell->fd >= 0)
				l->backend->close(l->backend->arg, cell->fd);
			cell->fd = -1;
		}
}

/* PERF_FLAG_PID_CGROUP, and PERF_FLAG_FD_CLOEXEC that sys_perf_event_open() adds. */
enum { PID_CGROUP_FLAG = 1 << 2, FD_CLOEXEC_FLAG = 1 << 3 };

/* The attr once for each event, then every call with its result. */
static void debug_open(struct live *l, const struct event *ev, size_t c, size_t t, int group,
		       int fd)
{
	static const char rule[] = "------------------------------------------------------------\n";
	bool in_cgroup = l->cgroup_fd >= 0;
	struct strbuf b = STRBUF_INIT;

	if (!context_debug(l->ctx, DEBUG_EVENT_OPEN))
		return;
	if (c == first_cpu(l, ev) && !t) {
		strbuf_f(&b, "%sperf_event_attr:\n  ", rule);
		event_attr_print(&b, &ev->attr, "\n  ", NULL);
		strbuf_f(&b, "\n%s", rule);
	}
	strbuf_f(&b, "sys_perf_event_open: pid %d  cpu %d  group_fd %d  flags %#x",
		 in_cgroup ? l->cgroup_fd : (int)l->threads[t], l->cpus[c], group,
		 FD_CLOEXEC_FLAG | (in_cgroup ? PID_CGROUP_FLAG : 0));
	if (fd < 0)
		strbuf_f(&b, "\nsys_perf_event_open failed, error %d\n", fd);
	else
		strbuf_f(&b, " = %d\n", fd);
	l->ctx->debug_text(l->ctx->debug_arg, b.s);
	strbuf_release(&b);
}

int live_open_cell(struct live *l, struct event *ev, size_t c, size_t t, struct cell *cell)
{
	bool in_cgroup = l->cgroup_fd >= 0;
	struct perf_event_attr attr = ev->attr;
	int group = -1, fd;

	attr.read_format = live_read_format(l, ev);
	if (ev->config1_text)
		attr.config1 = (u64)(uintptr_t)ev->config1_text;

	if (ev->leader != ev) {
		group = live_cell(l, ev->leader, c, t)->fd;
		if (group < 0)
			return -ESRCH; /* its leader is not here: neither is it */
	}
	fd = l->backend->open(l->backend->arg, &attr, in_cgroup ? l->cgroup_fd : l->threads[t],
			      l->cpus[c], group, in_cgroup ? PID_CGROUP_FLAG : 0);
	debug_open(l, ev, c, t, group, fd);
	if (fd < 0)
		TRACE(live, "'%s' for thread %d on CPU %d: refused: %s", ev->name,
		      (int)l->threads[t], l->cpus[c], strerror(-fd));
	else
		TRACE(live, "'%s' for thread %d on CPU %d: opened as %d", ev->name,
		      (int)l->threads[t], l->cpus[c], fd);
	if (fd < 0)
		return fd;
	cell->fd = fd;
	return 0;
}

/* Refusals that mean "not on this machine" to a counter. */
static bool means_unsupported(const struct event *ev, int err)
{
	switch (err) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENOSYS:
	case ENXIO:
	case ENODEV:
		return true;
	case EINVAL:
		return ev->attr.type != PERF_TYPE_SOFTWARE && ev->attr.type != PERF_TYPE_TRACEPOINT;
	}
	return false;
}

/*
 * A weak group is broken up before anything is taken from its members; only what the leader
 * itself had to give up they cannot have either.
 */
static bool breaks_weak_group(const struct event *ev, int err)
{
	const struct event *leader = ev->leader;

	return err == EINVAL && leader != ev && leader->weak_group &&
	       !live_asks_for_more(ev, leader);
}

/* The event can be counted, but not beside the others of its group: that is said. */
static void say_group_full(struct live *l, const struct event *ev, size_t c, size_t t, int err)
{
	int fd;

	if (err != EINVAL || ev->leader == ev)
		return;
	fd = l->backend->open(l->backend->arg, &ev->attr, l->threads[t], l->cpus[c], -1, 0);
	if (fd < 0)
		return;
	l->backend->close(l->backend->arg, fd);
	condition_add(&l->ctx->conditions, CONDITION_WARNING, "group-full", ev->name, NULL, 1,
		      "leave out events, or let the group be broken up: '{...}:W'",
		      "'%s' does not fit into the counters beside the group that '%s' leads",
		      ev->name, ev->leader->name);
}

/* 0: go on; 1: start the event over; -errno. */
static int open_refused(struct live *l, struct event *ev, size_t c, size_t t, int err,
			struct reason *r)
{
	if (breaks_weak_group(ev, err))
		return -EINVAL;
	if (err == ESRCH && l->threads[t] != -1) {
		if (ev->leader == ev)
			l->gone[t] = true;
		return 0;
	}
	if ((err == ENODEV || err == ENXIO) && c && (!l->cpus_given || l->added[c]) &&
	    !l->options.counting)
		return 0; /* went offline since we looked */
	if (live_fallback(l, ev, err))
		return 1;
	if (l->options.counting && (means_unsupported(ev, err) || live_is_hidden(l, ev, err))) {
		say_group_full(l, ev, c, t, err);
		l->unsupported[ev->index] = true;
		return 0;
	}
	return live_explain(l, ev, l->threads[t], l->cpus[c], err, r);
}

/*
 * While a task and its child have equal events, the kernel swaps them when it switches between the
 * two. The leader may then belong to the child, and the task's next event cannot join it. Opening
 * that event alone gives the same count if it needs no counter of the CPU. Since Linux 6.15 a
 * leader whose task has ended is refused with ENODEV; opened alone, the event fails with ESRCH,
 * which is handled elsewhere.
 */
static int open_alone(struct live *l, const struct event *ev, size_t c, size_t t, int err)
{
	struct cell *cell = live_cell(l, ev, c, t);
	struct perf_event_attr attr = ev->attr;

	if ((err != -EINVAL && err != -ENODEV) || ev->leader == ev || !l->options.counting ||
	    !(attr.flags & ATTR_INHERIT) ||
	    (attr.type != PERF_TYPE_SOFTWARE && attr.type != PERF_TYPE_TRACEPOINT))
		return err;
	attr.flags |= ATTR_DISABLED; /* which its leader would do */
	cell->fd = l->backend->open(l->backend->arg, &attr, l->threads[t], l->cpus[c], -1, 0);
	cell->alone = cell->fd >= 0;
	return MIN(cell->fd, 0);
}

static int open_event_once(struct live *l, struct event *ev, struct reason *r)
{
	for (size_t c = 0; c < l->cpu_count; c++) {
		if (!live_belongs_to_cpu(l, ev, c))
			continue;
		for (size_t t = 0; t < l->thread_count; t++) {
			int err;

			if (l->gone[t])
				continue;
			err = live_open_cell(l, ev, c, t, live_cell(l, ev, c, t));
			if (err)
				err = open_alone(l, ev, c, t, err);
			if (err)
				err = open_refused(l, ev, c, t, -err, r);
			if (err)
				return err;
			if (l->unsupported[ev->index])
				return 0;
		}
	}
	return 0;
}

/* Its events are opened by the directory, which need not stay open. */
static int open_in_cgroup(struct live *l, struct event *ev, struct reason *r)
{
	int err;

	l->cgroup_fd = cgroup_open(l->options.sys, ev->cgroup, r);
	if (l->cgroup_fd < 0)
		return l->cgroup_fd;
	err = open_event_once(l, ev, r);
	close(l->cgroup_fd);
	l->cgroup_fd = -1;
	return err;
}

/* This machine lacks the leader of ev's group: ev leads what is left of it. */
static void take_lead(struct live *l, struct event *ev)
{
	const u64 of_leaders = ATTR_DISABLED | ATTR_ENABLE_ON_EXEC | ATTR_PINNED | ATTR_EXCLUSIVE;
	struct event *old = ev->leader;

	ev->members = 0;
	vec_for_each(&l->set->list, it) {
		struct event *member = *it;

		if (member->leader != old || member == old)
			continue;
		member->leader = member->index < ev->index ? member : ev;
		ev->members += member->leader == ev;
	}
	old->members = 1;
	ev->attr.flags |= old->attr.flags & of_leaders;
	if (ev->members == 1)
		ev->attr.read_format &= ~(u64)PERF_FORMAT_GROUP;
	ev->weak_group = old->weak_group;
	ev->group_name = old->group_name;
	old->group_name = NULL;
}

static int open_event(struct live *l, struct event *ev, struct reason *r)
{
	int err;

	if (ev->tool || ev->by_bpf)
		return 0; /* counted by ourselves, or by a program */
	if (ev->leader != ev && l->unsupported[ev->leader->index])
		take_lead(l, ev);
	l->asked = ev->attr;
	for (;;) {
		err = ev->cgroup ? open_in_cgroup(l, ev, r) : open_event_once(l, ev, r);
		if (l->unsupported[ev->index] || err == 1)
			live_close_event(l, ev);
		if (err != 1)
			break;
	}
	if (!err && !l->unsupported[ev->index])
		live_say_dropped(l, ev);
	return err;
}

int live_set_filter(struct live *l, struct event *ev, int fd, struct reason *r)
{
	int err = ev->filter ? -live_control(l, fd, IOC_SET_FILTER, ev->filter) : 0;

	if (!err)
		return 0;
	reason_errno(r, err, "the kernel refuses the filter '%s' of '%s'", ev->filter, ev->name);
	if (err == EINVAL && event_is_tracepoint(ev))
		reason_hint(r,
			    "fields of the event: see 'perf list' or its format file in tracefs");
	return -err;
}

int live_event_fd(const struct live *l, const struct event *ev, size_t cpu, size_t thread)
{
	return l->cells[cell_index(l, ev->index, cpu, thread)].fd;
}

static int finish_event(struct live *l, struct event *ev, struct reason *r)
{
	bool want_id =
		!l->options.counting || l->options.want_ids || ev->leader != ev || ev->members > 1;

	for (size_t c = 0; c < l->cpu_count; c++)
		for (size_t t = 0; t < l->thread_count; t++) {
			struct cell *cell = live_cell(l, ev, c, t);
			int err;

			if (cell->fd < 0)
				continue;
			if (want_id && !live_control(l, cell->fd, IOC_ID, &cell->id) &&
			    (!l->options.counting || l->options.want_ids))
				event_set_add_id(l->set, ev, cell->id);
			cell->kernel_id = cell->id;
			err = live_set_filter(l, ev, cell->fd, r);
			if (err)
				return err;
		}
	return 0;
}

/* Members in a group that cannot be scheduled together count alone (":W"). */
static bool break_weak_group(struct live *l, struct event *ev)
{
	struct event *leader = ev->leader;

	if (!leader->weak_group || leader == ev)
		return false;
	for (size_t i = 0; i < l->set->list.count; i++) {
		struct event *member = l->set->list.items[i];

		if (member->leader != leader)
			continue;
		live_close_event(l, member);
		member->leader = member;
		member->attr.flags |= leader->attr.flags & (ATTR_DISABLED | ATTR_ENABLE_ON_EXEC);
		member->attr.read_format &= ~(u64)PERF_FORMAT_GROUP;
		member->members = 1;
	}
	return true;
}

static int open_all(struct live *l, struct reason *r)
{
	for (size_t i = 0; i < l->set->list.count; i++) {
		struct event *ev = l->set->list.items[i];
		struct event *first = ev->leader;
		int err = open_event(l, ev, r);

		if (err == -EINVAL && break_weak_group(l, ev)) {
			reason_release(r);
			i = (size_t)first->index - 1; /* may wrap: i++ follows */
			continue;
		}
		if (err)
			return err;
	}
	return 0;
}

static int none_left(const struct live *l, struct reason *r)
{
	for (size_t t = 0; t < l->thread_count; t++)
		if (!l->gone[t])
			return 0;
	reason_set(r, ESRCH,
		   l->thread_count > 1 ? "none of the %zu threads runs any more"
				       : "the process or thread has ended",
		   l->thread_count);
	reason_hint(r, "'ps -eL' lists threads");
	return -ESRCH;
}

static void init_cells(struct live *l)
{
	size_t n = l->set->list.count * l->cpu_count * l->thread_count;

	l->cells = xcalloc(n ? n : 1, sizeof(*l->cells));
	for (size_t i = 0; i < n; i++)
		l->cells[i].fd = -1;
	l->unsupported = xcalloc(l->set->list.count + 1, sizeof(*l->unsupported));
	l->enabled = xcalloc(l->set->list.count + 1, sizeof(*l->enabled));
	live_raise_fd_limit(live_wanted_fds(l));
}

/* Is one of the event's CPUs among those that are measured? */
static bool meets_target(const struct live *l, const struct event *ev)
{
	for (u32 i = 0; i < ev->cpu_count; i++)
		for (size_t c = 0; c < l->cpu_count; c++)
			if (!l->added[c] && l->cpus[c] == (s32)ev->cpus[i])
				return true;
	return false;
}

/*
 * cpu=: CPUs that run.  Not of tasks: the kernel lets the time pass on other CPUs, too, so that
 * a count there looks multiplexed.
 */
static int check_own_cpus(const struct live *l, const struct event *ev, struct reason *r)
{
	struct strbuf text = STRBUF_INIT;
	u32 *online = NULL;
	size_t count = 0, found;
	int err;

	if (!ev->own_cpus)
		return 0;
	if (l->cpus[0] < 0) {
		err = reason_set(r, EINVAL, "'%s' is bound to CPUs and cannot follow a task",
				 ev->name);
		reason_hint(r, "give -a or -C");
		return err;
	}
	err = sys_cpus(l->options.sys, "online", &online, &count, r);
	for (u32 i = 0; !err && i < ev->cpu_count; i++) {
		for (found = 0; found < count && online[found] != ev->cpus[i];)
			found++;
		if (found < count)
			continue;
		format_cpu_list(&text, online, count);
		err = reason_set(r, ENODEV, "'%s': CPU %u is not online", ev->name, ev->cpus[i]);
		reason_hint(r, "online are %s", strbuf_cstr(&text));
		strbuf_release(&text);
	}
	free(online);
	if (!err && !meets_target(l, ev)) {
		err = reason_set(r, EINVAL, "'%s' is bound to CPUs that are not measured",
				 ev->name);
		reason_hint(r, "name them with -C, too, or leave the term cpu= out");
	}
	return err;
}

static int open_on_target(struct live *l, const struct target *t, struct reason *r)
{
	u32 size = attr_size(l->set);
	int err = choose_cpus(l, t, r);

	if (err)
		return err;
	choose_threads(l, t);
	init_cells(l);
	for (size_t i = 0; i < l->set->list.count; i++) {
		struct event *ev = l->set->list.items[i];

		err = check_own_cpus(l, ev, r);
		if (err)
			return err;
		ev->attr.size = size;
		if (l->options.counting)
			complete_counting_attr(l, ev, t);
	}
	err = open_all(l, r);
	vec_for_each(&l->set->list, it)
		l->enabled[(*it)->index] = !((*it)->attr.flags & ATTR_DISABLED);
	if (!err)
		err = none_left(l, r);
	for (size_t i = 0; !err && i < l->set->list.count; i++)
		err = finish_event(l, l->set->list.items[i], r);
	if (!err)
		live_open_clocks(l);
	if (!err && !l->options.counting)
		err = live_map_rings(l, r);
	return err;
}

int live_open(struct context *ctx, struct event_set *set, const struct target *t,
	      const struct live_options *o, struct live **out, struct reason *r)
{
	struct live *l = xcalloc(1, sizeof(*l));
	int err;

	l->ctx = ctx;
	l->set = set;
	l->options = *o;
	l->system_wide = t->system_wide;
	l->backend = o->backend ? o->backend : &live_kernel;
	l->cgroup_fd = -1;
	err = live_check_guests(ctx, set, r);
	if (!err)
		err = open_on_target(l, t, r);
	if (err) {
		live_close(l);
		return err;
	}
	*out = l;
	return 0;
}

/* The kernel waits for a grace period for each tracepoint: hundreds of them take many seconds. */
static void close_events(struct live *l)
{
	size_t count = l->set->list.count;
	struct progress p;

	progress_begin(&p, l->ctx);
	for (size_t i = 0; i < count; i++) {
		live_close_event(l, l->set->list.items[i]);
		progress_say(&p, "closing events: %zu of %zu", i + 1, count);
	}
	progress_end(&p);
}

void live_close(struct live *l)
{
	if (!l)
		return;
	live_unmap_rings(l);
	live_close_clocks(l);
	if (l->cells)
		close_events(l);
	free(l->cells);
	free(l->unsupported);
	free(l->enabled);
	free(l->cpus);
	free(l->added);
	free(l->threads);
	free(l->gone);
	free(l);
}

static int event_ioctl(struct live *l, const struct event *ev, unsigned long request,
		       bool only_alone)
{
	for (size_t c = 0; c < l->cpu_count; c++)
		for (size_t t = 0; t < l->thread_count; t++) {
			const struct cell *cell = live_cell(l, ev, c, t);
			bool asked = cell->fd >= 0 && (cell->alone || !only_alone);
			int err = asked ? live_control(l, cell->fd, request, NULL) : 0;

			if (err)
				return err;
		}
	return 0;
}

static int leaders_ioctl(struct live *l, unsigned long request)
{
	int first = 0;

	pthread_mutex_lock(&l->lock);
	if (request == IOC_DISABLE)
		live_switch_clocks(l, false);
	for (size_t i = 0; i < l->set->list.count; i++) {
		struct event *ev = l->set->list.items[i];
		int err;

		/* A disabled leader keeps its members off: switch it last on, first off. */
		if (ev->leader == ev)
			l->enabled[ev->index] = request == IOC_ENABLE;
		err = event_ioctl(l, ev, request, ev->leader != ev);
		if (err && !first)
			first = err;
	}
	if (request == IOC_ENABLE)
		live_switch_clocks(l, true);
	pthread_mutex_unlock(&l->lock);
	return first;
}

static int switch_event(struct live *l, const struct event *ev, unsigned long request)
{
	int err;

	pthread_mutex_lock(&l->lock);
	l->enabled[ev->index] = request == IOC_ENABLE;
	err = event_ioctl(l, ev, request, false);
	if (l->clock_runs != live_wants_clocks(l))
		live_switch_clocks(l, !l->clock_runs);
	pthread_mutex_unlock(&l->lock);
	return err;
}

int live_enable(struct live *l)
{
	return leaders_ioctl(l, IOC_ENABLE);
}

int live_disable(struct live *l)
{
	return leaders_ioctl(l, IOC_DISABLE);
}

int live_enable_event(struct live *l, const struct event *ev)
{
	return switch_event(l, ev, IOC_ENABLE);
}

int live_disable_event(struct live *l, const struct event *ev)
{
	return switch_event(l, ev, IOC_DISABLE);
}

size_t live_cpu_count(const struct live *l)
{
	return l->cpu_count;
}

size_t live_thread_count(const struct live *l)
{
	return l->thread_count;
}

s32 live_cpu(const struct live *l, size_t i)
{
	return l->cpus[i];
}

bool live_cpu_is_added(const struct live *l, size_t i)
{
	return l->added[i];
}

const struct event_set *live_events(const struct live *l)
{
	return l->set;
}

pid_t live_thread(const struct live *l, size_t i)
{
	return l->threads[i];
}

u64 live_id(const struct live *l, const struct event *ev, size_t cpu, size_t thread)
{
	const struct cell *cell = live_cell(l, ev, cpu, thread);

	return cell->fd >= 0 ? cell->id : 0;
}
