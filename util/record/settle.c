// SPDX-License-Identifier: GPL-2.0-or-later
/* From the words of the command line to settings that the recorder can follow. */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "bpf/bpf.h"
#include "base/replace.h"
#include "base/text.h"
#include "event/cgroup.h"
#include "event/parse.h"
#include "object/cache.h"
#include "record/command.h"
#include "record/internal.h"
#include "record/offcpu.h"
#include "sys/obstacles.h"
#include "sys/topology.h"

enum { DEFAULT_FREQ = 4000 };

static void PRINTF_LIKE(2, 3) say_line(const struct record_request *q, const char *fmt, ...)
{
	struct strbuf line = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vf(&line, fmt, ap);
	va_end(ap);
	if (q->voice.lines)
		q->voice.lines(strbuf_cstr(&line));
	strbuf_release(&line);
}

static int settle_freq(struct record_request *q, struct reason *r)
{
	struct record_settings *s = &q->s;
	char asked[24], *cure;
	u64 most;

	if (s->period_given) {
		if (s->freq_given) {
			reason_set(r, EINVAL,
				   "a frequency (-F) and a period (-c) exclude each other");
			reason_hint(r,
				    "-F takes samples by time, -c by count: leave one of them out");
			return -EINVAL;
		}
		if (!s->period) {
			reason_set(r, EINVAL, "a period of 0 takes no samples");
			reason_hint(r, "-c 1 takes a sample at each event");
			return -EINVAL;
		}
		return 0;
	}
	/* -F max asks for a frequency, so the chosen one is reported */
	if (q->asked.max_freq)
		say_line(q, "note: using the highest frequency that is allowed, %llu Hz\n",
			 (unsigned long long)s->freq);
	if (!s->freq_given)
		s->freq = DEFAULT_FREQ;
	if (record_max_freq(&most, NULL) || s->freq <= most)
		return 0;
	snprintf(asked, sizeof(asked), "%llu", (unsigned long long)s->freq);
	if (q->asked.strict_freq) {
		reason_set(r, ERANGE, "%llu Hz is more than the %llu Hz that the kernel allows",
			   (unsigned long long)s->freq, (unsigned long long)most);
		obstacle_hint(OBSTACLE_SAMPLE_RATE, &(struct obstacle_words){ .what = asked }, r);
		return -ERANGE;
	}
	cure = obstacle_cure(OBSTACLE_SAMPLE_RATE, &(struct obstacle_words){ .what = asked });
	if (s->freq_given)
		condition_add(&q->ctx->conditions, CONDITION_WARNING, "record-frequency", NULL,
			      NULL, 1, cure,
			      "%llu Hz is more than the kernel allows: sampling at %llu Hz",
			      (unsigned long long)s->freq, (unsigned long long)most);
	free(cure);
	s->freq = most;
	return 0;
}

/*
 * Records the whole machine. The file's command line gets the option, so it records the same when
 * it is run again.
 */
static void take_all(struct record_request *q)
{
	q->target.system_wide = true;
	q->argv = xreallocarray(q->argv, (size_t)q->argc + 2, sizeof(*q->argv));
	q->argv[q->argc++] = NULL;
	memmove(&q->argv[3], &q->argv[2], (size_t)(q->argc - 3) * sizeof(*q->argv));
	q->argv[2] = xstrdup("-a");
	q->argv[q->argc] = NULL;
}

static int settle_target(struct record_request *q, bool has_command, struct reason *r)
{
	struct target *t = &q->target;
	int err = q->asked.cpus ? sys_choose_cpus(NULL, q->asked.cpus, "possible", &q->target.cpus,
						  &q->target.cpu_count, r)
				: 0;

	t->inherit = q->asked.inherit && !t->per_thread && !q->asked.tids;
	if (!err && q->asked.pids)
		err = target_add_pids(t, q->asked.pids, r);
	if (!err && q->asked.tids)
		err = target_add_tids(t, q->asked.tids, r);
	t->by_user = q->asked.user;
	if (!err && q->asked.user)
		err = record_settle_user(q, has_command, r);
	if (err)
		return err;
	if (q->ctx->records_all && !t->system_wide && !t->tid_count && !t->per_thread)
		take_all(q);
	if (t->system_wide && t->tid_count) {
		condition_add(&q->ctx->conditions, CONDITION_WARNING, "record-all-cpus", NULL, NULL,
			      1, NULL, "-a is ignored with -p, -t or -u");
		t->system_wide = false;
	}
	if (t->system_wide && t->per_thread) {
		reason_set(
			r, EINVAL,
			"-a and --per-thread exclude each other: one has a ring for each CPU, the "
			"other for each thread");
		reason_hint(r, "leave one of them out");
		return -EINVAL;
	}
	if (!has_command && !t->tid_count && !t->cpus)
		t->system_wide = true;
	/*
	 * With a probe by the PMU, the copy of the event that a later process inherits would have
	 * to make the probe again; a probe in tracefs is made once.
	 */
	if (t->inherit && !t->system_wide && !t->cpus && !q->asked.dry_run)
		return session_probe_to_tracefs(&q->probes, &q->set, 0, r);
	return 0;
}

/*
 * Settles the switch of files. The rings fill while build IDs are looked up, so at a switch this is
 * done only on request.
 */
static int settle_switch(struct record_request *q, struct reason *r)
{
	struct record_settings *s = &q->s;

	s->switch_output.on_event = q->switch_set.list.count;
	if (s->switch_output.max_files && !record_switches(s)) {
		reason_set(r, EINVAL, "--switch-max-files needs --switch-output");
		reason_hint(r, "add --switch-output=30s or a size, such as 100M");
		return -EINVAL;
	}
	if ((record_switches(s) || s->timestamp_filename) && s->output && !strcmp(s->output, "-"))
		return reason_set(r, EINVAL,
				  "a stream has no name: --switch-output and "
				  "--timestamp-filename need a file");
	if (record_switches(s) && !q->asked.build_ids_given)
		q->asked.build_ids = false;
	s->timestamp_filename |= record_switches(s);
	return 0;
}

/*
 * Records context switches, from which perf report --latency sees which tasks ran simultaneously.
 */
static int settle_latency(struct record_request *q, struct reason *r)
{
	if (!q->asked.latency)
		return 0;
	if (q->target.system_wide || q->target.cpus) {
		reason_set(r, EINVAL, "--latency follows tasks, not all that CPUs do");
		reason_hint(r, "record a command, or processes with -p");
		return -EINVAL;
	}
	q->s.switch_events = true;
	return 0;
}

static int settle_threads(struct record_request *q, struct reason *r)
{
	if (!q->s.threads.count)
		return 0;
	if (q->s.aio || q->s.affinity != AFFINITY_NONE) {
		reason_set(r, EINVAL, "--threads writes several files, and %s is for a single one",
			   q->s.aio ? "--aio" : "--affinity");
		reason_hint(
			r, "leave one of them out; --threads=CPUS/AFFINITY says where threads run");
		return -EINVAL;
	}
	if (q->target.per_thread) {
		reason_set(r, EINVAL,
			   "--threads shares the rings of CPUs among threads, and --per-thread has "
			   "no such rings");
		reason_hint(r, "leave one of them out");
		return -EINVAL;
	}
	return 0;
}

/*
 * Adds the events for --off-cpu: by BPF if it can be used here; otherwise perf must look at each
 * switch itself.
 */
static int add_off_cpu_events(struct record_request *q, struct reason *r)
{
	const struct event_parser parser = { .command = "record" };
	const char *how = q->asked.off_cpu;
	struct reason why = REASON_INIT;

	off_cpu_add_event(&q->set);
	if (how && !strcmp(how, "bpf")) {
		int err = bpf_usable("--off-cpu=bpf", r);

		return err ? err : bpf_sees_tasks("--off-cpu=bpf", r);
	}
	if (!how && !bpf_usable("--off-cpu", &why) && !bpf_sees_tasks("--off-cpu", &why))
		return 0;
	if (!how)
		condition_add(&q->ctx->conditions, CONDITION_NOTE, "off-cpu-switches", NULL, NULL,
			      1, NULL, "%s: waits are measured by " OFF_CPU_SWITCH, why.text);
	reason_release(&why);
	q->s.off_cpu_by_switches = q->s.switch_events = true;
	return event_parse(&parser, &q->set, OFF_CPU_SWITCH, r);
}

static int off_cpu_refused(struct reason *r, const char *why, const char *hint)
{
	reason_usage(r, "%s", why);
	reason_hint(r, "%s", hint);
	return -EINVAL;
}

/* Waits are timed with CLOCK_MONOTONIC, the only clock that BPF programs and events share. */
static int settle_off_cpu(struct record_request *q, struct reason *r)
{
	enum { DEFAULT_THRESHOLD_MS = 500 };
	struct record_settings *s = &q->s;

	if (q->asked.off_cpu_threshold_given && !s->off_cpu)
		return off_cpu_refused(r, "--off-cpu-thresh needs --off-cpu", "give both");
	if (!s->off_cpu)
		return 0;
	if (s->use_clockid && s->clockid != CLOCK_MONOTONIC)
		return off_cpu_refused(
			r,
			"--off-cpu times waits by the monotonic clock, and -k asks for another one",
			"leave out -k, or give -k mono");
	if (s->delay || s->ranges.count || s->steered)
		return off_cpu_refused(
			r, "--off-cpu counts from the beginning of the recording to its end",
			"leave out -D and --control");
	if (s->threads.count || s->aio || s->live_stacks || s->overwrite)
		return off_cpu_refused(r, "--off-cpu writes into one file, as waits end",
				       "leave out --threads, --aio, --overwrite and ',live'");
	if (!q->asked.off_cpu_threshold_given)
		s->off_cpu_threshold = DEFAULT_THRESHOLD_MS * 1000000ULL;
	s->use_clockid = true;
	s->clockid = CLOCK_MONOTONIC;
	return add_off_cpu_events(q, r);
}

/* Settles --kcore, before anything is created: a refusal must not destroy an older recording. */
static int settle_kcore(const struct record_request *q, struct reason *r)
{
	if (!q->s.kcore)
		return 0;
	if (q->s.output && !strcmp(q->s.output, "-")) {
		reason_set(r, EINVAL, "--kcore writes a directory, and a stream cannot hold one");
		reason_hint(r, "name the directory with -o, or leave out --kcore");
		return -EINVAL;
	}
	return kcore_check("/proc", r);
}

static int check_realtime(const struct record_request *q, struct reason *r)
{
	int least = sched_get_priority_min(SCHED_FIFO), most = sched_get_priority_max(SCHED_FIFO);

	if (!q->asked.realtime ||
	    ((int)q->asked.realtime >= least && (int)q->asked.realtime <= most))
		return 0;
	reason_set(r, EINVAL, "-r %u: real-time priorities go from %d to %d", q->asked.realtime,
		   least, most);
	reason_hint(r, "'chrt -m' lists them; 1 is above everything that has none");
	return -EINVAL;
}

static int settle_cgroups(struct record_request *q, struct reason *r)
{
	if (!q->next_cgroup && !q->asked.for_each_cgroup)
		return 0;
	if (q->next_cgroup && q->asked.for_each_cgroup)
		return reason_set(
			r, EINVAL,
			"-G and --for-each-cgroup exclude each other: both choose the cgroups of "
			"events");
	if (!q->target.system_wide && !q->target.cpus)
		return reason_set(r, EINVAL, "cgroups are recorded on CPUs: give -a or -C");
	if (q->asked.for_each_cgroup)
		return event_set_for_each_cgroup(NULL, &q->set, q->asked.for_each_cgroup, r);
	return 0;
}

static int both(struct reason *r, const char *what, const char *instead)
{
	reason_set(r, EINVAL, "%s", what);
	reason_hint(r, "leave one of them out: %s", instead);
	return -EINVAL;
}

/*
 * Refuses --buildid-mmap where older kernels refuse the event's bit: without that, the file would
 * have no build IDs at all.
 */
static int check_build_ids(const struct record_settings *s, struct reason *r)
{
	const struct perf_event_attr attr = { .flags = ATTR_BUILD_ID };

	return s->build_id_mmap ? explain_newer_option(&attr, r) : 0;
}

static int check_callchains(const struct record_request *q, struct reason *r)
{
	const struct record_settings *s = &q->s;

	if (s->all_user && s->all_kernel)
		return both(r, "--all-user and --all-kernel exclude each other",
			    "without either, both sides are counted");
	if (s->user_callchains && s->kernel_callchains)
		return both(r, "--user-callchains and --kernel-callchains exclude each other",
			    "without either, chains have both parts");
	return 0;
}

static int check_delay(const struct record_request *q, struct reason *r)
{
	if (q->s.delay != RECORD_DELAY_FOREVER || q->s.steered)
		return 0;
	reason_set(r, EINVAL, "-D -1 waits for ever without --control");
	reason_hint(r, "mkfifo ctl; perf record -D -1 --control fifo:ctl ...; echo enable > ctl");
	return -EINVAL;
}

static int settle_ring(struct record_request *q, struct reason *r)
{
	u64 pages = 0;
	int err = q->asked.ring ? record_parse_mmap_pages(&q->s, q->asked.ring, r) : 0;

	if (!err && q->asked.ring && !parse_count(q->asked.ring, &pages) &&
	    pages != q->s.ring_pages)
		say_line(q,
			 "note: the number of pages in a ring must be a power of two: %llu become "
			 "%llu\n",
			 (unsigned long long)pages, (unsigned long long)q->s.ring_pages);
	if (!err && q->s.aux_pages && !record_aux_event(&q->set))
		say_line(q,
			 "note: no event has an AUX area, so -m sets the size of the other rings "
			 "alone\n");
	return err ? err : record_settle_aux(&q->set, &q->s, r);
}

/* Returns the option that makes files or directories with the name of -o, or NULL. */
static const char *files_option(const struct record_settings *s)
{
	return s->threads.count        ? "--threads"
	       : s->kcore              ? "--kcore"
	       : record_switches(s)    ? "--switch-output"
	       : s->timestamp_filename ? "--timestamp-filename"
				       : NULL;
}

/* Checks that --require has one finished file to read. */
static int check_require(const struct record_request *q, struct reason *r)
{
	const struct record_settings *s = &q->s;
	const char *other = record_switches(s)      ? "--switch-output"
			    : s->timestamp_filename ? "--timestamp-filename"
						    : NULL;

	if (!q->asked.require.list.count)
		return 0;
	if (other) {
		reason_set(r, EINVAL,
			   "--require reads one finished file, and %s gives it another name",
			   other);
		reason_hint(r,
			    "perf report --require has the same conditions: use it on each file");
		return -EINVAL;
	}
	if (strcmp(s->output, "-") && !replace_is_stream(s->output))
		return 0;
	reason_set(r, EINVAL,
		   "--require reads the finished file, and the recording goes into a stream");
	reason_hint(r, "name a file with -o, or use perf report --require on the stream");
	return -EINVAL;
}

/* Settles the output. Without -o, a pipe on standard output takes the data. */
static int settle_output(struct record_request *q, struct reason *r)
{
	struct record_settings *s = &q->s;
	struct stat st;

	if (!s->output)
		s->output = !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
	if (check_require(q, r))
		return -EINVAL;
	if (strcmp(s->output, "-")) {
		const char *option = files_option(s);

		if (!option || !replace_is_stream(s->output))
			return data_may_create(s->output, NULL, r);
		reason_set(r, EINVAL, "%s: '%s' is not a file", option, s->output);
		reason_hint(r, "name a file with -o, or leave out %s", option);
		return -EINVAL;
	}
	if (s->threads.count || s->kcore) {
		const char *option = s->kcore ? "--kcore" : "--threads";

		reason_set(r, EINVAL, "%s writes a directory, and a stream cannot hold one",
			   option);
		reason_hint(r, "name the directory with -o, or leave out %s", option);
		return -EINVAL;
	}
	if (isatty(STDOUT_FILENO)) {
		reason_set(r, EINVAL, "data is not written to a terminal");
		reason_hint(r, "'perf record -o - ... | perf report -i -'");
		return -EINVAL;
	}
	return 0;
}

/* Settles what needs only the command line. */
static void settle_flags(struct record_request *q)
{
	const struct record_asked *a = &q->asked;
	struct record_settings *s = &q->s;

	if (!q->set.list.count)
		record_add_default_event(q->ctx, NULL, &q->set);
	if (a->group)
		record_make_group(&q->set);
	if (a->exclude_perf)
		record_exclude_self(&q->set);
	if (a->exclude_perf_given)
		s->own = a->exclude_perf ? OWN_LEAVE_OUT : OWN_KEEP;
	s->no_inherit = !a->inherit;
	s->steered = a->control;
	s->no_buffering = !a->buffering;
	s->no_samples = !a->samples;
	s->no_bpf_event = !a->bpf_event;
}

int record_request_settle(struct record_request *q, bool has_command, struct reason *r)
{
	int err;

	settle_flags(q);
	err = settle_freq(q, r);
	if (!err)
		err = check_callchains(q, r);
	if (!err)
		err = check_build_ids(&q->s, r);
	if (!err)
		err = settle_ring(q, r);
	if (!err)
		err = settle_switch(q, r);
	if (!err)
		err = settle_threads(q, r);
	if (!err)
		err = settle_off_cpu(q, r);
	if (!err)
		err = check_delay(q, r);
	if (!err)
		err = settle_target(q, has_command, r);
	if (!err)
		err = settle_latency(q, r);
	if (!err)
		err = settle_kcore(q, r);
	if (!err)
		err = check_realtime(q, r);
	if (!err)
		err = settle_cgroups(q, r);
	return err ? err : settle_output(q, r);
}
