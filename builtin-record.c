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
#include "cli/report.h"
#include "event/parse.h"
#include "record/record.h"
#include "sys/topology.h"

#define DEFAULT_FREQ 4000

/* What the command line says, before it is checked against the machine. */
struct request {
	struct context *ctx;
	struct event_set set;
	struct target target;
	struct record_settings s;
	const char *pids, *tids, *user, *cpus, *ring;
	bool inherit, buffering, samples, bpf_event;
	bool call_graph_given, max_freq, strict_freq, group, exclude_perf, dry_run;
	bool build_ids, build_id_cache, build_id_all;
	unsigned realtime;
	char **full_argv; /* of the whole program, for the header */
	int full_argc;
};

static int parse_event(const struct option_call *c, struct reason *r)
{
	static const struct event_parser parser = { .command = "record" };
	struct request *q = c->settings;

	return event_parse(&parser, &q->set, c->value, r);
}

static int parse_filter(const struct option_call *c, struct reason *r)
{
	struct request *q = c->settings;

	return event_set_filter(&q->set, c->value, r);
}

static int parse_freq(const struct option_call *c, struct reason *r)
{
	struct request *q = c->settings;

	q->s.freq_given = true;
	q->max_freq = !strcmp(c->value, "max");
	if (q->max_freq)
		return record_max_freq(&q->s.freq, r);
	if (parse_u64(c->value, &q->s.freq) || !q->s.freq) {
		reason_set(r, EINVAL, "'%s' is not a frequency in Hz", c->value);
		reason_hint(r, "a number such as 99, or 'max'");
		return -EINVAL;
	}
	return 0;
}

static int set_fp(const struct option_call *c, struct reason *r)
{
	struct request *q = c->settings;

	(void)r;
	if (c->negated)
		q->s.call_graph = CALL_GRAPH_NONE;
	else if (q->s.call_graph == CALL_GRAPH_NONE)
		q->s.call_graph = CALL_GRAPH_FP;
	return 0;
}

static int parse_call_graph(const struct option_call *c, struct reason *r)
{
	struct request *q = c->settings;

	if (c->negated) {
		q->s.call_graph = CALL_GRAPH_NONE;
		return 0;
	}
	return record_parse_call_graph(&q->s, c->value, r);
}

static int set_branch_any(const struct option_call *c, struct reason *r)
{
	struct request *q = c->settings;

	(void)r;
	q->s.branch_filter = c->negated ? 0 : PERF_SAMPLE_BRANCH_ANY;
	return 0;
}

static int parse_branches(const struct option_call *c, struct reason *r)
{
	struct request *q = c->settings;

	if (c->negated)
		q->s.branch_filter = 0;
	return c->negated ? 0 : record_parse_branch_filter(c->value, &q->s.branch_filter, r);
}

static int parse_regs(const struct option_call *c, u64 *mask, struct reason *r)
{
	if (c->negated) {
		*mask = 0;
		return 0;
	}
	return record_parse_regs(c->value, mask, r);
}

static int parse_user_regs(const struct option_call *c, struct reason *r)
{
	struct request *q = c->settings;

	return parse_regs(c, &q->s.user_regs, r);
}

static int parse_intr_regs(const struct option_call *c, struct reason *r)
{
	struct request *q = c->settings;

	return parse_regs(c, &q->s.intr_regs, r);
}

static int parse_clock(const struct option_call *c, struct reason *r)
{
	struct request *q = c->settings;

	q->s.use_clockid = !c->negated;
	return c->negated ? 0 : record_parse_clockid(c->value, &q->s.clockid, r);
}

#define FLAG(letter, name, var, text)                                                              \
	{ OPTION_FLAG, letter, name, var, .help = text }
#define NO_FLAG(letter, name, var, text)                                                           \
	{ OPTION_FLAG, letter, name, var, .help = text, .flags = OPT_NEGATE_ONLY }
#define CALL(letter, name, param, fn, text)                                                        \
	{ OPTION_CALLBACK, letter, name, .arg = param, .set = fn, .help = text }
#define CALL_OPT(letter, name, param, fn, text)                                                    \
	{ OPTION_CALLBACK, letter, name, .arg = param, .set = fn, .help = text,                    \
	  .flags = OPT_OPTIONAL }
#define TEXT(letter, name, param, var, text)                                                       \
	{ OPTION_STRING, letter, name, var, .arg = param, .help = text }

static int parse_options(struct request *q, int *argc, const char **argv)
{
	static const char *const usage[] = { "perf record [<options>] [<command>]",
					     "perf record [<options>] -- <command> [<options>]", NULL };
	struct record_settings *s = &q->s;
	const struct option_row rows[] = {
		{ OPTION_GROUP, .help = "What to watch" },
		FLAG('a', "all-cpus", &q->target.system_wide, "everything on all CPUs"),
		TEXT('C', "cpu", "CPUS", &q->cpus, "everything on these CPUs: 0-2,5"),
		TEXT('p', "pid", "PIDS", &q->pids, "these running processes"),
		TEXT('t', "tid", "TIDS", &q->tids, "these running threads"),
		TEXT('u', "uid", "USER", &q->user, "the processes of a user"),
		NO_FLAG('i', "inherit", &q->inherit, "leave out threads and children that start later"),
		FLAG(0, "per-thread", &q->target.per_thread, "a ring for each thread, none by CPU"),
		FLAG(0, "exclude-perf", &q->exclude_perf, "leave perf itself out of tracepoints"),
		{ OPTION_GROUP, .help = "Events" },
		CALL('e', "event", "EVENT", parse_event, "what to sample; see 'perf list'"),
		CALL(0, "filter", "FILTER", parse_filter, "condition on the fields of the tracepoints before"),
		CALL('F', "freq", "HZ", parse_freq, "samples per second, or 'max'"),
		{ OPTION_U64, 'c', "count", &s->period, .arg = "N", .given = &s->period_given,
		  .help = "a sample every N events" },
		FLAG(0, "strict-freq", &q->strict_freq, "fail when the frequency is not allowed"),
		FLAG(0, "group", &q->group, "put all events in one group"),
		FLAG(0, "all-user", &s->all_user, "count all events in user space only"),
		FLAG(0, "all-kernel", &s->all_kernel, "count all events in the kernel only"),
		{ OPTION_GROUP, .help = "What a sample holds" },
		{ OPTION_CALLBACK, 'g', NULL, .set = set_fp, .help = "call chains, by frame pointers" },
		CALL(0, "call-graph", "HOW", parse_call_graph,
		     "call chains: fp[,FRAMES], dwarf[,BYTES] or lbr"),
		FLAG(0, "user-callchains", &s->user_callchains, "only the user part of call chains"),
		FLAG(0, "kernel-callchains", &s->kernel_callchains, "only the kernel part"),
		FLAG('d', "data", &s->addresses, "data addresses"),
		FLAG(0, "phys-data", &s->phys_addresses, "physical data addresses"),
		FLAG(0, "data-page-size", &s->data_page_size, "size of the page of the data address"),
		FLAG(0, "code-page-size", &s->code_page_size, "size of the page of the code address"),
		FLAG('T', "timestamp", &s->time, "the time, also with --per-thread"),
		{ OPTION_FLAG, 'P', "period", &s->period_field, .given = &s->period_field_given,
		  .help = "the period (--no-period: never)" },
		FLAG(0, "sample-cpu", &s->cpu, "the CPU"),
		FLAG(0, "sample-identifier", &s->identifier, "the event's id at a fixed place"),
		FLAG('R', "raw-samples", &s->raw, "all that the event has to say (tracepoints do anyway)"),
		NO_FLAG('n', "samples", &q->samples, "only side-band, no samples"),
		FLAG('s', "stat", &s->stat, "counts per thread, when it ends"),
		FLAG(0, "running-time", &s->running_time, "how long events ran, with their counts"),
		FLAG('W', "weight", &s->weight, "weight (cost) of the sample, where the CPU tells it"),
		FLAG(0, "transaction", &s->transaction, "flags of transactional memory"),
		{ OPTION_CALLBACK, 'b', "branch-any", .set = set_branch_any,
		  .help = "the branches taken before the sample" },
		CALL('j', "branch-filter", "FILTERS", parse_branches, "those of some kinds: any_call,u ..."),
		CALL_OPT('I', "intr-regs", "REGS", parse_intr_regs, "registers when the event hit (? lists)"),
		CALL_OPT(0, "user-regs", "REGS", parse_user_regs, "registers in user space (? lists)"),
		CALL('k', "clockid", "CLOCK", parse_clock, "clock of the times: monotonic, tai ..."),
		{ OPTION_GROUP, .help = "What else is told" },
		FLAG(0, "switch-events", &s->switch_events, "context switches"),
		FLAG(0, "namespaces", &s->namespaces, "namespaces of processes"),
		FLAG(0, "all-cgroups", &s->cgroups, "cgroups, and each sample's own"),
		NO_FLAG(0, "bpf-event", &q->bpf_event, "leave out loads of BPF programs"),
		FLAG(0, "buildid-mmap", &s->build_id_mmap, "build-ids in the mappings themselves"),
		FLAG(0, "buildid-all", &q->build_id_all, "build-ids of all objects, also without samples"),
		NO_FLAG('B', "buildid", &q->build_ids, "no build-ids in the file"),
		NO_FLAG('N', "buildid-cache", &q->build_id_cache, "no copies in the build-id cache"),
		{ OPTION_GROUP, .help = "When, where and how" },
		TEXT('o', "output", "FILE", &s->output, "file to write (perf.data)"),
		{ OPTION_DURATION, 'D', "delay", &s->delay, .arg = "MS", .unit = 1000000,
		  .help = "begin to count only after this time" },
		{ OPTION_DURATION, 0, "timeout", &s->timeout, .arg = "MS", .unit = 1000000,
		  .help = "end after this time: 500, 10s, 5m" },
		{ OPTION_SIZE, 0, "max-size", &s->max_size, .help = "end when the file is this large: 10M" },
		TEXT('m', "mmap-pages", "PAGES", &q->ring, "size of each ring, in pages or as 512K"),
		NO_FLAG(0, "buffering", &q->buffering, "write each sample at once"),
		{ OPTION_UINT, 'r', "realtime", &q->realtime, .arg = "PRIORITY",
		  .help = "run perf with this real-time priority" },
		FLAG(0, "dry-run", &q->dry_run, "check the options, record nothing"),
		{ OPTION_COUNT, 'v', "verbose", &q->ctx->verbose, .help = "say more; twice: show attrs" },
		FLAG('q', "quiet", &q->ctx->quiet, "say only errors"),
		OPT_END_ROW,
	};
	const struct options o = {
		.command = "record", .usage = usage, .rows = rows, .stop_at_command = true, .settings = q,
	};

	return options_parse(&o, argc, argv);
}

/* "?" as the value of a register option asks for their names. */
static bool asks_for_registers(int argc, const char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--user-regs=?") || !strcmp(argv[i], "--intr-regs=?") ||
		    !strcmp(argv[i], "-I?")) {
			struct strbuf b = STRBUF_INIT;

			record_list_regs(&b);
			fprintf(stderr, "available registers: %s\n", strbuf_cstr(&b));
			strbuf_release(&b);
			return true;
		}
	return false;
}

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
		if (s->freq_given)
			return reason_set(r, EINVAL, "a frequency (-F) and a period (-c) exclude each other");
		if (!s->period)
			return reason_set(r, EINVAL, "a period of 0 takes no samples");
		return 0;
	}
	if (q->max_freq && !q->ctx->quiet)
		report_note("using the highest frequency that is allowed, %llu Hz",
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
		report_warning("%llu Hz is more than the kernel allows: sampling at %llu Hz",
			       (unsigned long long)s->freq, (unsigned long long)most);
		report_hint("the limit is /proc/sys/kernel/perf_event_max_sample_rate; "
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
	if (err == -ERANGE)
		return reason_set(r, ERANGE, "CPUs '%s': the highest one here is %u", q->cpus, most);
	if (err)
		return reason_set(r, EINVAL, "'%s' is not a list of CPUs such as 0-2,5", q->cpus);
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
	if (!err && q->user)
		err = target_add_user(t, q->user, r);
	if (err)
		return err;
	if (t->system_wide && (t->tid_count || t->per_thread))
		return reason_set(r, EINVAL, "-a watches everything: it excludes -p, -t, -u and --per-thread");
	if (!has_command && !t->tid_count && !t->cpus)
		t->system_wide = true;
	return 0;
}

static int settle(struct request *q, bool has_command, struct reason *r)
{
	struct record_settings *s = &q->s;
	int err = settle_freq(q, r);

	if (!q->set.list.count)
		record_add_default_event(&q->set);
	if (q->group)
		record_make_group(&q->set);
	if (q->exclude_perf)
		record_exclude_self(&q->set);
	s->no_inherit = !q->inherit;
	s->no_buffering = !q->buffering;
	s->no_samples = !q->samples;
	s->no_bpf_event = !q->bpf_event;
	if (!err && s->all_user && s->all_kernel)
		err = reason_set(r, EINVAL, "--all-user and --all-kernel exclude each other");
	if (!err && s->user_callchains && s->kernel_callchains)
		err = reason_set(r, EINVAL, "--user-callchains and --kernel-callchains exclude each other");
	if (!err && q->ring)
		err = record_parse_ring_pages(q->ring, &s->ring_pages, r);
	return err ? err : settle_target(q, has_command, r);
}

/* Without -o, a pipe on standard output takes the data. */
static int settle_output(struct request *q, struct reason *r)
{
	struct stat st;

	if (!q->s.output)
		q->s.output = !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
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
		report_warning("cannot run with real-time priority %u: %s", q->realtime, strerror(errno));
}

static void say_lost(const struct recorder *rec)
{
	struct strbuf cause = STRBUF_INIT, remedy = STRBUF_INIT;
	struct loss_facts f;

	record_loss_facts(rec, &f);
	if (f.lost) {
		record_explain_loss(&f, &cause, &remedy);
		report_warning("%llu samples and other records were lost: %s",
			       (unsigned long long)f.lost, cause.s);
		report_hint("%s", remedy.s);
	}
	strbuf_release(&cause);
	strbuf_release(&remedy);
}

static void say_captured(const struct recorder *rec, u64 bytes)
{
	char samples[64] = "";

	if (rec->counts.samples)
		snprintf(samples, sizeof(samples), " (%llu samples)",
			 (unsigned long long)rec->counts.samples);
	fprintf(stderr, "[ perf record: Captured and wrote %.3f MB %s%s ]\n",
		(double)bytes / 1024 / 1024, rec->settings->output, samples);
}

/* Nothing ran: the old file gets its name back. */
static void undo_output(struct recorder *rec, bool had_old)
{
	char *old;

	if (!rec->writer)
		return;
	data_abandon(rec->writer);
	rec->writer = NULL;
	if (!strcmp(rec->settings->output, "-"))
		return;
	old = xasprintf("%s.old", rec->settings->output);
	if (had_old)
		rename(old, rec->settings->output);
	else
		unlink(rec->settings->output);
	free(old);
}

static bool has_old_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) && st.st_size;
}

static int finish_file(struct request *q, struct recorder *rec, struct reason *r)
{
	u64 bytes = data_offset(rec->writer) + data_written(rec->writer);
	struct data_writer *w = rec->writer;
	int err = 0;

	if (!q->ctx->quiet)
		fprintf(stderr, "[ perf record: Woken up %llu times to write data ]\n",
			(unsigned long long)rec->counts.wakeups);
	if (q->build_ids && !q->s.build_id_mmap && strcmp(q->s.output, "-"))
		err = record_add_build_ids(q->ctx, w, q->s.output, q->build_id_all, q->build_id_cache);
	rec->writer = NULL;
	if (data_finish(w, r))
		return -r->err;
	if (!q->ctx->quiet) {
		if (rec->size_limit_reached)
			fprintf(stderr, "[ perf record: perf size limit reached (%llu KB), stopping session ]\n",
				(unsigned long long)q->s.max_size >> 10);
		say_captured(rec, bytes);
		say_lost(rec);
	}
	return err;
}

/* The workload may still run when the user ended the recording: it is ended, too. */
static void end_workload(struct workload *w)
{
	int signals = record_ending_signals();

	if (!w->pid || workload_wait(w, false))
		return;
	workload_kill(w, SIGTERM);
	while (!workload_wait(w, false)) {
		if (record_ending_signals() > signals) {
			workload_kill(w, SIGKILL);
			workload_wait(w, true);
			return;
		}
		usleep(10000);
	}
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
	bool had_old = has_old_file(q->s.output);
	int err = record_open(rec, r);

	if (err)
		return err;
	/* what was taken instead of something else is good to know before it runs for long */
	report_conditions(q->ctx);
	condition_list_release(&q->ctx->conditions);
	set_realtime(q);
	err = record_start(rec, q->full_argc, (const char **)q->full_argv, r);
	if (!err)
		err = record_run(rec, r);
	if (err && rec->workload && !rec->workload->started) {
		undo_output(rec, had_old);
	} else if (err && rec->writer) {
		data_abandon(rec->writer);
		rec->writer = NULL;
	} else if (!err) {
		err = finish_file(q, rec, r);
	}
	return err;
}

static int run_request(struct request *q, bool has_command, const char **argv)
{
	struct workload w = {
		.go_fd = -1, .error_fd = -1, .stdout_to_stderr = !strcmp(q->s.output, "-"),
	};
	struct recorder rec = {
		.ctx = q->ctx, .settings = &q->s, .set = &q->set, .target = &q->target, .wake_fd = -1,
	};
	bool own = has_command && !q->target.system_wide && !q->target.cpus && !q->target.tid_count;
	struct reason r = REASON_INIT;
	int err, code = 0;

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
	end_workload(&w);
	record_close(&rec);
	if (err)
		report_reason(&r);
	else
		report_conditions(q->ctx);
	return err ? (code ? code : 1) : exit_code(&w);
}

static void release_request(struct request *q)
{
	for (int i = 0; i < q->full_argc; i++)
		free(q->full_argv[i]);
	free(q->full_argv);
	event_set_release(&q->set);
	target_release(&q->target);
}

int cmd_record(struct context *ctx, int argc, const char **argv)
{
	struct request q = {
		.ctx = ctx, .inherit = true, .buffering = true, .samples = true, .bpf_event = true,
		.build_ids = true, .build_id_cache = true,
	};
	struct reason r = REASON_INIT;
	int code;

	if (asks_for_registers(argc, argv))
		return 0;
	event_set_init(&q.set);
	keep_argv(&q, argc, argv);
	code = parse_options(&q, &argc, argv);
	if (code) {
		code = code < 0 ? 0 : code;
	} else if (settle(&q, argc > 0, &r) || settle_output(&q, &r)) {
		code = report_reason(&r);
	} else if (!q.dry_run) {
		code = run_request(&q, argc > 0, argv);
	}
	release_request(&q);
	return code;
}
