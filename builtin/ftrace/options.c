// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of perf ftrace and of its subcommands. */
#include <errno.h>
#include <string.h>

#include "builtin/ftrace/internal.h"
#include "cli/config.h"

void ftrace_init(struct ftrace *f, struct context *ctx)
{
	const char *tracer = config_get(ctx, "ftrace.tracer");

	*f = (struct ftrace){ .ctx = ctx, .tracer = tracer ? tracer : "function_graph" };
}

void ftrace_release(struct ftrace *f)
{
	strlist_release(&f->functions);
	strlist_release(&f->not_functions);
	strlist_release(&f->graph);
	strlist_release(&f->not_graph);
}

/* ---- lists of tracer options: "verbose,thresh=10" ---- */

static const struct {
	const char *name;
	enum ftrace_flag flag;
	bool graph;
} flag_names[] = {
	{ "call-graph", FTRACE_CALL_GRAPH, false },
	{ "irq-info", FTRACE_IRQ_INFO, false },
	{ "nosleep-time", FTRACE_NOSLEEP_TIME, true },
	{ "noirqs", FTRACE_NOIRQS, true },
	{ "verbose", FTRACE_VERBOSE, true },
	{ "tail", FTRACE_TAIL, true },
	{ "args", FTRACE_ARGS, true },
	{ "retval", FTRACE_RETVAL, true },
	{ "retval-hex", FTRACE_RETVAL_HEX, true },
	{ "retaddr", FTRACE_RETADDR, true },
};

static int set_number(const char *word, const char *name, u64 *to, struct reason *r)
{
	size_t n = strlen(name);

	if (strncmp(word, name, n) != 0 || word[n] != '=')
		return 0;
	if (parse_count(word + n + 1, to) || !*to)
		return reason_set(r, EINVAL, "'%s': %s is a number above 0", word, name);
	return 1;
}

static int set_word(struct ftrace *f, const char *word, bool graph, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	int done;

	for (size_t i = 0; i < ARRAY_SIZE(flag_names); i++)
		if (flag_names[i].graph == graph && !strcmp(flag_names[i].name, word)) {
			f->flags[flag_names[i].flag] = true;
			return 0;
		}
	done = graph ? set_number(word, "thresh", &f->threshold, r) : 0;
	if (!done && graph)
		done = set_number(word, "depth", &f->depth, r);
	if (done)
		return done < 0 ? done : 0;
	for (size_t i = 0; i < ARRAY_SIZE(flag_names); i++)
		if (flag_names[i].graph == graph)
			strbuf_f(&b, "%s%s", b.len ? ", " : "", flag_names[i].name);
	done = reason_set(r, EINVAL, "'%s' is not one of %s%s", word, b.s,
			  graph ? ", thresh=N, depth=N" : "");
	strbuf_release(&b);
	return done;
}

static int set_words(const struct option_call *call, struct reason *r)
{
	struct strlist words = { 0 };
	int err = 0;

	strlist_split(&words, call->value, ",");
	vec_for_each(&words.list, word)
		if (!err)
			err = set_word(call->settings, *word, call->row->unit, r);
	strlist_release(&words);
	return err;
}

/* ---- rows ---- */

static void target_rows(struct ftrace *f, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "What is watched" },
		{ OPTION_STRING, 'p', "pid", &f->pids, .arg = "PIDS", .help = "these processes" },
		{ OPTION_STRING, 0, "tid", &f->tids, .arg = "TIDS", .help = "these threads" },
		{ OPTION_FLAG, 'a', "all-cpus", &f->all_cpus,
		  .help = "the whole system (default without a command)" },
		{ OPTION_STRING, 'C', "cpu", &f->cpus, .arg = "CPUS", .help = "these CPUs: 0-2,5" },
		{ OPTION_COUNT, 'v', "verbose", &f->ctx->verbose, .help = "say more" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

#define NAMES(letter, name, list, text)                                                            \
	{                                                                                          \
		OPTION_LIST, letter, name, list, .arg = "FUNC", .flags = OPT_NO_NEGATE,            \
						 .help = text                                      \
	}

/* Adds the options that trace and profile have in common. */
static void tracer_rows(struct ftrace *f, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Functions: names, with * at their ends" },
		NAMES('T', "trace-funcs", &f->functions,
		      "trace only these; trace: with the tracer 'function'"),
		NAMES('N', "notrace-funcs", &f->not_functions, "not these"),
		NAMES('G', "graph-funcs", &f->graph, "trace these and all that they call"),
		NAMES('g', "nograph-funcs", &f->not_graph,
		      "trace neither these nor what they call"),
		{ OPTION_CALLBACK, 0, "graph-opts", NULL, .arg = "OPTION[,OPTION]...",
		  .set = set_words, .unit = true, .flags = OPT_NO_NEGATE,
		  .help = "args retval retval-hex retaddr nosleep-time noirqs verbose tail ..." },
		{ OPTION_SIZE, 'm', "buffer-size", &f->buffer, .arg = "SIZE",
		  .help = "of each CPU: 4M" },
		{ OPTION_FLAG, 0, "inherit", &f->inherit, .help = "trace children, too" },
		{ OPTION_DURATION, 'D', "delay", &f->delay, .arg = "MS", .unit = 1000000,
		  .help = "start tracing this long after the command" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void trace_rows(struct ftrace *f, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_STRING, 't', "tracer", &f->tracer, .arg = "TRACER",
		  .given = &f->tracer_given,
		  .help = "function_graph (default), function, or another of this kernel" },
		{ OPTION_STRING, 'F', "funcs", &f->list, .arg = "GLOB", .given = &f->list_given,
		  .flags = OPT_LAST_DEFAULT, .help = "list the functions that can be traced" },
		{ OPTION_CALLBACK, 0, "func-opts", NULL, .arg = "OPTION[,OPTION]...",
		  .set = set_words, .flags = OPT_NO_NEGATE,
		  .help = "of the tracer 'function': call-graph irq-info" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void latency_rows(struct ftrace *f, option_rows *rows)
{
	const struct option_row more[] = {
		NAMES('T', "trace-funcs", &f->functions,
		      "calls of this function, of the kernel or as FILE:FUNC"),
		{ OPTION_STRING, 'x', "exec", &f->exec, .arg = "FILE",
		  .help = "the program or library of the function" },
		{ OPTION_STRING, 'e', "events", &f->events, .arg = "EVENT,EVENT",
		  .help = "from one event of a thread to another" },
		{ OPTION_FLAG, 'b', "use-bpf", &f->use_bpf,
		  .help = "measure by BPF, not by a tracer" },
		{ OPTION_FLAG, 'n', "use-nsec", &f->use_nsec, .help = "show times in ns, not us" },
		{ OPTION_U64, 0, "bucket-range", &f->bucket_range, .arg = "N",
		  .help = "rows of N us (ns) each, not of powers of two" },
		{ OPTION_U64, 0, "min-latency", &f->min_latency, .arg = "N",
		  .help = "where the first row ends" },
		{ OPTION_U64, 0, "max-latency", &f->max_latency, .arg = "N",
		  .help = "where the last row begins" },
		{ OPTION_FLAG, 0, "hide-empty", &f->hide_empty,
		  .help = "leave out rows without calls" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void ftrace_option_rows(struct ftrace *f, enum ftrace_command command, option_rows *rows)
{
	const struct option_row sort = {
		OPTION_STRING, 's',          "sort",
		&f->sort,      .arg = "KEY", .help = "total (default), avg, max, count or name"
	};
	const struct option_row end = OPT_END_ROW;

	f->command = command;
	if (command == FTRACE_LATENCY)
		latency_rows(f, rows);
	else
		tracer_rows(f, rows);
	if (command == FTRACE_TRACE)
		trace_rows(f, rows);
	if (command == FTRACE_PROFILE)
		option_rows_add(rows, &sort, 1);
	target_rows(f, rows);
	option_rows_add(rows, &end, 1);
}

/* ---- options that exclude each other ---- */

static int settle_range(struct ftrace *f, const struct options *o)
{
	u64 from = f->min_latency ? f->min_latency : f->bucket_range;

	if (!f->bucket_range && (f->min_latency || f->max_latency))
		return options_usage_error(o,
					   "--min-latency and --max-latency need --bucket-range");
	if (f->max_latency && f->max_latency < from + f->bucket_range)
		return options_usage_error(
			o, "--max-latency is less than one row above --min-latency");
	if (f->max_latency && (f->max_latency - from) / f->bucket_range > LATENCY_SLOTS - 3)
		return options_usage_error(o, "that would be more than %d rows", LATENCY_SLOTS);
	return 0;
}

static int settle_latency(struct ftrace *f, const struct options *o)
{
	const char *comma = f->events ? strchr(f->events, ',') : NULL, *function;

	if (f->events && (!comma || comma == f->events || !comma[1] || strchr(comma + 1, ',')))
		return options_usage_error(o, "--events takes two: SYSTEM:NAME,SYSTEM:NAME");
	if (!f->events && !f->functions.list.count)
		return options_usage_error(o, "give a function (-T) or two events (-e) to measure");
	if (f->events && (f->functions.list.count || f->exec))
		return options_usage_error(o, "give either a function (-T) or two events (-e)");
	function = f->events ? "" : f->functions.list.items[0];
	/* only BPF sees events and programs */
	f->use_bpf |= f->events || f->exec || (strchr(function, '/') && strchr(function, ':'));
	if (f->use_bpf && f->functions.list.count > 1)
		return options_usage_error(o, "BPF measures one function");
	return settle_range(f, o);
}

int ftrace_settle(struct ftrace *f, const struct options *o, int argc)
{
	static const char *const keys[] = { "total", "avg", "max", "count", "name" };
	size_t key = 0;

	if (f->command == FTRACE_LATENCY) {
		int code = settle_latency(f, o);

		if (code)
			return code;
	}
	while (f->sort && key < ARRAY_SIZE(keys) && strcmp(f->sort, keys[key]) != 0)
		key++;
	if (key == ARRAY_SIZE(keys))
		return options_usage_error(
			o, "'%s' is not a sort key: total, avg, max, count, name", f->sort);
	if (f->pids && f->tids)
		return options_usage_error(o, "--pid and --tid exclude each other");
	if (f->buffer && f->buffer < 1024)
		return options_usage_error(o, "--buffer-size must be at least 1K");
	if (f->delay && !argc)
		return options_usage_error(
			o, "--delay counts from the start of a command, and there is none");
	return 0;
}
