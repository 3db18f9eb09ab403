// SPDX-License-Identifier: GPL-2.0-or-later
/* perf record: sample a command, processes or the whole system into perf.data. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "builtin.h"
#include "builtin-record.h"
#include "cli/options.h"
#include "cli/say.h"
#include "event/cgroup.h"
#include "object/cache.h"
#include "object/debug_servers.h"
#include "record/record.h"
#include "sys/topology.h"
#include "unwind/unwind.h"

#define DEFAULT_FREQ 4000

/* The program's full path and all words, as header readers expect them. */
static void keep_argv(struct request *q, int argc, const char **argv)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	q->full_argv = xcalloc((size_t)argc + 2, sizeof(*q->full_argv));
	q->full_argv[q->full_argc++] = n > 0 ? xstrndup(path, (size_t)n) : xstrdup("perf");
	for (int i = 0; i < argc; i++)
		q->full_argv[q->full_argc++] = xstrdup(argv[i]);
}

static int settle_freq(struct request *q, struct reason *r)
{
	struct record_settings *s = &q->s;
	u64 most;

	if (s->period_given) {
		if (s->freq_given) {
			reason_set(r, EINVAL, "a frequency (-F) and a period (-c) exclude each other");
			reason_hint(r, "-F takes samples by time, -c by count: leave one of them out");
			return -EINVAL;
		}
		if (!s->period) {
			reason_set(r, EINVAL, "a period of 0 takes no samples");
			reason_hint(r, "-c 1 takes a sample at each event");
			return -EINVAL;
		}
		return 0;
	}
	if (q->max_freq && !q->ctx->quiet)
		say_note("using the highest frequency that is allowed, %llu Hz",
			    (unsigned long long)s->freq);
	if (!s->freq_given)
		s->freq = DEFAULT_FREQ;
	if (record_max_freq(&most, NULL) || s->freq <= most)
		return 0;
	if (q->strict_freq) {
		reason_set(r, EINVAL, "%llu Hz is more than the %llu Hz that the kernel allows",
			   (unsigned long long)s->freq, (unsigned long long)most);
		reason_hint(r, "-F max, or raise /proc/sys/kernel/perf_event_max_sample_rate");
		return -EINVAL;
	}
	if (s->freq_given && !q->ctx->quiet) {
		say_warning("%llu Hz is more than the kernel allows: sampling at %llu Hz",
			       (unsigned long long)s->freq, (unsigned long long)most);
		say_hint("the limit is /proc/sys/kernel/perf_event_max_sample_rate; "
			    "--strict-freq refuses instead");
	}
	s->freq = most;
	return 0;
}

static int settle_cpus(struct request *q, struct reason *r)
{
	struct reason none = REASON_INIT;
	u32 *present;
	size_t count;
	u32 most = 1U << 16;
	int err;

	if (!q->cpus)
		return 0;
	if (!sys_cpus(NULL, "possible", &present, &count, &none)) {
		most = count ? present[count - 1] : most;
		free(present);
	}
	reason_release(&none);
	err = parse_cpu_list(q->cpus, most, &q->target.cpus, &q->target.cpu_count);
	if (err == -ERANGE) {
		reason_set(r, ERANGE, "CPUs '%s': the highest one here is %u", q->cpus, most);
		reason_hint(r, "'lscpu -e' lists them");
		return -ERANGE;
	}
	if (err) {
		reason_set(r, EINVAL, "'%s' is not a list of CPUs such as 0-2,5", q->cpus);
		reason_hint(r, "numbers and ranges with commas between them; 'lscpu -e' lists the CPUs");
		return -EINVAL;
	}
	return 0;
}

static int settle_target(struct request *q, bool has_command, struct reason *r)
{
	struct target *t = &q->target;
	int err = settle_cpus(q, r);

	t->inherit = q->inherit && !t->per_thread && !q->tids;
	if (!err && q->pids)
		err = target_add_pids(t, q->pids, r);
	if (!err && q->tids)
		err = target_add_tids(t, q->tids, r);
	t->by_user = q->user;
	if (!err && q->user)
		err = target_add_user(t, q->user, r);
	if (err)
		return err;
	if (t->system_wide && t->tid_count) {
		say_warning("-a is left out: -p, -t and -u say what is watched");
		t->system_wide = false;
	}
	if (t->system_wide && t->per_thread) {
		reason_set(r, EINVAL, "-a has a ring for each CPU, --per-thread one for each thread");
		reason_hint(r, "leave one of them out");
		return -EINVAL;
	}
	if (!has_command && !t->tid_count && !t->cpus)
		t->system_wide = true;
	/* Processes that start later would have to open the event by the PMU anew. */
	if (t->inherit && !t->system_wide && !t->cpus && !q->dry_run)
		return session_probe_to_tracefs(&q->probes, &q->set, 0, r);
	return 0;
}

static bool switches(const struct record_settings *s)
{
	const struct record_rotation *w = &s->switch_output;

	return w->on_signal || w->size || w->time || w->on_event;
}

/* While build-ids are looked for the rings fill: at a switch they have to be asked for. */
static int settle_switch(struct request *q, struct reason *r)
{
	struct record_settings *s = &q->s;

	s->switch_output.on_event = q->switch_set.list.count;
	if (s->switch_output.max_files && !switches(s)) {
		reason_set(r, EINVAL, "--switch-max-files belongs to --switch-output");
		reason_hint(r, "add --switch-output=30s or a size, such as 100M");
		return -EINVAL;
	}
	if ((switches(s) || s->timestamp_filename) && s->output && !strcmp(s->output, "-"))
		return reason_set(r, EINVAL, "a stream has no name: --switch-output and "
				  "--timestamp-filename need a file");
	if (switches(s) && !q->build_ids_given)
		q->build_ids = false;
	s->timestamp_filename |= switches(s);
	return 0;
}

/* perf report --latency tells by them who ran beside whom. */
static int settle_latency(struct request *q, struct reason *r)
{
	if (!q->latency)
		return 0;
	if (q->target.system_wide || q->target.cpus) {
		reason_set(r, EINVAL, "--latency follows tasks, not all that CPUs do");
		reason_hint(r, "record a command, or processes with -p");
		return -EINVAL;
	}
	q->s.switch_events = true;
	return 0;
}

static int settle_threads(struct request *q, struct reason *r)
{
	if (!q->s.threads.count)
		return 0;
	if (q->s.aio || q->s.affinity != AFFINITY_NONE) {
		reason_set(r, EINVAL, "--threads has writers of its own: %s is for a single file",
			   q->s.aio ? "--aio" : "--affinity");
		reason_hint(r, "leave one of them out; --threads=CPUS/AFFINITY says where threads run");
		return -EINVAL;
	}
	if (q->target.per_thread) {
		reason_set(r, EINVAL, "--threads shares out the rings of CPUs, --per-thread has none");
		reason_hint(r, "leave one of them out");
		return -EINVAL;
	}
	return 0;
}

/* Before anything is made: a refusal must not cost an older recording. */
static int settle_kcore(const struct request *q, struct reason *r)
{
	if (!q->s.kcore)
		return 0;
	if (q->s.output && !strcmp(q->s.output, "-")) {
		reason_set(r, EINVAL, "--kcore writes a directory, a stream is none");
		reason_hint(r, "name the directory with -o, or leave out --kcore");
		return -EINVAL;
	}
	return kcore_check("/proc", r);
}

static int check_realtime(const struct request *q, struct reason *r)
{
	int least = sched_get_priority_min(SCHED_FIFO), most = sched_get_priority_max(SCHED_FIFO);

	if (!q->realtime || ((int)q->realtime >= least && (int)q->realtime <= most))
		return 0;
	reason_set(r, EINVAL, "-r %u: real-time priorities go from %d to %d", q->realtime, least, most);
	reason_hint(r, "'chrt -m' lists them; 1 is above everything that has none");
	return -EINVAL;
}

static int settle_cgroups(struct request *q, struct reason *r)
{
	if (!q->next_cgroup && !q->for_each_cgroup)
		return 0;
	if (q->next_cgroup && q->for_each_cgroup)
		return reason_set(r, EINVAL, "-G and --for-each-cgroup both say where events are taken");
	if (!q->target.system_wide && !q->target.cpus)
		return reason_set(r, EINVAL, "cgroups are recorded on CPUs: give -a or -C");
	if (q->for_each_cgroup)
		return event_set_for_each_cgroup(NULL, &q->set, q->for_each_cgroup, r);
	return 0;
}

static int both(struct reason *r, const char *what, const char *instead)
{
	reason_set(r, EINVAL, "%s", what);
	reason_hint(r, "leave one of them out: %s", instead);
	return -EINVAL;
}

static int settle(struct request *q, bool has_command, struct reason *r)
{
	struct record_settings *s = &q->s;
	int err = settle_freq(q, r);

	if (!q->set.list.count)
		record_add_default_event(NULL, &q->set);
	if (q->group)
		record_make_group(&q->set);
	if (q->exclude_perf)
		record_exclude_self(&q->set);
	if (q->exclude_perf_given)
		s->own = q->exclude_perf ? OWN_LEAVE_OUT : OWN_KEEP;
	s->no_inherit = !q->inherit;
	s->steered = q->control_text;
	s->no_buffering = !q->buffering;
	s->no_samples = !q->samples;
	s->no_bpf_event = !q->bpf_event;
	if (!err && s->all_user && s->all_kernel)
		err = both(r, "--all-user and --all-kernel exclude each other",
			   "without either, both sides are counted");
	if (!err && s->user_callchains && s->kernel_callchains)
		err = both(r, "--user-callchains and --kernel-callchains exclude each other",
			   "without either, chains have both parts");
	if (!err && q->ring)
		err = record_parse_mmap_pages(s, q->ring, r);
	if (!err)
		err = record_settle_aux(&q->set, s, r);
	if (!err)
		err = settle_switch(q, r);
	if (!err)
		err = settle_threads(q, r);
	if (!err && s->delay == RECORD_DELAY_FOREVER && !s->steered) {
		err = reason_set(r, EINVAL, "-D -1 waits for ever without --control");
		reason_hint(r, "mkfifo ctl; perf record -D -1 --control fifo:ctl ...; echo enable > ctl");
	}
	if (!err)
		err = settle_target(q, has_command, r);
	if (!err)
		err = settle_latency(q, r);
	if (!err)
		err = settle_kcore(q, r);
	if (!err)
		err = check_realtime(q, r);
	return err ? err : settle_cgroups(q, r);
}

/* Without -o, a pipe on standard output takes the data. */
static int settle_output(struct request *q, struct reason *r)
{
	struct stat st;

	if (!q->s.output)
		q->s.output = !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
	if (!strcmp(q->s.output, "-") && (q->s.threads.count || q->s.kcore)) {
		const char *option = q->s.kcore ? "--kcore" : "--threads";

		reason_set(r, EINVAL, "%s writes a directory, a stream is none", option);
		reason_hint(r, "name the directory with -o, or leave out %s", option);
		return -EINVAL;
	}
	if (!strcmp(q->s.output, "-") && isatty(STDOUT_FILENO)) {
		reason_set(r, EINVAL, "data is not written to a terminal");
		reason_hint(r, "'perf record -o - ... | perf report -i -'");
		return -EINVAL;
	}
	return 0;
}

static void set_realtime(struct request *q)
{
	struct sched_param p = { .sched_priority = (int)q->realtime };

	if (q->realtime && sched_setscheduler(0, SCHED_FIFO, &p))
		say_warning("cannot run with real-time priority %u: %s", q->realtime, strerror(errno));
}

/* Which counters lost, with -v. */
static void say_losses(const struct recorder *rec)
{
	vec_for_each(&rec->losses, l) {
		fprintf(stderr, "%12llu lost  %s", (unsigned long long)l->lost, l->event->name);
		if (l->cpu >= 0)
			fprintf(stderr, "  CPU %d", l->cpu);
		if (l->thread >= 0 && live_thread_count(rec->live) > 1)
			fprintf(stderr, "  thread %d", (int)l->thread);
		fputc('\n', stderr);
	}
}

static void say_lost(const struct recorder *rec)
{
	struct strbuf cause = STRBUF_INIT, remedy = STRBUF_INIT;
	struct loss_facts f;

	record_loss_facts(rec, &f);
	if (f.lost) {
		record_explain_loss(&f, &cause, &remedy);
		say_warning("%llu samples and other records were lost: %s",
			       (unsigned long long)f.lost, cause.s);
		say_hint("%s", remedy.s);
		if (rec->ctx->verbose > 0)
			say_losses(rec);
	}
	strbuf_release(&cause);
	strbuf_release(&remedy);
}

static void say_captured(const struct recorder *rec, u64 bytes, u64 taken, const char *name)
{
	struct strbuf b = STRBUF_INIT;

	strbuf_f(&b, "[ perf record: Captured and wrote %.3f MB %s", (double)bytes / 1024 / 1024, name);
	if (rec->counts.samples)
		strbuf_f(&b, " (%llu samples)", (unsigned long long)rec->counts.samples);
	if (rec->counts.own && rec->ctx->verbose > 0)
		strbuf_f(&b, ", %llu samples of perf itself left out", (unsigned long long)rec->counts.own);
	if (rec->settings->compress_level && bytes)
		strbuf_f(&b, ", compressed (original %.3f MB, ratio is %.3f)",
			 (double)taken / 1024 / 1024, (double)taken / (double)bytes);
	fprintf(stderr, "%s ]\n", b.s);
	strbuf_release(&b);
}

/* What unwinding while recording made of the stacks. */
static void say_stacks(const struct recorder *rec)
{
	const u64 *ends;
	u64 all = 0, early;

	if (!rec->stacks)
		return;
	ends = record_stacks_ends(rec->stacks);
	for (size_t i = 0; i < UNWIND_ENDS; i++)
		all += ends[i];
	early = all - ends[UNWIND_ROOT] - ends[UNWIND_LIMIT];
	fprintf(stderr, "[ perf record: Unwound %llu user stacks", (unsigned long long)all);
	if (early)
		fprintf(stderr, ", %llu of them not to their root%s", (unsigned long long)early,
			rec->ctx->verbose ? "" : " (-v says why)");
	if (record_stacks_spilled(rec->stacks))
		fprintf(stderr, ", after %.1f MB had to wait on disk",
			(double)record_stacks_spilled(rec->stacks) / 1024 / 1024);
	fprintf(stderr, " ]\n");
}

/* Everything that makes a file whole; *name: the one that it has at last. */
static int close_file(struct request *q, struct recorder *rec, char **name, struct reason *r)
{
	struct data_writer *w = rec->writer;
	bool ids = q->build_ids && !q->s.build_id_mmap;
	int err = record_end_file(rec, r);

	if (!err && (ids || q->timestamp_boundary) && strcmp(q->s.output, "-"))
		err = record_add_build_ids(q->ctx, w, q->s.output, ids,
					   q->build_id_all, q->build_id_cache, q->servers);
	rec->writer = NULL;
	if (err)
		data_abandon(w);
	else
		err = data_finish(w, r);
	if (err)
		return err;
	if (q->s.timestamp_filename)
		return record_stamp_file(rec, name, r);
	*name = xstrdup(q->s.output);
	return 0;
}

struct ending {
	struct request *q;
	struct recorder *rec;
};

/* Between two files. */
static int switch_file(void *arg, struct reason *r)
{
	struct ending *e = arg;
	char *name = NULL;
	int err = close_file(e->q, e->rec, &name, r);

	if (!err && !e->q->ctx->quiet)
		fprintf(stderr, "[ perf record: Dump %s ]\n", name);
	free(name);
	return err;
}

static int finish_file(struct request *q, struct recorder *rec, struct reason *r)
{
	u64 bytes, taken;
	char *name = NULL;
	int err = data_flush(rec->writer, r);

	if (!q->ctx->quiet)
		fprintf(stderr, "[ perf record: Woken up %llu times to write data ]\n",
			(unsigned long long)rec->counts.wakeups);
	bytes = data_offset(rec->writer) + data_written(rec->writer);
	taken = data_taken(rec->writer);
	if (!err)
		err = close_file(q, rec, &name, r);
	if (!err && !q->ctx->quiet) {
		if (rec->size_limit_reached)
			fprintf(stderr, "[ perf record: perf size limit reached (%llu KB), stopping session ]\n",
				(unsigned long long)q->s.max_size >> 10);
		say_captured(rec, bytes, taken, name);
		say_stacks(rec);
		say_lost(rec);
	}
	free(name);
	return err;
}

static int exit_code(const struct workload *w)
{
	int sig = record_ending_signal();

	if (w->started && w->reaped && !sig)
		return workload_exit_code(w);
	return sig ? 128 + sig : 0;
}

static int record_to_file(struct request *q, struct recorder *rec, struct reason *r)
{
	struct ending ending = { q, rec };
	int err = record_open(rec, r);

	if (switches(&q->s)) {
		rec->finish = switch_file;
		rec->finish_arg = &ending;
	}
	if (q->s.switch_output.on_signal || q->s.aux_snapshot)
		record_signal_switches();

	if (err)
		return err;
	/* what was taken instead of something else is good to know before it runs for long */
	say_conditions(q->ctx);
	condition_list_release(&q->ctx->conditions);
	set_realtime(q);
	err = record_start(rec, r);
	if (!err && q->switch_set.list.count)
		err = record_trigger_start(rec, &q->switch_set, r);
	if (!err)
		err = record_run(rec, r);
	if (err && rec->writer && rec->workload && !rec->workload->started) {
		data_take_back(rec->writer);
		rec->writer = NULL;
	} else if (err && rec->writer) {
		/* what can be had of it is told by err already */
		if (strcmp(q->s.output, "-") && q->build_ids)
			record_add_build_ids(q->ctx, rec->writer, q->s.output, true,
					     q->build_id_all, false, q->servers);
		data_finish(rec->writer, NULL);
		rec->writer = NULL;
	} else if (!err) {
		err = finish_file(q, rec, r);
	}
	return err;
}

static void tell(const char *text)
{
	fputs(text, stderr);
}

static int run_request(struct request *q, bool has_command, const char **argv)
{
	struct workload w = {
		.go_fd = -1, .error_fd = -1, .stdout_to_stderr = !strcmp(q->s.output, "-"),
	};
	struct recorder rec = {
		.ctx = q->ctx, .settings = &q->s, .set = &q->set, .target = &q->target, .wake_fd = -1,
		.tell = q->ctx->quiet ? NULL : tell,
		.argc = q->full_argc, .argv = (const char **)q->full_argv,
	};
	bool own = has_command && !q->target.system_wide && !q->target.cpus && !q->target.tid_count;
	struct reason r = REASON_INIT;
	int err = 0, code = 0;

	if (q->control_text) {
		err = control_open(&q->control, q->control_text, &r);
		rec.control = &q->control;

	}
	if (!err)
		err = record_configure(&q->set, &q->s, &q->target, own, &r);
	if (!err && has_command) {
		err = workload_prepare(&w, argv, &r);
		rec.workload = err ? NULL : &w;
		if (err)
			code = err == -ENOENT ? 127 : 126;
	}
	if (!err && own) {
		q->target.tids = xcalloc(1, sizeof(pid_t));
		q->target.tids[0] = w.pid;
		q->target.tid_count = 1;
		q->target.held = true;
	}
	if (!err)
		err = record_signals(q->ctx, &rec.wake_fd, &r);
	if (!err)
		err = record_to_file(q, &rec, &r);
	record_end_workload(&w);
	record_close(&rec);
	if (err) {
		say_reason(&r);
	} else {
		debug_servers_conditions(q->servers, &q->ctx->conditions);
		say_conditions(q->ctx);
	}
	return err ? (code ? code : 1) : exit_code(&w);
}

static void release_request(struct request *q)
{
	for (int i = 0; i < q->full_argc; i++)
		free(q->full_argv[i]);
	free(q->full_argv);
	record_settings_release(&q->s);
	control_close(&q->control);
	event_set_release(&q->set);
	event_set_release(&q->switch_set);
	session_probes_release(&q->probes);
	target_release(&q->target);
	debug_servers_free(q->servers);
}

int cmd_record(struct context *ctx, int argc, const char **argv)
{
	struct request q = {
		.ctx = ctx, .probes = { .ctx = ctx, .command = "record" }, .inherit = true, .buffering = true,
		.samples = true, .bpf_event = true, .build_ids = true, .build_id_cache = true,
		.s.synth = SYNTH_ALL, .control = CONTROL_INIT,
	};
	struct reason r = REASON_INIT;
	int code;

	if (record_lists_registers(argc, argv))
		return 0;
	event_set_init(&q.set);
	event_set_init(&q.switch_set);
	keep_argv(&q, argc, argv);
	code = record_parse_options(&q, &argc, argv);
	if (code) {
		code = code < 0 ? 0 : code;
	} else if (open_debug_servers(ctx, &q.debuginfod, &q.servers, &r)) {
		say_reason(&r);
		code = EXIT_USAGE;
	} else if (settle(&q, argc > 0, &r) || settle_output(&q, &r)) {
		code = say_reason(&r);
	} else if (!q.dry_run) {
		code = run_request(&q, argc > 0, argv);
	}
	release_request(&q);
	return code;
}
