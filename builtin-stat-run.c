// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat, the measuring: runs, intervals, what is read and when it is printed. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/out.h"
#include "builtin-stat.h"
#include "event/names.h"
#include "sys/numbers.h"

static volatile sig_atomic_t signal_seen;
static int signal_pipe[2] = { -1, -1 };

static void note_signal(int sig)
{
	int saved = errno;

	signal_seen = sig;
	(void)!write(signal_pipe[1], "", 1);
	errno = saved;
}

/*
 * A reader of our results who leaves, or a Ctrl-\, ends us on the spot, but where the machine is
 * otherwise than we found it.
 */
static int catch_signals(bool machine_changed, struct reason *r)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT };
	size_t count = machine_changed ? ARRAY_SIZE(signals) : ARRAY_SIZE(signals) - 2;
	struct sigaction sa = { .sa_handler = note_signal };

	if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK))
		return reason_errno(r, errno, "cannot make a pipe");
	for (size_t i = 0; i < count; i++)
		sigaction(signals[i], &sa, NULL);
	return 0;
}

int stat_signal(void)
{
	return signal_seen;
}

static u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000ULL + (u64)t.tv_nsec;
}

bool stat_counts_command(const struct stat_session *q)
{
	return q->argv && !q->s->system_wide && !q->s->cpus && !q->s->pids && !q->s->tids;
}

static bool for_people(const struct stat_session *q)
{
	return !q->s->separator && !q->s->json;
}

/* ---- domains ---- */

static void thread_domains(struct stat_session *q)
{
	size_t count = live_thread_count(q->live);
	s32 *tids = xcalloc(count, sizeof(*tids));
	char **comms = xcalloc(count, sizeof(*comms));

	for (size_t i = 0; i < count; i++) {
		tids[i] = live_thread(q->live, i);
		comms[i] = sys_read_line(&q->s->sys, "/proc/%d/comm", tids[i]);
	}
	stat_domains_of_threads(&q->domains, tids, (const char *const *)comms, count);
	for (size_t i = 0; i < count; i++)
		free(comms[i]);
	free(comms);
	free(tids);
}

static void prepare_table(struct stat_session *q)
{
	size_t count = live_cpu_count(q->live);
	s32 *cpus = xcalloc(count, sizeof(*cpus));

	for (size_t i = 0; i < count; i++)
		cpus[i] = live_cpu(q->live, i);
	if (q->s->by == STAT_BY_THREAD)
		thread_domains(q);
	else
		stat_domains_of_cpus(&q->domains, (enum stat_by)q->s->by, &q->topology, cpus,
				     count);
	free(cpus);
	stat_table_init(&q->table, &q->s->set, &q->domains);
	q->table.metrics = q->s->metrics.list.count ? &q->s->metrics : NULL;
	q->ready = true;
}

/* ---- reading ---- */

static struct stat_count tool_count(const struct stat_session *q, const struct event *ev, u64 wall)
{
	u8 tool = ev->tool;
	const struct timeval *t = tool == TOOL_USER_TIME ? &q->usage.ru_utime : &q->usage.ru_stime;
	struct stat_count c = { .enabled = wall, .running = wall, .supported = true };

	if (tool == TOOL_NUMBER) {
		/* "num_cpus:u", "tool/num_cpus/" */
		const char *start = ev->name + (str_starts(ev->name, "tool/") ? 5 : 0);
		char *name = xstrndup(start, strcspn(start, ":/"));

		c.supported = !machine_number(&q->s->sys, name, &c.value);
		free(name);
		return c;
	}
	c.value = tool == TOOL_DURATION_TIME ?
			  wall :
			  (u64)t->tv_sec * 1000000000ULL + (u64)t->tv_usec * 1000;
	return c;
}

static int read_event(struct stat_session *q, const struct event *ev, size_t cpu, size_t thread,
		      struct reason *r)
{
	struct live_count c;
	struct stat_count one;
	int got = live_read(q->live, ev, cpu, thread, &c);

	if (got < 0)
		return reason_errno(r, -got, "cannot read the counter of '%s'", ev->name);
	if (!got)
		stat_record_count(q, ev, cpu, thread, &c);
	one = (struct stat_count){ .value = c.value, .enabled = c.enabled, .running = c.running,
				   .supported = c.supported };
	if (!q->s->scale)
		one.enabled = one.running;
	stat_table_add(&q->table, q->s->by == STAT_BY_THREAD ? thread : cpu, ev->index, &one);
	return 0;
}

/* -v: "EVENT: count enabled running", before anything is extrapolated. */
static void say_raw_counts(const struct stat_session *q)
{
	size_t events = q->s->set.list.count;
	struct strbuf b = STRBUF_INIT;

	for (size_t e = 0; e < events; e++) {
		struct stat_count sum = { 0 };

		for (size_t d = 0; d < q->domains.list.count; d++) {
			const struct stat_count *c = &q->table.now[d * events + e];

			sum.value += c->value;
			sum.enabled += c->enabled;
			sum.running += c->running;
		}
		strbuf_f(&b, "%s: %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			 q->s->set.list.items[e]->name, sum.value, sum.enabled, sum.running);
	}
	write_all(STDERR_FILENO, strbuf_cstr(&b), b.len);
	strbuf_release(&b);
}

/* --affinity: a counter that is read on its own CPU interrupts no other. */
static void move_to_cpu(s32 cpu)
{
	cpu_set_t set;

	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Group by group on each CPU and thread, so that members are of one instant. */
static int read_counters(struct stat_session *q, u64 wall, struct reason *r)
{
	size_t cpus = live_cpu_count(q->live), threads = live_thread_count(q->live);
	cpu_set_t before;
	int err = 0;

	if (q->s->affinity)
		sched_getaffinity(0, sizeof(before), &before);
	for (size_t c = 0; c < cpus; c++) {
		if (q->s->affinity)
			move_to_cpu(live_cpu(q->live, c));
		for (size_t t = 0; t < threads; t++)
			vec_for_each(&q->s->set.list, it)
				if (!err && !(*it)->tool)
					err = read_event(q, *it, c, t, r);
	}
	if (q->s->affinity)
		sched_setaffinity(0, sizeof(before), &before);
	vec_for_each(&q->s->set.list, it) {
		struct stat_count c = tool_count(q, *it, wall);

		struct live_count same = { c.value, c.enabled, c.running, 0, true };

		if (!(*it)->tool)
			continue;
		stat_table_add(&q->table, 0, (*it)->index, &c);
		stat_record_count(q, *it, 0, 0, &same);
	}
	if (!err && q->s->verbose && for_people(q))
		say_raw_counts(q);
	return err;
}

/* ---- printing ---- */

static void print_head(struct stat_session *q, struct strbuf *b)
{
	strbuf_f(b, "\n Performance counter stats for %s", q->title);
	if (q->table.wall.runs > 1)
		strbuf_f(b, " (%llu runs)", (unsigned long long)q->table.wall.runs);
	strbuf_str(b, ":\n\n");
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void print_foot(struct stat_session *q, struct strbuf *b)
{
	if (q->table.set->list.count)
		strbuf_char(b, '\n');
	if (q->s->table && q->runs.count > 1)
		stat_print_run_table(b, q->runs.items, q->runs.count, &q->table.wall);
	stat_print_elapsed(b, &q->table.wall);
	if (!q->from_file && stat_counts_command(q) && q->table.wall.runs == 1)
		strbuf_f(b, "\n\n %17.9f seconds user\n %17.9f seconds sys\n",
			 seconds(q->usage.ru_utime), seconds(q->usage.ru_stime));
	strbuf_str(b, "\n\n");
}

void stat_print_results(struct stat_session *q)
{
	struct strbuf b = STRBUF_INIT;
	bool text = for_people(q);
	char *prefix = NULL;

	if (q->s->quiet)
		return;
	q->style.noise = q->table.wall.runs > 1;
	q->style.no_head = q->s->interval && q->s->separator;
	if (text)
		print_head(q, &b);
	if ((q->s->interval || q->s->summary) && q->s->separator && q->s->csv_summary)
		prefix = xasprintf("%16s%s", "summary", q->s->separator);
	if (q->s->iostat)
		iostat_print(q, &b, prefix ? prefix : "", true);
	else
		stat_print_rows(&b, &q->table, &q->style, prefix ? prefix : "");
	if (text)
		print_foot(q, &b);
	free(prefix);
	stat_write(q, &b);
	strbuf_release(&b);
}

char *stat_interval_prefix(const struct stat_settings *settings, u64 since)
{
	unsigned long long s = since / 1000000000, ns = since % 1000000000;

	if (settings->json)
		return xasprintf("\"interval\" : %llu.%09llu, ", s, ns);
	return xasprintf("%6llu.%09llu%s", s, ns,
			 settings->separator ? settings->separator : " ");
}

void stat_print_interval(struct stat_session *q, struct strbuf *b, const char *prefix)
{
	bool head = q->intervals % 25 == 0 || q->s->interval_clear;

	if (q->s->interval_clear && for_people(q))
		strbuf_str(b, "\033[H\033[2J");
	if (q->s->iostat) {
		iostat_print(q, b, prefix, q->s->separator ? !q->intervals : head);
		q->intervals++;
		return;
	}
	if (for_people(q) && head)
		stat_print_interval_head(b, q->domains.by, &q->style);
	q->style.no_head = q->s->separator ? q->intervals > 0 : !head;
	stat_print_rows(b, &q->table, &q->style, prefix);
	q->intervals++;
}

static int print_interval(struct stat_session *q, struct reason *r)
{
	u64 now = now_ns(), since = now - q->started;
	struct strbuf b = STRBUF_INIT;
	char *prefix = stat_interval_prefix(q->s, since);
	int err = read_counters(q, since, r);

	if (!err) {
		stat_table_end_interval(&q->table, now - q->interval_start);
		q->interval_start = now;
		err = stat_record_round(q, false, since, r);
		stat_print_interval(q, &b, prefix);
		if (!q->s->quiet)
			stat_write(q, &b);
	}
	free(prefix);
	strbuf_release(&b);
	return err;
}

/* ---- one run ---- */

static bool targets_alive(const struct stat_session *q)
{
	for (size_t i = 0; i < q->target.tid_count; i++)
		if (!kill(q->target.tids[i], 0) || errno == EPERM)
			return true;
	return q->target.tid_count == 0;
}

/* What the wait ends with. */
enum { ENDED, TIMED_OUT, STOPPED, INTERVALS_DONE, STOPPED_BY_CONTROL };

static u64 next_wake(const struct stat_session *q, u64 now, u64 interval_end, u64 end, int pidfd)
{
	u64 wake = MIN(interval_end, end);

	/* targets without a descriptor are looked at from time to time */
	if (pidfd < 0 && (q->target.tid_count || q->argv))
		wake = MIN(wake, now + 50000000);
	return wake;
}

static bool has_ended(struct stat_session *q)
{
	return q->argv ? workload_wait(&q->workload, false) : !targets_alive(q);
}

u64 stat_next_interval(u64 due, u64 length, u64 now)
{
	return now < due ? due : due + ((now - due) / length + 1) * length;
}

/*
 * Until the command or the targets have ended, a signal, --timeout or the last
 * interval.  Intervals are due at multiples of their length from the start, so
 * they do not drift.
 */
static int wait_for_end(struct stat_session *q, struct reason *r)
{
	int pidfd = q->argv ? (int)syscall(SYS_pidfd_open, q->workload.pid, 0) : -1;
	struct pollfd fds[] = { { signal_pipe[0], POLLIN, 0 }, { pidfd, POLLIN, 0 },
				{ q->control.fd, POLLIN, 0 } };
	u64 end = q->s->timeout ? q->started + q->s->timeout : UINT64_MAX;
	u64 interval_end = q->s->interval ? q->started + q->s->interval : UINT64_MAX;
	int result = -1;

	while (result == -1) {
		u64 now = now_ns(), wake = next_wake(q, now, interval_end, end, pidfd);
		struct timespec left = { 0 };
		u64 ns = wake > now ? wake - now : 0;

		left.tv_sec = (time_t)(ns / 1000000000);
		left.tv_nsec = (long)(ns % 1000000000);
		fds[2].fd = q->control.fd;
		ppoll(fds, 3, wake == UINT64_MAX ? NULL : &left, NULL);
		if (fds[2].revents && stat_obey_control(q)) {
			result = STOPPED_BY_CONTROL;
			break;
		}
		now = now_ns();
		if (signal_seen)
			result = STOPPED;
		else if (has_ended(q))
			result = ENDED;
		else if (now >= end)
			result = TIMED_OUT;
		else if (now >= interval_end) {
			result = print_interval(q, r) ? -EIO : -1;
			interval_end = stat_next_interval(interval_end, q->s->interval, now);
			if (q->s->interval_count && q->intervals >= q->s->interval_count)
				result = INTERVALS_DONE;
		}
		if (result == -EIO)
			break;
	}
	if (pidfd >= 0)
		close(pidfd);
	return result;
}

/* The command does not outlive its measurement. A second signal ends it the hard way. */
static void end_command(struct stat_session *q, int how)
{
	if (!q->argv)
		return;
	if (how != ENDED) {
		workload_kill(&q->workload, how == STOPPED && signal_seen == SIGINT ? SIGINT :
										       SIGTERM);
		q->cut_short = how == TIMED_OUT || how == INTERVALS_DONE || how == STOPPED_BY_CONTROL;
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

static int open_run(struct stat_session *q, struct reason *r)
{
	struct live_options o = { .counting = true, .no_inherit = !q->s->inherit,
				  .enable_on_exec = stat_counts_command(q) && !q->s->delay,
				  .want_ids = q->s->record, .backend = q->backend, .sys = &q->s->sys };
	int err = 0;

	if (q->argv)
		err = workload_prepare(&q->workload, q->argv, r);
	if (!err && stat_counts_command(q)) {
		q->target.tids = xrealloc(q->target.tids, sizeof(*q->target.tids));
		q->target.tids[0] = q->workload.pid;
		q->target.tid_count = 1;
	}
	if (!err)
		err = live_open(q->ctx, &q->s->set, &q->target, &o, &q->live, r);
	if (err) {
		if (q->argv)
			workload_kill(&q->workload, SIGTERM);
		return err;
	}
	if (!q->ready)
		prepare_table(q);
	return q->s->record ? stat_record_begin(q, r) : 0;
}

static int start_run(struct stat_session *q, struct reason *r)
{
	bool on_exec = stat_counts_command(q) && !q->s->delay;
	int err = 0;

	if (!on_exec && !q->s->delay)
		err = live_enable(q->live);
	if (err)
		return reason_errno(r, -err, "cannot enable the events");
	q->started = q->interval_start = now_ns();
	if (q->argv)
		err = workload_start(&q->workload, r);
	if (!err && q->s->delay > 0) {
		poll(NULL, 0, q->s->delay);
		live_enable(q->live);
		q->started = q->interval_start = now_ns();
	}
	return err;
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
	/* others may run on: stop counting before anything else */
	if (!stat_counts_command(q) || how != ENDED)
		live_disable(q->live);
	wall = now_ns() - q->started;
	end_command(q, how);
	usage_since(&before, &q->usage);
	if (how < 0)
		return how;
	if (q->s->interval && how != INTERVALS_DONE)
		err = print_interval(q, r);
	if (!err && (!q->s->interval || q->s->summary)) {
		if (q->s->interval)
			memset(&q->table.wall, 0, sizeof(q->table.wall));
		err = read_counters(q, wall, r);
	}
	if (!err && !q->s->interval)
		err = stat_record_round(q, true, wall, r);
	if (!err && !q->s->interval) {
		vec_push(&q->runs, (double)wall / 1e9);
		stat_table_end_run(&q->table, wall);
	} else if (!err && q->s->summary) {
		memset(q->table.before, 0,
		       q->domains.list.count * q->s->set.list.count * sizeof(*q->table.before));
		stat_table_end_interval(&q->table, wall);
	}
	return err;
}

static int shell(const char *command, struct reason *r)
{
	int status = command ? system(command) : 0;

	if (WIFSIGNALED(status))
		return reason_set(r, ECHILD, "'%s' was ended by signal %d", command, WTERMSIG(status));
	return status ? reason_set(r, ECHILD, "'%s' failed with status %d", command,
				   WIFEXITED(status) ? WEXITSTATUS(status) : status) : 0;
}

static int run_once(struct stat_session *q, bool last, struct reason *r)
{
	int err = shell(q->s->pre, r);

	if (!err && q->s->sync)
		sync();
	if (!err)
		err = open_run(q, r);
	if (!err)
		err = measure(q, r);
	if (!err)
		err = stat_record_end(q, false, r);
	if (!err)
		err = shell(q->s->post, r);
	if (!last || err) {
		live_close(q->live);
		q->live = NULL;
	}
	return err;
}

static void forget_runs(struct stat_session *q)
{
	memset(q->table.series, 0,
	       q->domains.list.count * q->s->set.list.count * sizeof(*q->table.series));
	memset(&q->table.wall, 0, sizeof(q->table.wall));
	vec_clear(&q->runs);
}

/* -r 0: for ever, each run printed by itself. */
int stat_run_all(struct stat_session *q, struct reason *r)
{
	bool forever = !q->s->repeat;
	u64 count = forever ? UINT64_MAX : q->s->repeat;
	int err = catch_signals(q->s->to_freeze, r);

	if (!err)
		err = stat_freeze(q->s, r);
	for (u64 i = 0; !err && i < count && !signal_seen; i++) {
		err = run_once(q, !forever && i + 1 == count, r);
		if (!err && forever) {
			stat_print_results(q);
			forget_runs(q);
		}
	}
	if (!err && !forever && q->ready && (!q->s->interval || q->s->summary))
		stat_print_results(q);
	return err;
}
