// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * user_time and system_time: of the command as wait4() says, of processes and threads from their
 * stat files, of CPUs from /proc/stat. Sums of what passed while counting was on.
 *
 * Sources: proc(5): /proc/PID/stat, /proc/stat; Documentation/filesystems/proc.rst of Linux.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin/stat/internal.h"
#include "event/names.h"

enum { USER, SYSTEM };

struct task_times {
	u32 pid, parent;
	u64 own[2], children[2]; /* ticks; children: those that ended and were waited for */
	bool inside;             /* the command or a descendant */
};

static u64 from_ticks(u64 ticks)
{
	return ticks * (1000000000ULL / (u64)sysconf(_SC_CLK_TCK));
}

bool stat_counts_times(const struct stat_session *q)
{
	vec_for_each(&q->events.set.list, it)
		if ((*it)->tool == TOOL_USER_TIME || (*it)->tool == TOOL_SYSTEM_TIME)
			return true;
	return false;
}

/* ---- what the kernel says ---- */

static bool read_task(const struct sys *sys, const char *path, struct task_times *t)
{
	struct strbuf b = STRBUF_INIT;
	/* the name in front can contain anything */
	const char *rest = sys_read(sys, &b, path) ? NULL : strrchr(strbuf_cstr(&b), ')');
	bool good = rest && sscanf(rest,
				   ") %*c %u %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64
				   " %" SCNu64 " %" SCNu64 " %" SCNu64,
				   &t->parent, &t->own[USER], &t->own[SYSTEM], &t->children[USER],
				   &t->children[SYSTEM]) == 5;

	strbuf_release(&b);
	return good;
}

/* Reads the times of a process, including threads that have ended, or of one thread. */
static bool task_now(const struct sys *sys, pid_t id, bool thread, u64 ns[2])
{
	struct task_times t = { .pid = (u32)id };
	char path[64];

	snprintf(path, sizeof(path), thread ? "/proc/%d/task/%d/stat" : "/proc/%d/stat", (int)id,
		 (int)id);
	if (!read_task(sys, path, &t))
		return false;
	ns[USER] = from_ticks(t.own[USER]);
	ns[SYSTEM] = from_ticks(t.own[SYSTEM]);
	return true;
}

typedef VEC(struct task_times) task_list;

static void list_tasks(const struct sys *sys, task_list *list)
{
	struct strlist names = { 0 };

	sys_list(sys, &names, true, "/proc");
	vec_for_each(&names.list, name) {
		struct task_times t = { .pid = (u32)strtoul(*name, NULL, 10) };
		char *path = xasprintf("/proc/%s/stat", *name);

		if (t.pid && read_task(sys, path, &t))
			vec_push(list, t);
		free(path);
	}
	strlist_release(&names);
}

static bool is_inside(const task_list *list, u32 pid)
{
	vec_for_each(list, t)
		if (t->pid == pid)
			return t->inside;
	return false;
}

/* Reads the times of a running command and of everything that it has started. */
static bool tree_now(const struct sys *sys, pid_t root, u64 ns[2])
{
	task_list list = VEC_INIT;
	bool found = true, any = false;

	list_tasks(sys, &list);
	while (found) {
		found = false;
		vec_for_each(&list, t) {
			if (t->inside || !(t->pid == (u32)root || is_inside(&list, t->parent)))
				continue;
			found = t->inside = true;
			for (int i = USER; i <= SYSTEM; i++)
				ns[i] = (any ? ns[i] : 0) + from_ticks(t->own[i] + t->children[i]);
			any = true;
		}
	}
	vec_release(&list);
	return any;
}

static void of_usage(const struct timeval *t, u64 *ns)
{
	*ns = (u64)t->tv_sec * 1000000000ULL + (u64)t->tv_usec * 1000;
}

static bool command_now(const struct stat_session *q, u64 ns[2])
{
	if (!q->workload.reaped)
		return tree_now(&q->events.sys, q->workload.pid, ns);
	of_usage(&q->usage.ru_utime, &ns[USER]);
	of_usage(&q->usage.ru_stime, &ns[SYSTEM]);
	return true;
}

/* Parses the times of programs, at any niceness, and of the kernel, including its interrupts. */
static bool parse_cpu(const char *line, u64 ns[2])
{
	u64 user, nice, system, irq, softirq;

	if (sscanf(line, "cpu%*u %" SCNu64 " %" SCNu64 " %" SCNu64 " %*u %*u %" SCNu64 " %" SCNu64,
		   &user, &nice, &system, &irq, &softirq) != 5)
		return false;
	ns[USER] = from_ticks(user + nice);
	ns[SYSTEM] = from_ticks(system + irq + softirq);
	return true;
}

static bool cpu_now(const char *text, u32 cpu, u64 ns[2])
{
	char *start = xasprintf("\ncpu%u ", cpu);
	const char *line = strstr(text, start);

	free(start);
	return line && parse_cpu(line + 1, ns);
}

/* ---- what is counted ---- */

static enum stat_times_of choose(const struct stat_session *q)
{
	if (q->ask.bpf_prog) /* the kernel has no times of BPF programs */
		return TIMES_UNKNOWN;
	if (stat_counts_command(q))
		return TIMES_OF_COMMAND;
	if (q->ask.by == STAT_BY_THREAD)
		return TIMES_OF_THREADS;
	if (!stat_counts_tasks(&q->ask))
		return TIMES_OF_CPUS;
	if (q->ask.cpus) /* the kernel does not say where a task used it */
		return TIMES_UNKNOWN;
	return q->ask.tids || !q->ask.inherit ? TIMES_OF_THREADS : TIMES_OF_PROCESSES;
}

/* Returns the process of a thread, or the thread itself where that cannot be read. */
static s32 process_of(const struct sys *sys, pid_t tid)
{
	struct strbuf b = STRBUF_INIT;
	char *path = xasprintf("/proc/%d/status", (int)tid);
	const char *at = sys_read(sys, &b, path) ? NULL : strstr(strbuf_cstr(&b), "\nTgid:");
	s32 pid = at ? (s32)strtol(at + strlen("\nTgid:"), NULL, 10) : tid;

	strbuf_release(&b);
	free(path);
	return pid;
}

static bool has_id(const struct stat_times *t, s32 id)
{
	vec_for_each(&t->list, it)
		if (it->id == id)
			return true;
	return false;
}

void stat_times_begin(struct stat_session *q)
{
	struct stat_times *t = &q->times;
	size_t count;

	vec_clear(&t->list);
	t->on = false;
	t->wanted = stat_counts_times(q);
	if (!t->wanted)
		return;
	t->of = choose(q);
	if (t->of == TIMES_OF_COMMAND)
		vec_push(&t->list, (struct stat_time){ .id = q->workload.pid });
	count = t->of == TIMES_OF_CPUS ? live_cpu_count(q->live)
		: t->of == TIMES_OF_THREADS || t->of == TIMES_OF_PROCESSES
			? live_thread_count(q->live)
			: 0;
	for (size_t i = 0; i < count; i++) {
		s32 id = t->of == TIMES_OF_CPUS ? live_cpu(q->live, i) : live_thread(q->live, i);

		if (t->of == TIMES_OF_PROCESSES)
			id = process_of(&q->events.sys, id);
		if (id >= 0 && !has_id(t, id) &&
		    !(t->of == TIMES_OF_CPUS && live_cpu_is_added(q->live, i)))
			vec_push(&t->list, (struct stat_time){ .id = id, .index = i });
	}
}

static bool one_now(const struct stat_session *q, const struct stat_time *one, const char *cpus,
		    u64 ns[2])
{
	switch (q->times.of) {
	case TIMES_OF_COMMAND:
		return command_now(q, ns);
	case TIMES_OF_CPUS:
		return cpu_now(cpus, (u32)one->id, ns);
	default:
		return task_now(&q->events.sys, one->id, q->times.of == TIMES_OF_THREADS, ns);
	}
}

/*
 * Reads the times. One that cannot be read, since its task has ended or its CPU is offline, stays
 * as it was.
 */
static void look(struct stat_session *q, bool count)
{
	struct strbuf cpus = STRBUF_INIT;

	if (q->times.of == TIMES_OF_CPUS)
		sys_read(&q->events.sys, &cpus, "/proc/stat");
	vec_for_each(&q->times.list, it) {
		u64 ns[2];

		if (!one_now(q, it, strbuf_cstr(&cpus), ns))
			continue;
		for (int i = USER; i <= SYSTEM; i++) {
			u64 passed = ns[i] - MIN(it->last[i], ns[i]);

			it->sum[i] += count ? passed : 0;
			it->last[i] += passed;
		}
	}
	strbuf_release(&cpus);
}

void stat_times_enable(struct stat_session *q, bool fresh)
{
	if (!q->times.wanted || q->times.on)
		return;
	if (!fresh)
		look(q, false);
	q->times.on = true;
}

void stat_times_look(struct stat_session *q)
{
	if (q->times.wanted && q->times.on)
		look(q, true);
}

void stat_times_disable(struct stat_session *q)
{
	stat_times_look(q);
	q->times.on = false;
}

bool stat_times_end_by_themselves(const struct stat_session *q)
{
	return q->times.wanted &&
	       (q->times.of == TIMES_OF_PROCESSES || q->times.of == TIMES_OF_THREADS);
}

static bool is_counted(const struct stat_session *q, const struct event *ev)
{
	return q->times.of != TIMES_UNKNOWN && !ev->cgroup;
}

static void add_one(struct stat_session *q, const struct event *ev, size_t cpu, size_t thread,
		    struct stat_count *c)
{
	struct live_count same = { c->value, c->enabled, c->running, 0, c->supported };

	stat_table_add(&q->out.table, q->ask.by == STAT_BY_THREAD ? thread : cpu, ev->index, c);
	stat_record_count(q, ev, cpu, thread, &same);
}

void stat_times_add(struct stat_session *q, const struct event *ev, u64 wall)
{
	bool cpus = q->times.of == TIMES_OF_CPUS, threads = q->ask.by == STAT_BY_THREAD;
	struct stat_count sum = { .enabled = wall,
				  .running = wall,
				  .supported = is_counted(q, ev) };

	vec_for_each(&q->times.list, it) {
		struct stat_count c = sum;

		c.value = it->sum[ev->tool == TOOL_USER_TIME ? USER : SYSTEM];
		if (cpus || threads)
			add_one(q, ev, cpus ? it->index : 0, threads ? it->index : 0, &c);
		else
			sum.value += c.value;
	}
	if (!q->times.list.count || !(cpus || threads))
		add_one(q, ev, 0, 0, &sum);
}

/* Reports whether one of the events of times is counted or, if counted is false, is not. */
static bool any_event(const struct stat_session *q, bool counted)
{
	vec_for_each(&q->events.set.list, it) {
		bool times = (*it)->tool == TOOL_USER_TIME || (*it)->tool == TOOL_SYSTEM_TIME;

		if (times && is_counted(q, *it) == counted)
			return true;
	}
	return false;
}

void stat_times_say_missing(struct stat_session *q)
{
	struct condition_list *l = &q->ctx->conditions;

	if (!q->times.wanted)
		return;
	if (q->ask.bpf_prog)
		condition_add(l, CONDITION_WARNING, "stat-times", NULL, NULL, 1, NULL,
			      "<not supported>: user_time and system_time are not counted in BPF "
			      "programs");
	else if (q->times.of == TIMES_UNKNOWN)
		condition_add(l, CONDITION_WARNING, "stat-times", NULL, NULL, 1,
			      "leave out -C, or count the CPUs with -a -C",
			      "<not supported>: the kernel does not split a task's user_time and "
			      "system_time by CPU");
	else if (any_event(q, false))
		condition_add(
			l, CONDITION_WARNING, "stat-times", NULL, NULL, 1,
			"-e task-clock counts by cgroup",
			"<not supported>: user_time and system_time are not counted by cgroup");
}

void stat_times_say_steps(const struct stat_session *q)
{
	char text[120];

	if (!q->times.wanted || !any_event(q, true) || !q->host->say ||
	    (q->times.of == TIMES_OF_COMMAND && !q->ask.interval && !q->ask.start_off))
		return;
	snprintf(text, sizeof(text), "user_time and system_time have steps of %ld ms here",
		 1000 / sysconf(_SC_CLK_TCK));
	q->host->say(STAT_SAID_NOTE, text);
}
