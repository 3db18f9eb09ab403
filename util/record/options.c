// SPDX-License-Identifier: GPL-2.0-or-later
/* perf record: the option table. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "record/command.h"
#include "cli/options.h"
#include "event/cgroup.h"
#include "event/parse.h"
#include "event/pfm.h"

static int parse_event(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;
	const struct event_parser parser = { .command = "record",
					     .resolve = session_probe_resolve,
					     .resolve_arg = &q->probes,
					     .program = record_program_add,
					     .program_arg = &q->programs,
					     .guests = q->ctx->count_guests,
					     .no_host = q->ctx->skip_host };

	return event_parse(&parser, &q->set, c->value, r);
}

static int parse_pfm_event(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;
	const struct event_parser parser = { .command = "record",
					     .pfm = true,
					     .guests = q->ctx->count_guests,
					     .no_host = q->ctx->skip_host };

	if (!pfm_built_in())
		return reason_set(r, EOPNOTSUPP, "this perf is built without libpfm4");
	return event_parse(&parser, &q->set, c->value, r);
}

static int parse_probe(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	return session_probe_add(&q->probes, &q->set, c->value, r);
}

static int parse_filter(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;
	int err = session_probe_to_tracefs(&q->probes, &q->set, q->set.last_parse, r);

	return err ? err : event_set_filter(NULL, &q->set, c->value, FILTER_SAMPLES, r);
}

static int parse_setup_filter(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	if (strcmp(c->value, "pin") != 0 && strcmp(c->value, "unpin") != 0)
		return reason_usage(r, "'%s' is neither 'pin' nor 'unpin'", c->value);
	q->asked.setup_filter = c->value;
	return 0;
}

static int parse_freq(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	q->s.freq_given = true;
	q->asked.max_freq = !strcmp(c->value, "max");
	if (q->asked.max_freq)
		return record_max_freq(&q->s.freq, r);
	if (parse_count(c->value, &q->s.freq) || !q->s.freq) {
		reason_set(r, EINVAL, "'%s' is not a frequency in Hz", c->value);
		reason_hint(r, "a number such as 99, or 'max'");
		return -EINVAL;
	}
	return 0;
}

static int set_fp(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	q->asked.g_given = !c->negated;
	if (c->negated)
		q->s.call_graph = CALL_GRAPH_NONE;
	else if (q->s.call_graph == CALL_GRAPH_NONE)
		return record_take_call_graph(
			q, q->asked.usual_call_graph ? q->asked.usual_call_graph : "fp", r);
	return 0;
}

static int parse_call_graph(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	if (c->negated) {
		q->s.call_graph = CALL_GRAPH_NONE;
		return 0;
	}
	return record_take_call_graph(q, c->value, r);
}

static int set_branch_any(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	(void)r;
	q->s.branch_filter = c->negated ? 0 : PERF_SAMPLE_BRANCH_ANY;
	return 0;
}

static int parse_branches(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	if (c->negated)
		q->s.branch_filter = 0;
	return c->negated ? 0 : record_parse_branch_filter(c->value, &q->s.branch_filter, r);
}

static int parse_regs(const struct option_call *c, bool interrupt, u64 *mask, struct reason *r)
{
	if (c->negated) {
		*mask = 0;
		return 0;
	}
	return record_parse_regs(c->value, interrupt, mask, r);
}

static int parse_user_regs(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	return parse_regs(c, false, &q->s.user_regs, r);
}

static int parse_intr_regs(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	return parse_regs(c, true, &q->s.intr_regs, r);
}

static int parse_clock(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	q->s.use_clockid = !c->negated;
	return c->negated ? 0 : record_parse_clockid(c->value, &q->s.clockid, r);
}

static int parse_compress(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;
	u64 level = 1;

	if (c->value && (parse_count(c->value, &level) || level > 100))
		return reason_set(r, EINVAL, "'%s' is not a level of compression", c->value);
	q->s.compress_level = c->negated ? 0 : (int)level;
	return 0;
}

static int parse_require(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	if (!c->negated)
		return require_parse(&q->asked.require, c->value, r);
	require_release(&q->asked.require);
	return 0;
}

static int parse_switch_output(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	if (!c->negated)
		return record_parse_switch_output(&q->s, c->value, r);
	q->s.switch_output = (struct record_rotation){ 0 };
	return 0;
}

static int parse_snapshot(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	q->s.aux_snapshot = q->s.aux_snapshot_at_exit = false;
	return c->negated ? 0 : record_parse_snapshot(&q->s, c->value, r);
}

static int parse_aux_sample(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	q->s.aux_sample = 0;
	return c->negated ? 0 : record_parse_aux_sample(&q->s, c->value, r);
}

static int parse_switch_event(const struct option_call *c, struct reason *r)
{
	static const struct event_parser parser = { .command = "record" };
	struct record_request *q = c->settings;

	return event_parse(&parser, &q->switch_set, c->value, r);
}

static int parse_aio(const struct option_call *c, struct reason *r)
{
	enum { MOST = 4 };
	struct record_request *q = c->settings;
	u64 n = 1;

	if (c->value && (parse_count(c->value, &n) || !n || n > MOST))
		return reason_set(r, EINVAL, "'%s': 1 to %d writes may wait for each ring",
				  c->value, MOST);
	q->s.aio = c->negated ? 0 : (unsigned)n;
	return 0;
}

static int parse_affinity(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	q->s.affinity = AFFINITY_NONE;
	return c->negated ? 0 : record_parse_affinity(c->value, &q->s.affinity, r);
}

static int parse_threads(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	if (!c->negated)
		return record_parse_threads(&q->s, c->value, NULL, r);
	record_clear_threads(&q->s);
	return 0;
}

static int parse_delay(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	return record_parse_delay(&q->s, c->negated ? "0" : c->value, r);
}

static int add_cgroups(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	return event_set_cgroups(NULL, &q->set, c->value, &q->next_cgroup, r);
}

static int parse_synth(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	return record_parse_synth(c->negated ? "no" : c->value, &q->s.synth, r);
}

static int parse_off_cpu(const struct option_call *c, struct reason *r)
{
	struct record_request *q = c->settings;

	q->s.off_cpu = !c->negated;
	q->asked.off_cpu = c->value;
	if (!c->value || !strcmp(c->value, "bpf") || !strcmp(c->value, "switches"))
		return 0;
	reason_usage(r, "'%s' is not a way to measure waits", c->value);
	reason_hint(r, "'bpf' or 'switches'; without either, whichever this machine supports");
	return -EINVAL;
}

#define FLAG(letter, name, var, text)                                                              \
	{                                                                                          \
		OPTION_FLAG, letter, name, var, .help = text                                       \
	}
#define NO_FLAG(letter, name, var, text)                                                           \
	{                                                                                          \
		OPTION_FLAG, letter, name, var, .help = text, .flags = OPT_NEGATE_ONLY             \
	}
#define CALL(letter, name, param, fn, text)                                                        \
	{                                                                                          \
		OPTION_CALLBACK, letter, name, .arg = param, .set = fn, .help = text               \
	}
#define CALL_OPT(letter, name, param, fn, text)                                                    \
	{                                                                                          \
		OPTION_CALLBACK, letter, name, .arg = param, .set = fn, .help = text,              \
					       .flags = OPT_OPTIONAL                               \
	}
#define TEXT(letter, name, param, var, text)                                                       \
	{                                                                                          \
		OPTION_STRING, letter, name, var, .arg = param, .help = text                       \
	}

/*
 * Reports whether a word is the mode, which followed -g as a separate word long ago; a command of
 * that name does not exist.
 */
static bool is_old_mode(const struct record_request *q, int argc, const char **argv)
{
	static const char *const modes[] = { "fp", "dwarf", "lbr" };
	size_t n = q->asked.g_given && argc ? strcspn(*argv, ",") : 0;

	for (size_t i = 0; n && i < ARRAY_SIZE(modes); i++)
		if (n == strlen(modes[i]) && !strncmp(*argv, modes[i], n))
			return true;
	return false;
}

static void target_rows(struct record_request *q, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "What to watch" },
		FLAG('a', "all-cpus", &q->target.system_wide, "everything on all CPUs"),
		TEXT('C', "cpu", "CPUS", &q->asked.cpus, "everything on these CPUs: 0-2,5"),
		TEXT('p', "pid", "PIDS", &q->asked.pids, "these running processes"),
		TEXT('t', "tid", "TIDS", &q->asked.tids, "these running threads"),
		TEXT('u', "uid", "USER", &q->asked.user, "the processes of a user"),
		{ OPTION_CALLBACK, 'G', "cgroup", .arg = "NAME", .set = add_cgroups,
		  .flags = OPT_NO_NEGATE,
		  .help = "sample the events before it in these cgroups only" },
		TEXT(0, "for-each-cgroup", "NAME", &q->asked.for_each_cgroup,
		     "sample all events in each of these cgroups (names or regular expressions)"),
		NO_FLAG('i', "inherit", &q->asked.inherit,
			"leave out threads and children that start later"),
		FLAG(0, "per-thread", &q->target.per_thread,
		     "a ring for each thread, not for each CPU"),
		{ OPTION_FLAG, 0, "exclude-perf", &q->asked.exclude_perf,
		  .given = &q->asked.exclude_perf_given,
		  .help = "leave out perf itself, also in tracepoints (--no-exclude-perf: never)" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void event_rows(struct record_request *q, option_rows *rows)
{
	struct record_settings *s = &q->s;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Events" },
		CALL('e', "event", "EVENT", parse_event, "what to sample; see 'perf list'"),
		CALL(0, "pfm-events", "EVENT", parse_pfm_event,
		     "what to sample, by its name in libpfm4"),
		CALL(0, "probe", "[FILE ]DEFINITION", parse_probe,
		     "a probe that lives as long as the recording; see perf-probe(1)"),
		TEXT(0, "vmlinux", "FILE", &q->probes.vmlinux,
		     "the kernel's debug information, for --probe"),
		TEXT(0, "clang-path", "FILE", &q->programs.clang_path,
		     "the compiler of -e PROGRAM.c (clang)"),
		TEXT(0, "clang-opt", "OPTIONS", &q->programs.clang_options,
		     "more options for that compiler"),
		CALL(0, "filter", "FILTER", parse_filter,
		     "which samples of the -e before it to keep: by fields of a tracepoint, or of "
		     "others by ip, pid, cpu ..."),
		CALL(0, "setup-filter", "ACTION", parse_setup_filter,
		     "let ordinary users filter samples of events that are not tracepoints (pin), "
		     "or end this (unpin)"),
		CALL('F', "freq", "HZ", parse_freq, "samples per second, or 'max'"),
		{ OPTION_U64, 'c', "count", &s->period, .arg = "N", .given = &s->period_given,
		  .help = "a sample every N events" },
		FLAG(0, "strict-freq", &q->asked.strict_freq,
		     "fail when the frequency is not allowed"),
		FLAG(0, "group", &q->asked.group, "put all events in one group"),
		FLAG(0, "all-user", &s->all_user, "count all events in user space only"),
		FLAG(0, "all-kernel", &s->all_kernel, "count all events in the kernel only"),
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void sample_rows(struct record_request *q, option_rows *rows)
{
	struct record_settings *s = &q->s;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "What a sample holds" },
		{ OPTION_CALLBACK, 'g', NULL, .set = set_fp,
		  .help = "call chains, by frame pointers" },
		CALL(0, "call-graph", "HOW", parse_call_graph,
		     "call chains: fp[,FRAMES], dwarf[,BYTES][,live] or lbr"),
		FLAG(0, "user-callchains", &s->user_callchains,
		     "only the user part of call chains"),
		FLAG(0, "kernel-callchains", &s->kernel_callchains, "only the kernel part"),
		FLAG('d', "data", &s->addresses, "data addresses"),
		FLAG(0, "data-mmap", &s->data_maps, "mappings without code, too, as with -d"),
		FLAG(0, "sample-mem-info", &s->data_source,
		     "record what kind of memory answered, without addresses"),
		FLAG(0, "phys-data", &s->phys_addresses, "physical data addresses"),
		FLAG(0, "data-page-size", &s->data_page_size,
		     "record the size of the page at the data address"),
		FLAG(0, "code-page-size", &s->code_page_size,
		     "record the size of the page at the code address"),
		{ OPTION_FLAG, 'T', "timestamp", &s->time, .given = &s->time_given,
		  .help = "the time, also with --per-thread; --no-timestamp: never" },
		{ OPTION_FLAG, 'P', "period", &s->period_field, .given = &s->period_field_given,
		  .help = "the period (--no-period: never)" },
		FLAG(0, "sample-cpu", &s->cpu, "the CPU"),
		FLAG(0, "sample-identifier", &s->identifier, "the event's id at a fixed place"),
		FLAG('R', "raw-samples", &s->raw,
		     "raw data of the event (always recorded for tracepoints)"),
		NO_FLAG('n', "samples", &q->asked.samples, "only side-band, no samples"),
		FLAG('s', "stat", &s->stat, "counts per thread, when it ends"),
		FLAG(0, "running-time", &s->running_time, "how long events ran, with their counts"),
		FLAG('W', "weight", &s->weight,
		     "weight (cost) of the sample, where the CPU reports it"),
		FLAG(0, "transaction", &s->transaction, "flags of transactional memory"),
		{ OPTION_CALLBACK, 'b', "branch-any", .set = set_branch_any,
		  .help = "the branches taken before the sample" },
		CALL('j', "branch-filter", "FILTERS", parse_branches,
		     "record only branches of these kinds: any_call,u ..."),
		CALL_OPT('I', "intr-regs", "REGS", parse_intr_regs,
			 "registers when the event hit (? lists)"),
		CALL_OPT(0, "user-regs", "REGS", parse_user_regs,
			 "registers in user space (? lists)"),
		CALL('k', "clockid", "CLOCK", parse_clock,
		     "clock of the times: monotonic, tai ..."),
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void side_rows(struct record_request *q, option_rows *rows)
{
	struct record_settings *s = &q->s;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Other records" },
		FLAG(0, "switch-events", &s->switch_events, "context switches"),
		FLAG(0, "latency", &q->asked.latency,
		     "record what perf report --latency needs: context switches"),
		FLAG(0, "namespaces", &s->namespaces, "namespaces of processes"),
		FLAG(0, "all-cgroups", &s->cgroups,
		     "record cgroups, and the cgroup of each sample"),
		NO_FLAG(0, "bpf-event", &q->asked.bpf_event, "do not record loaded BPF programs"),
		FLAG(0, "buildid-mmap", &s->build_id_mmap, "build-ids in the mappings themselves"),
		FLAG(0, "buildid-all", &q->asked.build_id_all,
		     "build-ids of all objects, also without samples"),
		{ OPTION_FLAG, 'B', "buildid", &q->asked.build_ids, .flags = OPT_NEGATE_ONLY,
		  .given = &q->asked.build_ids_given, .help = "no build-ids in the file" },
		DEBUGINFOD_ROW(&q->asked.debuginfod),
		NO_FLAG('N', "buildid-cache", &q->asked.build_id_cache,
			"no copies in the build-id cache"),
		CALL(0, "synth", "WHAT", parse_synth,
		     "what to record about processes that already run: no, all, task, mmap, "
		     "cgroup"),
		{ OPTION_UINT, 0, "num-thread-synthesize", &s->synth_threads, .arg = "N",
		  .help = "describe the processes that already run with N threads" },
		{ OPTION_DURATION, 0, "proc-map-timeout", &s->map_timeout, .arg = "MS",
		  .unit = 1000000,
		  .help = "time limit in ms for reading the maps of one process (500)" },
		FLAG(0, "tail-synthesize", &s->tail_synth,
		     "describe the running processes at the end, not at the start"),
		FLAG(0, "timestamp-boundary", &q->asked.timestamp_boundary,
		     "times of the first and last sample in the header, also with -B"),
		CALL_OPT(0, "off-cpu", "HOW", parse_off_cpu,
			 "waits off the CPU, too, as the event offcpu-time: by bpf or by switches"),
		{ OPTION_DURATION, 0, "off-cpu-thresh", &s->off_cpu_threshold, .arg = "MS",
		  .unit = 1000000, .given = &q->asked.off_cpu_threshold_given,
		  .help = "longer waits have samples of their own (500), shorter ones are summed "
			  "up" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void how_rows(struct record_request *q, option_rows *rows)
{
	struct record_settings *s = &q->s;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "When, where and how" },
		TEXT('o', "output", "FILE", &s->output, "file to write (perf.data)"),
		CALL_OPT('z', "compression-level", "LEVEL", parse_compress,
			 "compress with zstd: 1 (quick, if not given) to 22"),
		CALL_OPT(0, "aio", "N", parse_aio,
			 "write in another thread; up to N (1 to 4) writes of each ring may wait"),
		CALL(0, "affinity", "node|cpu", parse_affinity,
		     "empty each ring on its own NUMA node or CPU"),
		CALL_OPT(0, "threads", "SPEC", parse_threads,
			 "threads write a file for each CPU: by cpu, core, package, numa or "
			 "CPUS/AFFINITY:..."),
		FLAG(0, "kcore", &s->kcore,
		     "write a directory, with a copy of the kernel's code from /proc/kcore"),
		CALL_OPT(0, "switch-output", "WHEN", parse_switch_output,
			 "switch to a new file at a signal (SIGUSR2), a size (100M) or a time "
			 "(30s)"),
		CALL(0, "switch-output-event", "EVENT", parse_switch_event,
		     "switch to a new file when this event hits anywhere, or in the tasks of -p, "
		     "-t, -u"),
		{ OPTION_U64, 0, "switch-max-files", &s->switch_output.max_files, .arg = "N",
		  .help = "with --switch-output keep the last N files" },
		FLAG(0, "timestamp-filename", &s->timestamp_filename,
		     "append the time to the file's name"),
		FLAG(0, "overwrite", &s->overwrite,
		     "rings keep the newest records; they are written at a switch and at the end"),
		{ OPTION_SIZE, 0, "mmap-flush", &s->flush_bytes,
		  .help = "do not empty a ring that holds less than this" },
		CALL('D', "delay", "MS", parse_delay,
		     "start after this time; -1: when --control enables it; 10-20,30-40: in these "
		     "ranges"),
		TEXT(0, "control", "fd:CTL[,ACK]|fifo:CTL[,ACK]", &q->asked.control,
		     "take the commands enable, disable, snapshot, evlist, ping and stop from "
		     "there"),
		{ OPTION_DURATION, 0, "timeout", &s->timeout, .arg = "MS", .unit = 1000000,
		  .help = "end after this time: 500, 10s, 5m" },
		{ OPTION_SIZE, 0, "max-size", &s->max_size,
		  .help = "end when the file is this large: 10M" },
		TEXT('m', "mmap-pages", "PAGES[,AUX]", &q->asked.ring,
		     "size of each ring, and of each AUX area, in pages or as 512K"),
		CALL_OPT('S', "snapshot", "[SIZE][e]", parse_snapshot,
			 "write only the newest AUX data, at SIGUSR2 (e: also at the end)"),
		CALL_OPT(0, "aux-sample", "SIZE", parse_aux_sample,
			 "put this much AUX data into the samples of its group"),
		NO_FLAG(0, "buffering", &q->asked.buffering, "write each sample at once"),
		{ OPTION_UINT, 'r', "realtime", &q->asked.realtime, .arg = "PRIORITY",
		  .help = "run perf with this real-time priority" },
		{ OPTION_CALLBACK, 0, "require", .set = parse_require, .arg = "COND[,COND]...",
		  .flags = OPT_YIELDS,
		  .help = "exit with 3 unless whole>=90%, named>=95%, lost<1%, samples>=1000 ... "
			  "hold" },
		FLAG(0, "dry-run", &q->asked.dry_run, "check the options, record nothing"),
		{ OPTION_COUNT, 'v', "verbose", &q->ctx->verbose,
		  .help = "be verbose; twice: show attrs" },
		NO_FLAG(0, "summary", &q->asked.summary,
			"leave out the lines that say what was recorded"),
		FLAG('q', "quiet", &q->ctx->quiet, "say only errors"),
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void record_option_rows(struct record_request *q, option_rows *rows)
{
	target_rows(q, rows);
	event_rows(q, rows);
	sample_rows(q, rows);
	side_rows(q, rows);
	how_rows(q, rows);
}

static void note_use(void *settings, const struct option_row *row)
{
	static const char *const others[] = { "setup-filter", "verbose", "quiet" };
	struct record_request *q = settings;

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (row->long_name && !strcmp(row->long_name, others[i]))
			return;
	if (*q->asked.of_recording)
		return;
	if (row->long_name)
		snprintf(q->asked.of_recording, sizeof(q->asked.of_recording), "--%s",
			 row->long_name);
	else
		snprintf(q->asked.of_recording, sizeof(q->asked.of_recording), "-%c",
			 row->short_name);
}

int record_request_parse(struct record_request *q, int *argc, const char **argv)
{
	static const char *const usage[] = { "perf record [<options>] [<command>]",
					     "perf record [<options>] -- <command> [<options>]",
					     NULL };
	option_rows rows = VEC_INIT;
	struct options o = { .command = "record",
			     .usage = usage,
			     .stop_at_command = true,
			     .settings = q,
			     .used = note_use };
	struct reason why = REASON_INIT;
	int code;

	record_option_rows(q, &rows);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	o.rows = rows.items;
	code = options_parse(&o, argc, argv);
	if (!code && is_old_mode(q, *argc, argv)) {
		code = record_parse_call_graph(&q->s, *argv, &why)
			       ? options_usage_error(&o, "%s", why.text)
			       : 0;
		reason_release(&why);
		if (!code)
			code = options_parse(&o, argc, argv);
	}
	vec_release(&rows);
	return code;
}

bool record_lists_registers(int argc, const char **argv, struct strbuf *names)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--user-regs=?") || !strcmp(argv[i], "--intr-regs=?") ||
		    !strcmp(argv[i], "-I?")) {
			record_list_regs(argv[i][2] != 'u', names);
			return true;
		}
	return false;
}

bool record_take_word(struct context *ctx, int *argc, const char **argv, const char *word)
{
	const struct option_row end = OPT_END_ROW;
	option_rows rows = VEC_INIT;
	struct record_request q;
	struct options o = { .command = "record" };
	bool taken;

	record_request_init(&q, ctx, 0, NULL);
	record_option_rows(&q, &rows);
	option_rows_add(&rows, &end, 1);
	o.rows = rows.items;
	taken = options_take_word(&o, argc, argv, word);
	vec_release(&rows);
	record_request_release(&q);
	return taken;
}
