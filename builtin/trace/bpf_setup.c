// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Settings for the programs in util/bpf/trace.bpf.c: which tasks to trace, and which arguments of
 * each call to copy.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin/trace/internal.h"
#include "sys/cgroup.h"
#include "sys/sys.h"

static bool names_fd(const struct syscall *c)
{
	for (u32 i = 0; i < c->arg_count; i++)
		if (c->args[i].kind == KIND_FD || c->args[i].kind == KIND_DIR)
			return true;
	return false;
}

/* Reports whether a call that is shown names a descriptor. */
static bool shows_fds(const struct trace *t, const struct syscall_book *b, bool compat)
{
	for (u32 nr = 0; b && nr < TRACE_NUMBERS; nr++) {
		const struct syscall *c = syscall_find(b, nr);

		if (c && c->known && trace_wants(t, nr, compat) && names_fd(c))
			return true;
	}
	return false;
}

/*
 * Reports whether a call must be followed: -e leaves it out, but it changes what descriptors refer
 * to. Without it, those of the shown calls would have no names, or old ones.
 */
static bool is_followed(const struct trace *t, const struct syscall *c, bool compat)
{
	return t->follows && !trace_wants(t, c->nr, compat) && process_is_noted(c);
}

static void plan_call(const struct syscall_book *b, const struct syscall *c, bool compat,
		      const struct trace *t, struct trace_plan *p)
{
	struct syscall_copy copies[SYSCALL_ARGS];

	memset(p, 0, sizeof(*p));
	p->quiet = is_followed(t, c, compat);
	p->enabled = p->quiet || trace_wants(t, c->nr, compat);
	p->ends = c->result == RESULT_NONE;
	p->exec = !strcmp(c->name, "execve") ? 1 : !strcmp(c->name, "execveat") ? 2 : 0;
	if (t->o.summary)
		return;
	syscall_copy_plan(b, c, copies);
	for (u32 i = 0; i < c->arg_count; i++) {
		struct trace_copy *to = &p->list[p->count];

		if (copies[i].how == COPY_NONE)
			continue;
		p->count++;
		to->arg = (u8)i;
		to->how = copies[i].how;
		to->when = (copies[i].entry ? TRACE_ENTRY : 0) | (copies[i].exit ? TRACE_EXIT : 0);
		to->length = copies[i].length;
		to->size = copies[i].size;
		to->word = (u8)syscall_word(b, c->nr);
		p->copies |= to->when;
	}
}

/*
 * Reports whether numbers in no table may be wanted; trace_wants() decides about each when it
 * occurs.
 */
static bool wants_other_numbers(const struct trace *t, bool compat)
{
	for (u32 nr = TRACE_NUMBERS; nr < SYSCALL_NUMBERS; nr++)
		if (trace_wants(t, nr, compat))
			return true;
	return false;
}

static int write_plans(struct trace *t, struct bpf_run *run, struct syscall_book *b, bool compat)
{
	int map = bpf_run_map(run, "plans"), err = 0;
	u32 index = compat ? TRACE_NUMBERS : 0;
	struct trace_plan plan;

	for (u32 nr = 0; !err && nr < TRACE_NUMBERS; nr++, index++) {
		plan_call(b, syscall_find_any(b, nr), compat, t, &plan);
		err = bpf_map_write(map, &index, &plan);
	}
	plan = (struct trace_plan){ .enabled = wants_other_numbers(t, compat) };
	index = 2 * TRACE_NUMBERS + compat;
	return err ? err : bpf_map_write(map, &index, &plan);
}

static int write_commands(struct bpf_run *run, const struct syscall_book *b, bool compat)
{
	int map = bpf_run_map(run, "commands"), err = 0;
	size_t count;
	const struct syscall_command *list = syscall_commands(b, &count);

	for (size_t i = 0; !err && i < count; i++) {
		const struct trace_command_key key = { list[i].command, compat, list[i].which };
		const struct trace_command value = { .size = list[i].size,
						     .when = (list[i].entry ? TRACE_ENTRY : 0) |
							     (list[i].exit ? TRACE_EXIT : 0) };

		err = bpf_map_write(map, &key, &value);
	}
	return err;
}

static void add_needs(const struct trace *t, const struct syscall_book *b, bool compat,
		      struct trace_settings *s)
{
	for (u32 nr = 0; nr < TRACE_NUMBERS; nr++) {
		const struct syscall *c = syscall_find(b, nr);
		struct trace_plan plan;

		if (!c)
			continue;
		plan_call(b, c, compat, t, &plan);
		if (!plan.enabled)
			continue;
		s->sides |= plan.copies;
		for (u32 i = 0; i < plan.count; i++)
			s->kinds |= 1U << plan.list[i].how;
	}
}

static void set_cpus(const struct trace *t, struct trace_settings *s)
{
	if (!t->o.cpus)
		return;
	s->by_cpu = 1;
	for (size_t i = 0; i < t->target.cpu_count; i++)
		if (t->target.cpus[i] < 1024)
			s->cpus[t->target.cpus[i] / 64] |= BIT64(t->target.cpus[i] % 64);
}

bool trace_is_all(const struct trace *t)
{
	return t->o.all ||
	       (!t->o.pids && !t->o.tids && (!t->has_command || !trace_is_of_command(t)));
}

void trace_bpf_settings(struct trace *t, struct trace_settings *s)
{
	*s = (struct trace_settings){
		.own_tgid = (u32)getpid(),
		.all = trace_is_all(t),
		.by_cgroup = t->o.cgroup != NULL,
		.inherit = t->o.inherit,
		.failures_only = t->o.failures,
		.count_only = t->o.summary,
		.by_tid = t->o.tids != NULL,
		.buffer_limit = t->o.text_limit,
		.least_duration = t->o.least_duration,
		.ends = t->o.signals,
		.summary_by = t->o.summary_mode == SUMMARY_TOTAL    ? TRACE_BY_TOTAL
			      : t->o.summary_mode == SUMMARY_CGROUP ? TRACE_BY_CGROUP
								    : TRACE_BY_TASK,
	};
	t->follows = t->selected && !t->o.summary &&
		     (shows_fds(t, t->native, false) || shows_fds(t, t->compat, true));
	set_cpus(t, s);
	add_needs(t, t->native, false, s);
	if (t->compat)
		add_needs(t, t->compat, true, s);
	s->by_uid = t->o.user != NULL;
	s->uid = t->uid;
	/* has this member where such programs may also call their functions */
	s->keeps_cpu = bpf_kernel_has(BPF_MEMBER, "bpf_subprog_info", "might_sleep");
}

static int set_cgroup(const struct trace *t, struct bpf_run *run, struct reason *r)
{
	u32 zero = 0, fd;
	int at, err;

	if (!t->o.cgroup)
		return 0;
	at = cgroup_open(NULL, t->o.cgroup, r);
	if (at < 0)
		return -EINVAL; /* tracepoints would not find it, either */
	fd = (u32)at;
	err = bpf_map_write(bpf_run_map(run, "cgroup"), &zero, &fd);
	close(at);
	return err ? reason_errno(r, -err, "-G: cannot pass the cgroup '%s' to the BPF programs",
				  t->o.cgroup)
		   : 0;
}

/* ---- tasks that display perf's output ---- */

static bool stat_of(u32 pid, u32 *parent, u32 *session)
{
	char *line = sys_read_line(NULL, "/proc/%u/stat", pid),
	     *end = line ? strrchr(line, ')') : NULL;
	char state;
	u32 group;
	bool ok = end && sscanf(end + 1, " %c %u %u %u", &state, parent, &group, session) == 4;

	free(line);
	return ok;
}

static void exclude(struct bpf_run *run, u32 pid, u32 state)
{
	bpf_map_write(bpf_run_map(run, "excluded"), &pid, &state);
}

/*
 * Excludes the program that displays our output (a terminal emulator, tmux, sshd), which makes
 * calls for each of our lines: tracing those would cause more lines. It is the first ancestor of
 * another session.
 */
static void exclude_display(const struct trace *t, struct bpf_run *run)
{
	u32 own, session, parent, pid = (u32)getpid();

	if (!trace_is_all(t) || !stat_of(pid, &parent, &own))
		return;
	session = own;
	while (session == own) {
		pid = parent;
		if (pid <= 1 || !stat_of(pid, &parent, &session))
			return;
	}
	exclude(run, pid, TRACE_RUNNING);
}

static void exclude_asked(const struct trace *t, struct bpf_run *run)
{
	for (size_t i = 0; i < t->left_out_count; i++)
		exclude(run, t->left_out[i], TRACE_RUNNING);
}

int trace_bpf_maps(struct trace *t, struct bpf_run *run, struct reason *r)
{
	int err = write_plans(t, run, t->native, false);

	if (!err && t->compat)
		err = write_plans(t, run, t->compat, true);
	if (!err)
		err = write_commands(run, t->native, false);
	if (!err && t->compat)
		err = write_commands(run, t->compat, true);
	if (!err)
		err = set_cgroup(t, run, r);
	exclude_asked(t, run);
	exclude_display(t, run);
	if (!t->target.held && t->workload.pid) /* it is perf itself until its exec */
		exclude(run, (u32)t->workload.pid, TRACE_BEFORE_EXEC);
	return err;
}
