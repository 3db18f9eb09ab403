// SPDX-License-Identifier: GPL-2.0-or-later
/* One run: which tasks are traced, which program is started, and how tracing is undone. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin/ftrace/internal.h"
#include "cli/pager.h"
#include "cli/say.h"
#include "record/record.h"

static int settle_target(struct ftrace_run *run, int argc, const char **argv, struct reason *r)
{
	const struct ftrace *f = run->f;
	struct target *t = &run->target;
	int err = 0;

	if (f->cpus)
		err = target_choose_cpus(t, f->cpus, r);
	if (!err && f->pids)
		err = target_add_pids(t, f->pids, r);
	if (!err && f->tids)
		err = target_add_tids(t, f->tids, r);
	if (!err && argc)
		err = workload_prepare(&run->workload, argv, r);
	t->system_wide = f->all_cpus || f->cpus || (!argc && !f->pids && !f->tids);
	if (!err && argc && !t->tid_count && !t->system_wide) {
		t->tids = xcalloc(1, sizeof(pid_t));
		t->tids[0] = run->workload.pid;
		t->tid_count = 1;
	}
	return err;
}

static int call(struct ftrace_run *run, struct reason *r)
{
	switch (run->f->command) {
	case FTRACE_LATENCY:
		return ftrace_latency(run, r);
	case FTRACE_PROFILE:
		return ftrace_profile(run, r);
	default:
		return ftrace_trace(run, r);
	}
}

/*
 * Releases everything. The order matters: closing waits for the guard while nothing of ours uses
 * the place.
 */
static void finish(struct ftrace_run *run)
{
	ftrace_place_close(run->place);
	if (run->workload.pid > 0)
		loop_finish_workload(&run->workload);
	target_release(&run->target);
}

static int list(struct ftrace *f)
{
	struct reason r = REASON_INIT;
	struct out out;
	int err, written;

	out_init(&out, STDOUT_FILENO);
	err = ftrace_list(f->list, &out, &r);
	written = out_release(&out);
	if (err)
		return say_reason(&r);
	return say_output(written);
}

int ftrace_run(struct ftrace *f, int argc, const char **argv)
{
	struct ftrace_run run = { .f = f };
	struct reason r = REASON_INIT;
	int err, written, code = 0;

	if (f->list_given) {
		pager_start(f->ctx, "ftrace");
		return list(f);
	}
	out_init(&run.out, STDOUT_FILENO);
	err = loop_signals(f->ctx, 0, &run.wake_fd, &r);
	if (!err)
		err = settle_target(&run, argc, argv, &r);
	/* the workload is a process by now, and has the terminal */
	if (!err && f->command == FTRACE_TRACE)
		pager_start(f->ctx, "ftrace");
	if (!err)
		err = call(&run, &r);
	finish(&run);
	f->ctx->ended_by = loop_ending_signal();
	written = out_release(&run.out);
	if (err)
		code = say_reason(&r);
	else if (written)
		code = say_output(written);
	return say_conditions(f->ctx) ? 1 : code;
}
