// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of perf diff, and what they mean. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "builtin/diff/command.h"
#include "cli/color.h"
#include "cli/config.h"
#include "cli/options.h"

static int set_names(const struct option_call *call, struct reason *r)
{
	if (!call->value)
		return 0;
	return sample_choice_names(call->row->value, call->row->long_name, call->value, r);
}

static int set_confidence(const struct option_call *call, struct reason *r)
{
	struct diff_command *c = call->settings;
	double v;

	c->confidence_given = true;
	c->draw.confidence = !call->negated;
	if (!call->value)
		return 0;
	if (parse_percent(call->value, &v) || !(v > 0 && v < 100))
		return reason_set(r, EINVAL,
				  "--confidence: '%s' is not a percentage between 0 "
				  "and 100",
				  call->value);
	c->diff.level = v / 100;
	return 0;
}

/* Takes "RANGE" for all files, or one for each file with ':' between. */
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
	const char *how = c->percentage ? c->percentage : config_get(c->ctx, "hist.percentage");

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
	else if (config && parse_count(config, &v))
		return reason_set(r, EINVAL, "diff.order: '%s' is not a number", config);
	if (v >= c->file_count)
		return reason_set(r, EINVAL, "--order %" PRIu64 ": the files are numbered 0 to %zu",
				  v, c->file_count - 1);
	c->diff.order = (u32)v;
	return 0;
}

/* Refuses --require where no table of samples is made. */
static int check_require(const struct diff_command *c, struct reason *r)
{
	const char *other = c->dump                         ? "-D"
			    : c->stream                     ? "--stream"
			    : c->diff.method == DIFF_CYCLES ? "-c cycles"
							    : NULL;

	if (!c->require.list.count || !other)
		return 0;
	return reason_set(r, EINVAL,
			  "--require and %s exclude each other: %s makes no table of samples",
			  other, other);
}

int diff_command_parse(struct diff_command *c, struct strlist *times, struct reason *r)
{
	const char *compute = c->compute ? c->compute : config_get(c->ctx, "diff.compute");
	struct sample_choice trial = { 0 };
	int err = compute ? diff_method_parse(&c->diff, compute, r) : 0;

	if (!err && c->histogram && c->diff.method != DIFF_CYCLES)
		err = reason_set(r, EINVAL, "--cycles-hist needs -c cycles");
	if (!err)
		err = check_require(c, r);
	if (!err)
		err = diff_check_brief(c, r);
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
	c->diff.sure_first = c->draw.confidence;
	return err;
}

void diff_command_init(struct diff_command *c, struct context *ctx)
{
	*c = (struct diff_command){
		.ctx = ctx,
		.set = { .call_sites = true, .time_quantum = 100000000 },
		.diff = { .method = DIFF_DELTA_ABS, .level = 0.95 },
	};
	analysis_init(&c->a, ctx);
}

static int set_require(const struct option_call *call, struct reason *r)
{
	struct diff_command *c = call->settings;

	if (!call->negated)
		return require_parse(&c->require, call->value, r);
	require_release(&c->require);
	return 0;
}

static void general_rows(struct diff_command *c, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_COUNT, 'v', "verbose", &c->ctx->verbose,
		  .help = "show addresses, full object names and the files' names" },
		{ OPTION_FLAG, 'q', "quiet", &c->ctx->quiet,
		  .help = "print rows only, without headings" },
		{ OPTION_FLAG, 'f', "force", &c->a.open.force,
		  .help = "read the files even if another user owns them" },
		{ OPTION_CALLBACK, 0, "brief", .set = diff_set_brief, .arg = "BYTES",
		  .flags = OPT_OPTIONAL | OPT_YIELDS,
		  .help = "print what changed beyond chance in at most BYTES (default: 4096)" },
		{ OPTION_CALLBACK, 0, "require", .set = set_require, .arg = "COND[,COND]...",
		  .flags = OPT_YIELDS,
		  .help = "exit with 3 unless named>=95%, lost<1%, samples>=1000 ... hold of each "
			  "file" },
		{ OPTION_FLAG, 'D', "dump-raw-trace", &c->dump, .flags = OPT_NO_NEGATE,
		  .help = "print every record of the files instead" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void compared_rows(struct diff_command *c, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "What is compared" },
		{ OPTION_STRING, 'c', "compute", &c->compute, .arg = "METHOD",
		  .help = "delta-abs (default), delta, ratio, wdiff:WEIGHT,WEIGHT, cycles" },
		{ OPTION_CALLBACK, 0, "confidence", NULL, .set = set_confidence,
		  .flags = OPT_OPTIONAL, .arg = "PERCENT",
		  .help = "where the true difference lies, by the number of samples "
			  "(default: 95; not with -t)" },
		{ OPTION_FLAG, 0, "cycles-hist", &c->histogram,
		  .help = "with -c cycles: deviation and histogram of both" },
		{ OPTION_FLAG, 0, "stream", &c->stream,
		  .help = "compare the most frequent runs of branches instead" },
		{ OPTION_STRING, 's', "sort", &c->sort, .arg = "KEY[,KEY]...",
		  .help = "match rows by these keys (default: dso,symbol)" },
		{ OPTION_UINT, 'o', "order", &c->order, .arg = "N", .given = &c->order_given,
		  .help = "sort by file N's difference; 0: by the baseline (default: 1)" },
		{ OPTION_FLAG, 'b', "baseline-only", &c->diff.baseline_only,
		  .help = "only rows that the baseline and another file have" },
		{ OPTION_STRING, 0, "percentage", &c->percentage, .arg = "relative|absolute",
		  .help = "percentages of what passes the filters, or of everything" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void column_rows(struct diff_command *c, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Columns" },
		{ OPTION_FLAG, 'p', "period", &c->draw.period,
		  .help = "show the periods that are compared" },
		{ OPTION_FLAG, 'F', "formula", &c->draw.formula,
		  .help = "show how the difference is computed" },
		{ OPTION_STRING, 't', "field-separator", &c->draw.separator, .arg = "CHAR",
		  .help = "separate the columns with CHAR, without padding" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void sample_rows(struct diff_command *c, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Which samples" },
		{ OPTION_CALLBACK, 'C', "comms", &c->set.comms, .set = set_names,
		  .arg = "COMM[,COMM]...", .help = "only these commands; file://NAME: a list" },
		{ OPTION_CALLBACK, 'd', "dsos", &c->set.dsos, .set = set_names,
		  .arg = "DSO[,DSO]...", .help = "only these objects" },
		{ OPTION_CALLBACK, 'S', "symbols", &c->set.symbols, .set = set_names,
		  .arg = "SYMBOL[,SYMBOL]...", .help = "only these functions" },
		{ OPTION_STRING, 0, "pid", &c->pids, .arg = "PID[,PID]...",
		  .help = "only these processes" },
		{ OPTION_STRING, 0, "tid", &c->tids, .arg = "TID[,TID]...",
		  .help = "only these threads" },
		{ OPTION_STRING, 0, "cpu", &c->cpus, .arg = "CPU[,CPU-CPU]...",
		  .help = "only these CPUs" },
		{ OPTION_STRING, 0, "time", &c->time, .arg = "RANGE[:RANGE]...",
		  .help = "only START,STOP in seconds, or parts as 10%/2; one for each file" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void diff_command_rows(struct diff_command *c, option_rows *rows)
{
	const struct option_row end = OPT_END_ROW;

	general_rows(c, rows);
	compared_rows(c, rows);
	column_rows(c, rows);
	sample_rows(c, rows);
	symbol_option_rows(rows, &c->a);
	option_rows_add(rows, &end, 1);
}
