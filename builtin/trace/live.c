// SPDX-License-Identifier: GPL-2.0-or-later
/* A live trace: opening, the loop, and its end. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/replace.h"
#include "builtin/trace/internal.h"
#include "cli/say.h"

enum {
	WAIT_MS = 5,      /* between two looks at a ring that was empty */
	ALIVE_TURNS = 20, /* after so many looks, ask whether the target still exists */
};

/* ---- begin ---- */

static int begin_workload(struct trace *t, const char **argv, struct reason *r)
{
	int err = workload_check(argv, r);

	if (!err)
		err = workload_prepare(&t->workload, argv, r);
	if (err)
		return err;
	if (!trace_is_of_command(t))
		return 0; /* the request is traced while it runs */
	t->target.tids = xcalloc(1, sizeof(*t->target.tids));
	t->target.tids[0] = t->workload.pid;
	t->target.tid_count = 1;
	t->target.held = true;
	return 0;
}

static int start(struct trace *t, struct watch *w, struct reason *r)
{
	bool is_stream = t->o.output && replace_is_stream(t->o.output);
	int err = is_stream ? trace_start_output(t, r) : 0;

	if (!err && t->bpf) {
		trace_bpf_pause(t, t->o.delay != 0);
		err = trace_bpf_targets(t, t->target.held ? TRACE_BEFORE_EXEC : TRACE_RUNNING, r);
		if (!err)
			err = trace_bpf_start(t, r);
	}
	if (!err)
		err = trace_objects_start(t, r);
	if (!err && w && (!t->target.held || t->target.system_wide) && !t->o.delay)
		err = live_enable(t->live);
	if (!err && t->has_command) {
		process_read_own(t, (u32)t->workload.pid);
		err = workload_start(&t->workload, r);
	}
	/* a file is replaced once the command runs */
	if (!err && !is_stream)
		err = trace_start_output(t, r);
	return err;
}

static void end_delay(struct trace *t, u64 begun)
{
	if (!t->o.delay || clock_now() - begun < t->o.delay)
		return;
	t->o.delay = 0;
	if (t->bpf)
		trace_bpf_pause(t, false);
	if (t->live)
		live_enable(t->live);
}

/*
 * Raises the priority of the one reader, which competes with all traced tasks for the CPUs and
 * cannot keep up when these are few. Does nothing if the user has chosen a priority or is not
 * allowed to raise it.
 */
static void come_first(void)
{
	enum { RAISED = -10 };

	errno = 0;
	if (!getpriority(PRIO_PROCESS, 0) && !errno)
		setpriority(PRIO_PROCESS, 0, RAISED);
}

/*
 * Makes a second signal end perf even while it is blocked, for instance by a pager that does not
 * read.
 */
static void second_signal_kills(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		struct sigaction act;

		if (sigaction(signals[i], NULL, &act) || act.sa_handler == SIG_IGN)
			continue;
		act.sa_flags |= (int)SA_RESETHAND;
		sigaction(signals[i], &act, NULL);
	}
}

/* ---- the loop ---- */

static bool target_ended(struct trace *t, const struct watch *w)
{
	if (t->has_command)
		return workload_wait(&t->workload, false);
	if (t->bpf && !w)
		return !trace_bpf_alive(t);
	return w && !watch_alive(w);
}

static int step(struct trace *t, struct watch *w, bool *busy, struct reason *r)
{
	*busy = false;
	if (!w) {
		*busy = trace_bpf_drain(t, UINT64_MAX) > 1000;
		return 0;
	}
	return MIN(watch_step(w, clock_now() + 100000000ULL, r), 0);
}

/* Waits for a signal and reads it from the descriptor, so the next wait blocks again. */
static void wait_a_little(int wake_fd)
{
	struct pollfd wait = { .fd = wake_fd, .events = POLLIN };
	u64 count;

	if (poll(&wait, 1, WAIT_MS) > 0 && read(wake_fd, &count, sizeof(count)) < 0)
		return;
}

static int loop(struct trace *t, struct watch *w, int wake_fd, struct reason *r)
{
	u64 begun = clock_now(), quiet = 0;
	int err = 0;
	u32 turn = 0;

	while (!err && !t->done && !loop_ending_signal() && !context_cancelled(t->ctx)) {
		bool busy;

		end_delay(t, begun);
		err = step(t, w, &busy, r);
		if (w && t->bpf && !err) {
			/* the rest is old enough that no earlier sample can still arrive */
			trace_bpf_drain(t, quiet);
			quiet = clock_now() - 300000000ULL;
		}
		if (t->bpf)
			trace_bpf_fold(t);
		if ((turn++ % ALIVE_TURNS == 0 || t->has_command || w) && target_ended(t, w))
			break;
		if (busy)
			continue;
		out_flush(&t->out);
		if (!w)
			wait_a_little(wake_fd);
	}
	/* after the last wanted line every sample is refused, with any error code */
	return err == -EINTR || t->done ? 0 : err;
}

static int drain(struct trace *t, struct watch *w, struct reason *r)
{
	int err = 0;

	if (t->bpf)
		trace_bpf_stop(t);
	trace_objects_stop(t);
	if (w) {
		live_disable(t->live);
		watch_stop(w);
		while (!t->done && (err = watch_step(w, 0, r)) > 0)
			;
	}
	if (t->bpf && !t->done)
		trace_bpf_drain(t, UINT64_MAX);
	if (t->bpf && t->o.summary)
		trace_bpf_sums(t);
	return err == -EINTR || err == -ECANCELED ? 0 : MIN(err, 0);
}

/*
 * Explains empty output: every command makes calls, at least exit_group, which a trace of all calls
 * shows.
 */
static void explain_nothing(const struct trace *t)
{
	if (!loop_ran_workload(&t->workload) || !t->o.syscalls || t->events || t->printed ||
	    t->done || t->o.delay)
		return;
	say_nothing_seen(t->ctx, t->selected ? "the command made none of the calls that -e chooses"
					     : "no call of the command was seen");
}

static void say_losses(struct trace *t)
{
	trace_bpf_say_losses(t);
	if (t->uncounted)
		condition_add(
			&t->ctx->conditions, CONDITION_WARNING, "uncounted", NULL, NULL, 1,
			"--summary-mode=total counts without tasks; -e NAME,... counts fewer calls",
			"%" PRIu64
			" calls are missing in the table: the kernel had no room for more rows of "
			"tasks and calls",
			t->uncounted);
	if (!t->lost)
		return;
	condition_add(
		&t->ctx->conditions, CONDITION_WARNING, "lost", NULL, NULL, 1,
		"use a larger buffer (-m 128M), or trace fewer calls (-e)",
		"%" PRIu64
		" events were lost: calls may be missing, and entries without their exits are not "
		"shown",
		t->lost);
}

int trace_live(struct trace *t, int argc, const char **argv, struct reason *r)
{
	struct watch *w = NULL;
	int err = 0, wake_fd = -1;

	if (argc)
		err = begin_workload(t, argv, r);
	if (!err)
		err = trace_objects_open(t, r);
	if (!err)
		err = trace_choose_source(t, r);
	if (!err && t->o.user && trace_needs_rings(t))
		err = trace_list_user(t, r);
	if (!err && trace_needs_rings(t)) {
		if (t->target.held)
			workload_warn_privileged(t->ctx, &t->workload);
		err = trace_rings_open(t, r);
		if (!err)
			err = trace_rings_run_begin(t, &w, r);
	}
	if (!err)
		err = loop_signals(t->ctx, 0, &wake_fd, r);
	if (!err)
		second_signal_kills();
	if (!err)
		err = start(t, w, r);
	if (!err) {
		if (t->bpf && !t->o.summary)
			come_first();
		err = loop(t, w, wake_fd, r);
		if (!err)
			err = drain(t, w, r);
	}
	if (argc)
		loop_finish_workload(&t->workload);
	t->ctx->ended_by = loop_ending_signal();
	say_losses(t);
	if (!err)
		explain_nothing(t);
	watch_free(w);
	return err;
}
