// SPDX-License-Identifier: GPL-2.0-or-later
/* perf diff: profiles of several recordings side by side. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "builtin-diff.h"
#include "cli/color.h"
#include "cli/config.h"
#include "cli/options.h"
#include "cli/say.h"
#include "script/raw_dump.h"

/* ---- from a file to its histogram ---- */

static bool keep_sample(void *arg, const struct sample *s, const struct order_key *key)
{
	(void)key;
	return sample_choice_keep(&((struct diff_file *)arg)->choice, s);
}

static int add_sample(void *arg, unsigned worker, const struct session_sample *s,
		      struct reason *r)
{
	struct diff_file *f = arg;
	const struct hist_sample h = {
		.sample = s->sample, .key = &s->key, .task = s->task, .comm = s->comm,
		.leaf = s->leaf, .swap = session_events(f->session)->swap,
	};

	(void)r;
	hist_collector_add(f->collectors[worker], &h);
	return 0;
}

static int prepare(struct diff_command *c, struct diff_file *f, struct reason *r)
{
	int err;

	f->hist = hist_new(c->ctx, session_events(f->session), session_history(f->session),
			   session_images(f->session), &c->set);
	err = hist_set_keys(f->hist, c->sort ? c->sort : "dso,symbol", NULL, false, r);
	c->wrong_use |= err == -EINVAL;
	if (!err && (session_events(f->session)->sample_type_any & PERF_SAMPLE_RAW))
		hist_set_tracepoints(f->hist, data_tracepoints(session_data(f->session), NULL));
	return err;
}

static int collect(struct diff_file *f, struct reason *r)
{
	const struct session_ops ops = {
		.order = SESSION_SUMS, .sample = add_sample, .no_chains = true,
		.filter = sample_choice_any(&f->choice) ? keep_sample : NULL,
	};
	int err;

	f->collector_count = session_workers(f->session);
	f->collectors = xcalloc(f->collector_count, sizeof(struct hist_collector *));
	for (unsigned i = 0; i < f->collector_count; i++)
		f->collectors[i] = hist_collector_new(f->hist);
	err = session_run(f->session, &ops, f, r);
	if (!err)
		err = hist_finish(f->hist, f->collectors, f->collector_count,
				  session_symbols(f->session), r);
	for (unsigned i = 0; i < f->collector_count; i++)
		hist_collector_free(f->collectors[i]);
	free(f->collectors);
	return err;
}

int diff_open_file(struct diff_command *c, struct diff_file *f, struct reason *r)
{
	int err;

	c->open.input = f->path;
	err = session_open(c->ctx, &c->open, &f->session, r);
	if (!err)
		err = sample_choice_cpus(&f->choice, c->cpus, r);
	return err ? err : sample_choice_open(&f->choice, f->time, f->session, r);
}

static int read_file(struct diff_command *c, struct diff_file *f, struct reason *r)
{
	int err = diff_open_file(c, f, r);

	if (!err)
		err = prepare(c, f, r);
	return err ? err : collect(f, r);
}

static void release_file(struct diff_file *f)
{
	branch_profile_free(f->branches);
	line_store_free(f->lines);
	sample_choice_release(&f->choice);
	hist_free(f->hist);
	session_free(f->session);
}

/* ---- tables ---- */

/* Rows only in the others are of no event of the baseline: they are not shown. */
static void warn_lone_events(const struct diff_command *c, const struct diff *d)
{
	for (size_t f = 1; f < c->file_count; f++) {
		bool any = false;

		for (size_t i = 0; i < diff_table_count(d); i++)
			any |= diff_table(d, i)->totals[f].present;
		if (!any)
			say_warning("'%s' and '%s' have no event in common", c->files[0].path,
				       c->files[f].path);
	}
}

static void say_sureness(const struct diff_command *c, const struct diff_table *t,
			 struct out *out)
{
	if (t->row_count && c->draw.confidence && !c->draw.no_heads && !c->draw.separator &&
	    !diff_changed_rows(&c->diff, t))
		out_f(out, "#\n# No significant change (%.4g%% confidence)\n",
		      100 * c->diff.level);
}

static int print_tables(struct diff_command *c)
{
	const char **paths = xcalloc(c->file_count, sizeof(*paths));
	struct hist **hists = xcalloc(c->file_count, sizeof(struct hist *));
	struct diff *d;
	struct out out;
	bool first = true;

	for (size_t f = 0; f < c->file_count; f++) {
		paths[f] = c->files[f].path;
		hists[f] = c->files[f].hist;
	}
	c->draw.paths = paths;
	d = diff_new(hists, c->file_count, &c->diff, c->ctx->verbose > 0);
	out_init(&out, STDOUT_FILENO);
	for (size_t i = 0; i < diff_table_count(d); i++) {
		const struct diff_table *t = diff_table(d, i);

		if (!t->row_count && diff_table_count(d) > 1)
			continue;
		if (!first && !c->draw.no_heads)
			out_str(&out, "\n");
		first = false;
		diff_table_text(&c->diff, t, &c->draw, out_buf(&out));
		say_sureness(c, t, &out);
		out_done(&out);
	}
	warn_lone_events(c, d);
	diff_free(d);
	free(paths);
	free(hists);
	return say_output(out_release(&out));
}

static int dump_files(struct diff_command *c, struct reason *r)
{
	struct out out;
	int err = 0, written;

	out_init(&out, STDOUT_FILENO);
	for (size_t i = 0; !err && i < c->file_count; i++) {
		struct diff_file *f = &c->files[i];

		c->open.input = f->path;
		err = session_open(c->ctx, &c->open, &f->session, r);
		if (!err)
			err = raw_dump(f->session, true, false, &out, r);
	}
	written = out_release(&out);
	return err ? err : say_output(written);
}

static int compare(struct diff_command *c, struct reason *r)
{
	if (c->dump)
		return dump_files(c, r);
	if (c->stream || c->diff.method == DIFF_CYCLES)
		return diff_branches(c, r);
	for (size_t i = 0; i < c->file_count; i++) {
		int err = read_file(c, &c->files[i], r);

		if (err)
			return err;
	}
	return print_tables(c);
}

static int run(struct diff_command *c)
{
	struct reason r = REASON_INIT;
	int code = compare(c, &r);

	if (code < 0) {
		say_reason(&r);
		code = c->wrong_use ? EXIT_USAGE : 1;
	}
	if (say_conditions(c->ctx) && !code)
		code = 1;
	for (size_t i = 0; i < c->file_count; i++)
		release_file(&c->files[i]);
	return code;
}

/* ---- options ---- */

static int set_names(const struct option_call *call, struct reason *r)
{
	if (!call->value)
		return 0;
	return sample_choice_names(call->row->value, call->row->long_name, call->value, r);
}

static int set_confidence(const struct option_call *call, struct reason *r)
{
	struct diff_command *c = call->settings;
	char *end = NULL;
	double v;

	c->confidence_given = true;
	c->draw.confidence = !call->negated;
	if (!call->value)
		return 0;
	v = strtod(call->value, &end);
	if (end == call->value || (*end && strcmp(end, "%")) || !(v > 0 && v < 100))
		return reason_set(r, EINVAL, "--confidence: '%s' is not a percentage between 0 "
				  "and 100", call->value);
	c->diff.level = v / 100;
	return 0;
}

/* No file: the last two recordings; one: it against the one before the last. */
static void take_files(struct diff_command *c, int argc, const char **argv)
{
	c->file_count = argc > 2 ? (size_t)argc : 2;
	c->files = xcalloc(c->file_count, sizeof(*c->files));
	c->files[0].path = argc > 1 ? argv[0] : "perf.data.old";
	c->files[1].path = argc > 1 ? argv[1] : argc ? argv[0] : "perf.data";
	for (int i = 2; i < argc; i++)
		c->files[i].path = argv[i];
}

/* "RANGE" for all, or one for each file with ':' between. */
static int take_times(struct diff_command *c, struct strlist *times, struct reason *r)
{
	if (!c->time)
		return 0;
	for (const char *p = c->time;; p++) {
		size_t len = strcspn(p, ":");
		char *part = xstrndup(p, len);

		strlist_add(times, part);
		free(part);
		p += len;
		if (!*p)
			break;
	}
	if (times->list.count != 1 && times->list.count != c->file_count)
		return reason_set(r, EINVAL, "--time has %zu ranges for %zu files",
				  times->list.count, c->file_count);
	for (size_t f = 0; f < c->file_count; f++) {
		const char *t = times->list.items[times->list.count == 1 ? 0 : f];

		c->files[f].time = *t ? t : NULL;
	}
	return 0;
}

static int take_percentage(struct diff_command *c, struct reason *r)
{
	const char *how = c->percentage ? c->percentage
					: config_get(c->ctx, "hist.percentage");

	if (how && strcmp(how, "absolute") && strcmp(how, "relative"))
		return reason_set(r, EINVAL, "--percentage is 'relative' or 'absolute', not '%s'",
				  how);
	c->set.relative = how && !strcmp(how, "relative");
	return 0;
}

static int take_order(struct diff_command *c, struct reason *r)
{
	const char *config = config_get(c->ctx, "diff.order");
	u64 v = 1;

	if (c->order_given)
		v = c->order;
	else if (config && parse_u64(config, &v))
		return reason_set(r, EINVAL, "diff.order: '%s' is not a number", config);
	if (v >= c->file_count)
		return reason_set(r, EINVAL, "--order %" PRIu64 ": the files are numbered 0 to %zu",
				  v, c->file_count - 1);
	c->diff.order = (u32)v;
	return 0;
}

static int take_apart(struct diff_command *c, struct strlist *times, struct reason *r)
{
	const char *compute = c->compute ? c->compute : config_get(c->ctx, "diff.compute");
	struct sample_choice trial = { 0 };
	int err = compute ? diff_method_parse(&c->diff, compute, r) : 0;

	if (!err && c->histogram && c->diff.method != DIFF_CYCLES)
		err = reason_set(r, EINVAL, "--cycles-hist needs -c cycles");
	if (!err)
		err = take_percentage(c, r);
	if (!err)
		err = take_order(c, r);
	if (!err)
		err = take_times(c, times, r);
	if (!err)
		err = sample_choice_cpus(&trial, c->cpus, r);
	sample_choice_release(&trial);
	if (!err && c->pids)
		err = parse_task_numbers("--pid", c->pids, &c->set.pids, &c->set.pid_count, r);
	if (!err && c->tids)
		err = parse_task_numbers("--tid", c->tids, &c->set.tids, &c->set.tid_count, r);
	c->set.verbose = c->ctx->verbose > 0;
	c->set.squares = true; /* for the intervals */
	c->draw.verbose = c->ctx->verbose > 0 && !c->ctx->quiet;
	c->draw.no_heads = c->ctx->quiet;
	c->draw.color = color_wanted(c->ctx, STDOUT_FILENO);
	if (!c->confidence_given)
		c->draw.confidence = !c->draw.separator;
	c->open.symbols.symfs = c->open.symbols.symfs ? c->open.symbols.symfs : c->ctx->symfs;
	c->open.symbols.no_demangle = !c->demangle;
	c->open.symbols.buildid_dir = c->ctx->buildid_dir;
	return err;
}

static int take_apart_and_run(struct diff_command *c, int argc, const char **argv)
{
	struct strlist times = { 0 };
	struct reason r = REASON_INIT;
	int code;

	take_files(c, argc, argv);
	if (take_apart(c, &times, &r)) {
		say_reason(&r);
		code = EXIT_USAGE;
	} else {
		code = run(c);
	}
	strlist_release(&times);
	strlist_release(&c->set.comms);
	strlist_release(&c->set.dsos);
	strlist_release(&c->set.symbols);
	free(c->set.pids);
	free(c->set.tids);
	free(c->files);
	return code;
}

int cmd_diff(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = {
		"perf diff [<options>] [BASELINE] [FILE]...", NULL,
	};
	struct diff_command c = {
		.ctx = ctx, .demangle = true,
		.set = { .call_sites = true, .time_quantum = 100000000 },
		.diff = { .method = DIFF_DELTA_ABS, .level = 0.95 },
	};
	struct symbol_options *sym = &c.open.symbols;
	const struct option_row rows[] = {
		{ OPTION_COUNT, 'v', "verbose", &ctx->verbose,
		  .help = "show addresses, full object names and the files' names" },
		{ OPTION_FLAG, 'q', "quiet", &ctx->quiet, .help = "print rows only, no heads" },
		{ OPTION_FLAG, 'f', "force", &c.open.force,
		  .help = "do not ask who owns the files" },
		{ OPTION_FLAG, 'D', "dump-raw-trace", &c.dump, .flags = OPT_NO_NEGATE,
		  .help = "print every record of the files instead" },
		{ OPTION_GROUP, .help = "What is compared" },
		{ OPTION_STRING, 'c', "compute", &c.compute, .arg = "METHOD",
		  .help = "delta-abs (default), delta, ratio, wdiff:WEIGHT,WEIGHT, cycles" },
		{ OPTION_CALLBACK, 0, "confidence", NULL, .set = set_confidence,
		  .flags = OPT_OPTIONAL, .arg = "PERCENT",
		  .help = "where the true difference lies, by the number of samples "
			  "(default: 95; not with -t)" },
		{ OPTION_FLAG, 0, "cycles-hist", &c.histogram,
		  .help = "with -c cycles: deviation and histogram of both" },
		{ OPTION_FLAG, 0, "stream", &c.stream,
		  .help = "compare the most frequent runs of branches instead" },
		{ OPTION_STRING, 's', "sort", &c.sort, .arg = "KEY[,KEY]...",
		  .help = "match rows by these keys (default: dso,symbol)" },
		{ OPTION_UINT, 'o', "order", &c.order, .arg = "N", .given = &c.order_given,
		  .help = "sort by file N's difference; 0: by the baseline (default: 1)" },
		{ OPTION_FLAG, 'b', "baseline-only", &c.diff.baseline_only,
		  .help = "only what the baseline and another file have" },
		{ OPTION_STRING, 0, "percentage", &c.percentage, .arg = "relative|absolute",
		  .help = "of what passes the filters, or of everything" },
		{ OPTION_GROUP, .help = "Columns" },
		{ OPTION_FLAG, 'p', "period", &c.draw.period,
		  .help = "show the periods that are compared" },
		{ OPTION_FLAG, 'F', "formula", &c.draw.formula,
		  .help = "show how the difference is computed" },
		{ OPTION_STRING, 't', "field-separator", &c.draw.separator, .arg = "CHAR",
		  .help = "part the columns by CHAR, without filling up" },
		{ OPTION_GROUP, .help = "Which samples" },
		{ OPTION_CALLBACK, 'C', "comms", &c.set.comms, .set = set_names,
		  .arg = "COMM[,COMM]...", .help = "only these commands; file://NAME: a list" },
		{ OPTION_CALLBACK, 'd', "dsos", &c.set.dsos, .set = set_names,
		  .arg = "DSO[,DSO]...", .help = "only these objects" },
		{ OPTION_CALLBACK, 'S', "symbols", &c.set.symbols, .set = set_names,
		  .arg = "SYMBOL[,SYMBOL]...", .help = "only these functions" },
		{ OPTION_STRING, 0, "pid", &c.pids, .arg = "PID[,PID]...",
		  .help = "only these processes" },
		{ OPTION_STRING, 0, "tid", &c.tids, .arg = "TID[,TID]...",
		  .help = "only these threads" },
		{ OPTION_STRING, 0, "cpu", &c.cpus, .arg = "CPU[,CPU-CPU]...",
		  .help = "only these CPUs" },
		{ OPTION_STRING, 0, "time", &c.time, .arg = "RANGE[:RANGE]...",
		  .help = "only START,STOP in seconds, or parts as 10%/2; one for each file" },
		{ OPTION_GROUP, .help = "Symbols" },
		{ OPTION_STRING, 'k', "vmlinux", &sym->vmlinux, .arg = "FILE",
		  .help = "the kernel's ELF file" },
		{ OPTION_STRING, 0, "kallsyms", &sym->kallsyms, .arg = "FILE",
		  .help = "the kernel's symbol list" },
		{ OPTION_FLAG, 'm', "modules", &sym->use_modules,
		  .given = &sym->modules_given,
		  .help = "read the modules' files too" },
		{ OPTION_STRING, 0, "symfs", &sym->symfs, .arg = "DIR[,flat]",
		  .help = "look for objects below DIR" },
		{ OPTION_FLAG, 0, "demangle", &c.demangle,
		  .help = "show names as the source has them" },
		OPT_END_ROW,
	};
	const struct options o = {
		.command = "diff", .usage = usage, .rows = rows, .settings = &c,
	};
	int code = options_parse(&o, &argc, argv);

	if (code)
		return code < 0 ? 0 : code;
	return take_apart_and_run(&c, argc, argv);
}
