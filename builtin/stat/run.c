// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat, the measuring: runs, intervals, readings and when they are printed. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/replace.h"
#include "base/self_profile.h"
#include "builtin/stat/internal.h"
#include "data/writer.h"

/* In the loop: when --timeout and the interval end, and the next range of -D begins or ends. */
enum { END, INTERVAL, RANGE };

/*
 * Reports whether a SIGINT is left to the command, which a Ctrl-C also reaches: it is counted until
 * it ends. Not with -I, which would go on printing, nor with -r 0, which would never end.
 */
static bool left_to_command(const struct stat_session *q)
{
	return q->argv && loop_ending_signal() == SIGINT && !q->ask.interval && q->ask.repeat;
}

int stat_ended_by(const struct stat_session *q)
{
	int status = q->workload.status;

	if (!left_to_command(q) || q->runs < q->ask.repeat)
		return loop_ending_signal();
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGINT ? SIGINT : 0;
}

static int print_interval(struct stat_session *q, struct reason *r)
{
	u64 now = clock_now(), since = now - q->started;
	struct strbuf b = STRBUF_INIT;
	char *prefix = stat_interval_prefix(&q->ask, since);
	int err;

	stat_look_after_cpus(q);
	err = stat_read_counters(q, since, r);
	if (!err) {
		stat_table_end_interval(&q->out.table, now - q->interval_start);
		q->interval_start = now;
		err = stat_record_round(q, false, since, r);
		stat_print_interval(&q->out, &b, prefix);
		if (!q->ask.quiet)
			stat_write(&q->out, &b);
	}
	free(prefix);
	strbuf_release(&b);
	return err;
}

/* ---- one run ---- */

/* What the wait ends with. */
enum { ENDED, TIMED_OUT, STOPPED, INTERVALS_DONE, STOPPED_BY_CONTROL };

static void count_times_from(const struct stat_session *q, struct loop *l, u64 start)
{
	if (q->ask.timeout)
		loop_at(l, END, start + q->ask.timeout);
	if (q->ask.interval)
		loop_at(l, INTERVAL, start + q->ask.interval);
}

/*
 * Returns when to look next whether a foreign target has ended, for which no signal comes;
 * LOOP_NEVER if that is not needed.
 */
static u64 next_look(const struct stat_session *q)
{
	enum { EVERY_NS = 50000000 };

	return (q->target.tid_count && !q->argv) || stat_times_end_by_themselves(q)
		       ? clock_now() + EVERY_NS
		       : LOOP_NEVER;
}

static bool has_ended(struct stat_session *q)
{
	return q->argv ? workload_wait(&q->workload, false) : !target_is_alive(&q->target);
}

/* Performs the step that is due. Returns -1 to go on, or how the wait ends. */
static int do_what_is_due(struct stat_session *q, struct loop *l, struct reason *r)
{
	int err = 0;

	if (loop_is_due(l, RANGE)) {
		if (!q->switches)
			count_times_from(q, l, clock_now());
		err = stat_switch(q, clock_now(), r);
		loop_at(l, RANGE, stat_next_switch(q));
	} else if (loop_is_due(l, END)) {
		return TIMED_OUT;
	} else if (loop_is_due(l, INTERVAL)) {
		u64 now = clock_now();

		err = print_interval(q, r);
		loop_at(l, INTERVAL, loop_next(l->at[INTERVAL], q->ask.interval, now));
		if (!err && q->ask.interval_count && q->out.intervals >= q->ask.interval_count)
			return INTERVALS_DONE;
	}
	return err ? -EIO : -1;
}

/*
 * Waits until the command or the targets have ended, a signal, --timeout or the last interval.
 * Intervals are due at multiples of their length from the start, so they do not drift. Times count
 * from the first counting on: after the delay of -D.
 */
static int wait_for_end(struct stat_session *q, struct reason *r)
{
	struct loop l;
	size_t control;
	int result = -1;

	loop_init(&l, q->wake_fd);
	control = loop_add(&l, q->control.fd);
	if (!q->ask.ranges.count)
		count_times_from(q, &l, q->started);
	loop_at(&l, RANGE, stat_next_switch(q));
	while (result == -1) {
		loop_wait(&l, next_look(q));
		if (stat_times_end_by_themselves(q))
			stat_times_look(q);
		if (loop_ready(&l, control) && stat_obey_control(q))
			result = STOPPED_BY_CONTROL;
		else if (loop_ending_signal() && !left_to_command(q))
			result = STOPPED;
		else if (has_ended(q))
			result = ENDED;
		else
			result = do_what_is_due(q, &l, r);
		loop_set(&l, control, q->control.fd);
	}
	loop_release(&l);
	return result;
}

/*
 * Ends the command, which does not outlive its measurement. If it does not obey, SIGKILL ends it.
 */
static void end_command(struct stat_session *q, int how)
{
	if (!q->argv)
		return;
	if (how != ENDED) {
		workload_kill(&q->workload,
			      how == STOPPED && loop_ending_signal() == SIGINT ? SIGINT : SIGTERM);
		q->cut_short =
			how == TIMED_OUT || how == INTERVALS_DONE || how == STOPPED_BY_CONTROL;
		for (int i = 0; i < 300 && !workload_wait(&q->workload, false); i++)
			poll(NULL, 0, 10);
		if (!q->workload.reaped)
			workload_kill(&q->workload, SIGKILL);
	}
	workload_wait(&q->workload, true);
}

static void usage_since(struct rusage *before, struct rusage *out)
{
	getrusage(RUSAGE_CHILDREN, out);
	timersub(&out->ru_utime, &before->ru_utime, &out->ru_utime);
	timersub(&out->ru_stime, &before->ru_stime, &out->ru_stime);
}

/*
 * Opens an event that counts how long the task was on each named CPU. The task's own event is
 * enabled as long as the task runs anywhere, as if another event had its counter meanwhile.
 */
static int open_here(struct stat_session *q, const struct live_options *like, struct reason *r)
{
	struct live_options o = *like;
	int err = 0;

	if (!q->ask.cpus || !stat_counts_tasks(&q->ask) || q->by_user)
		return 0;
	o.want_ids = false;
	if (!q->here_set.list.count)
		err = event_parse(&q->events.parser, &q->here_set, "dummy", r);
	return err ? err : live_open(q->ctx, &q->here_set, &q->target, &o, &q->here, r);
}

static void close_run(struct stat_session *q)
{
	stat_bpf_close(q);
	live_close(q->live);
	live_close(q->here);
	offline_release(&q->cpus);
	q->live = q->here = NULL;
}

/* Reports whether the kernel counts any event for the task. Only such events are ended. */
static bool counts_by_kernel(const struct stat_session *q)
{
	vec_for_each(&q->events.set.list, it)
		if (!(*it)->tool && !(*it)->by_bpf)
			return true;
	return false;
}

static int open_run(struct stat_session *q, struct reason *r)
{
	struct live_options o = { .counting = true,
				  .no_inherit = !q->ask.inherit,
				  .enable_on_exec = stat_counts_command(q) && !q->ask.start_off,
				  .want_ids = q->ask.record,
				  .backend = q->host->backend,
				  .sys = &q->events.sys };
	int err = 0;

	if (q->argv)
		err = workload_prepare(&q->workload, q->argv, r);
	if (err)
		q->exit_code = err == -ENOENT ? 127 : 126;
	if (!err && stat_counts_command(q)) {
		q->target.tids = xrealloc(q->target.tids, sizeof(*q->target.tids));
		q->target.tids[0] = q->workload.pid;
		q->target.tid_count = 1;
		if (!q->runs && counts_by_kernel(q))
			q->warned_of_program = workload_warn_privileged(q->ctx, &q->workload);
	} else if (!err && q->argv && q->count_command_of_user) {
		if (q->runs)
			q->target.tid_count--; /* drops the one of the run before */
		target_add_command(&q->target, q->workload.pid);
	}
	if (!err)
		err = live_open(q->ctx, &q->events.set, &q->target, &o, &q->live, r);
	if (!err)
		err = open_here(q, &o, r);
	if (!err)
		err = stat_bpf_open(q, r);
	if (err) {
		if (q->argv && q->workload.pid > 0)
			workload_kill(&q->workload, SIGTERM);
		return err;
	}
	stat_times_begin(q);
	if (!q->out.ready)
		stat_prepare_table(q);
	return q->ask.record ? stat_record_begin(q, r) : 0;
}

static int start_run(struct stat_session *q, struct reason *r)
{
	bool on_exec = stat_counts_command(q) && !q->ask.start_off;
	bool is_stream = q->ask.output && replace_is_stream(q->ask.output);
	int err = is_stream ? stat_start_output(&q->out, r) : 0;

	if (!err && q->writer)
		err = data_make_way(q->writer, r);
	if (err)
		return err;
	stat_look_after_cpus(q);
	if (on_exec)
		stat_times_enable(q, true);
	else if (!q->ask.start_off)
		err = stat_enable(q);
	if (err)
		return reason_errno(r, -err, "cannot enable the events");
	q->launched = q->started = q->interval_start = clock_now();
	q->switches = 0;
	if (q->argv) {
		err = workload_start(&q->workload, r);
		q->exit_code = !err ? 0 : err == -ENOENT ? 127 : 126;
	}
	if (!err && q->writer)
		err = data_begun(q->writer, r);
	/* a file is emptied once the command runs */
	return err || is_stream ? err : stat_start_output(&q->out, r);
}

/*
 * Reports whether a signal ended the run before its command was done. A command that ends well
 * after Ctrl-C was left to finish. The first run is shown even so, since nothing else was counted.
 */
static bool run_is_cut_short(const struct stat_session *q, int how)
{
	return q->runs && q->ask.repeat &&
	       (how == STOPPED || (loop_ending_signal() && q->workload.status));
}

static u64 cpu_time(const struct rusage *u)
{
	struct timeval sum;

	timeradd(&u->ru_utime, &u->ru_stime, &sum);
	return (u64)sum.tv_sec * 1000000000 + (u64)sum.tv_usec * 1000;
}

/* Reports whether events of the command and of all its children were on all the time. */
static bool sees_all(const struct stat_session *q)
{
	return stat_counts_command(q) && q->ask.inherit && !q->ask.start_off &&
	       !q->ask.ranges.count && !q->ask.control;
}

static int measure(struct stat_session *q, struct reason *r)
{
	struct rusage before;
	u64 wall;
	int how, err = 0;

	getrusage(RUSAGE_CHILDREN, &before);
	err = start_run(q, r);
	if (err)
		return err;
	how = wait_for_end(q, r);
	if (q->ask.ranges.count && !q->switches)
		q->started = q->interval_start = clock_now(); /* it ended during the delay */
	/* others may run on: stop counting before anything else */
	if (!stat_counts_command(q) || how != ENDED)
		stat_disable(q);
	wall = clock_now() - q->started;
	end_command(q, how);
	usage_since(&before, &q->usage);
	if (how < 0)
		return how;
	if (q->ask.interval && how != INTERVALS_DONE)
		err = print_interval(q, r);
	if (!q->ask.interval)
		stat_look_after_cpus(q);
	if (!err && (!q->ask.interval || q->ask.summary)) {
		if (q->ask.interval)
			memset(&q->out.table.wall, 0, sizeof(q->out.table.wall));
		err = stat_read_counters(q, wall, r);
	}
	if (!err && q->enabled && sees_all(q)) {
		q->used += cpu_time(&q->usage);
		q->seen += q->enabled;
	}
	if (!err && !q->ask.interval)
		err = stat_record_round(q, true, wall, r);
	if (!err && !q->ask.interval && run_is_cut_short(q, how)) {
		stat_table_clear(&q->out.table);
	} else if (!err && !q->ask.interval) {
		vec_push(&q->out.runs, (double)wall / 1e9);
		stat_table_end_run(&q->out.table, wall);
	} else if (!err && q->ask.summary) {
		memset(q->out.table.before, 0,
		       q->out.domains.list.count * q->events.set.list.count *
			       sizeof(*q->out.table.before));
		stat_table_end_interval(&q->out.table, wall);
	}
	return err;
}

/*
 * Runs a command as system() does. It ends with us and gets the signals that are to end us,
 * including those since there were `passed_on` of them.
 */
static int run_shell(const char *command, int passed_on)
{
	pid_t pid = fork_bound(SIGTERM), got;
	int status;

	if (!pid) {
		execl("/bin/sh", "sh", "-c", "--", command, (char *)NULL);
		_exit(127);
	}
	if (pid < 0)
		return -1;
	while (!(got = waitpid(pid, &status, WNOHANG)) || (got < 0 && errno == EINTR)) {
		if (loop_ending_signals() != passed_on) {
			passed_on = loop_ending_signals();
			kill(pid, loop_ending_signal());
		}
		poll(NULL, 0, 10); /* handlers of signals, also of the child's end, end it */
	}
	return got < 0 ? -1 : status;
}

static int shell(const char *command, int passed_on, struct reason *r)
{
	int status = command ? run_shell(command, passed_on) : 0;

	if (status == -1)
		return reason_errno(r, errno, "cannot start a process for '%s'", command);
	if (WIFSIGNALED(status))
		return reason_set(r, ECHILD, "'%s' was ended by signal %d", command,
				  WTERMSIG(status));
	return status ? reason_set(r, ECHILD, "'%s' failed with status %d", command,
				   WIFEXITED(status) ? WEXITSTATUS(status) : status)
		      : 0;
}

int stat_run_once(struct stat_session *q, bool last, struct reason *r)
{
	int err = shell(q->ask.pre, 0, r); /* after a signal there is no further run */

	if (!err && q->ask.sync)
		sync();
	phase_begin("open the events");
	if (!err)
		err = open_run(q, r);
	phase_end();
	phase_begin("count");
	if (!err)
		err = measure(q, r);
	phase_end();
	if (!err)
		err = stat_record_end(q, false, r);
	if (!err)
		err = shell(q->ask.post, loop_ending_signals(), r);
	if (!last || err)
		close_run(q);
	return err;
}

void stat_forget_runs(struct stat_session *q)
{
	memset(q->out.table.series, 0,
	       q->out.domains.list.count * q->events.set.list.count * sizeof(*q->out.table.series));
	memset(&q->out.table.wall, 0, sizeof(q->out.table.wall));
	vec_clear(&q->out.runs);
}

/* Runs all, with -r 0 forever and each run printed by itself. */
int stat_run_all(struct stat_session *q, struct reason *r)
{
	bool forever = !q->ask.repeat;
	u64 count = forever ? UINT64_MAX : q->ask.repeat;
	/*
	 * SIGPIPE and Ctrl-\ end the program immediately, unless it has changed a setting of the
	 * machine (for --smi-cost), which it must restore first.
	 */
	int err = loop_signals(NULL, q->to_freeze ? LOOP_ALL_ENDS : 0, &q->wake_fd, r);

	if (!err)
		err = stat_freeze(q, r);
	for (u64 i = 0; !err && i < count && !loop_ending_signal(); i++) {
		err = stat_run_once(q, !forever && i + 1 == count, r);
		q->runs += !err;
		if (!err && forever) {
			stat_print_results(&q->out);
			stat_forget_runs(q);
		}
	}
	if (!err && !forever && q->out.ready && (!q->ask.interval || q->ask.summary))
		stat_print_results(&q->out);
	return err;
}
