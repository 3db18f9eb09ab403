// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report: the options, and what their texts mean. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/guard.h"
#include "builtin/report/internal.h"
#include "cli/color.h"
#include "cli/config.h"
#include "spe/decode.h"

static int set_graph(const struct option_call *call, struct reason *r)
{
	struct report *p = call->settings;

	p->o.what.no_graph = call->negated;
	p->o.what.graph_given = !call->negated;
	if (call->negated || !call->value)
		return 0;
	return call_graph_parse(&p->o.what.set.graph, call->value, r);
}

static int set_inverted(const struct option_call *call, struct reason *r)
{
	struct report *p = call->settings;

	(void)r;
	p->o.what.set.graph.caller = !call->negated;
	p->o.what.set.graph.order_given = true;
	p->o.what.graph_given = true;
	return 0;
}

static int parse_widths(struct report *p, struct reason *r)
{
	struct strlist parts = { 0 };
	int err = 0;

	strlist_split(&parts, p->o.widths, ", ");
	p->o.width_list = xcalloc(parts.list.count + 1, sizeof(*p->o.width_list));
	vec_for_each(&parts.list, s) {
		u64 v;

		if (parse_count(*s, &v) || v > INT16_MAX) {
			err = reason_set(r, EINVAL, "--column-widths: '%s' is not a width", *s);
			reason_hint(
				r, "numbers with commas between them, such as 20,30; 0: as wide as "
				   "needed");
			break;
		}
		p->o.width_list[p->o.draw.width_count++] = (u32)v;
	}
	strlist_release(&parts);
	return err;
}

static int set_socket(const struct option_call *call, struct reason *r)
{
	struct report *p = call->settings;
	s64 n = 0;

	p->o.what.set.one_socket = !call->negated;
	if (!call->negated && (parse_int(call->value, &n) || n < 0 || n > INT32_MAX))
		return reason_set(r, EINVAL, "--socket-filter: '%s' is not a socket's number",
				  call->value);
	p->o.what.set.socket = (s32)n;
	return 0;
}

static int parse_parallelism(struct report *p, struct reason *r)
{
	enum { MOST = 1 << 16 };
	u32 *list;
	size_t count;

	if (!p->o.parallelism)
		return 0;
	if (parse_cpu_list(p->o.parallelism, MOST, &list, &count))
		return reason_set(r, EINVAL, "--parallelism: '%s' is not a list like 1,4-8",
				  p->o.parallelism);
	p->o.parallelism_wanted = xcalloc(MOST + 1, sizeof(bool));
	for (size_t i = 0; i < count; i++)
		p->o.parallelism_wanted[list[i]] = true;
	p->o.what.set.parallelism = p->o.parallelism_wanted;
	p->o.what.set.parallelism_count = MOST + 1;
	free(list);
	return 0;
}

static int check_form(const struct report *p, struct reason *r)
{
	if (p->o.json && (p->o.folded || p->o.flamegraph))
		return reason_set(r, EINVAL, "--json and %s exclude each other",
				  p->o.folded ? "--folded" : "--flamegraph");
	if (p->o.marks && !p->o.folded)
		return reason_set(r, EINVAL,
				  "--mark-frames marks the frames of --folded: give both");
	if (p->o.json && p->o.dump)
		return reason_set(r, EINVAL,
				  "--json and -D exclude each other: script --json has the "
				  "samples one by one");
	if (p->o.json && p->o.draw.separator)
		return reason_set(r, EINVAL, "--json and --field-separator exclude each other");
	if (p->o.what.set.picks &&
	    (p->o.folded || p->o.flamegraph || p->o.what.total_cycles || p->o.draw.separator))
		return reason_set(r, EINVAL,
				  "--samples are shown below the rows of a table; it excludes "
				  "--folded, --flamegraph, --total-cycles and --field-separator");
	if (p->o.what.total_cycles &&
	    (p->o.folded || p->o.flamegraph || p->o.what.memory || p->o.what.branch_history))
		return reason_set(r, EINVAL,
				  "--total-cycles prints a table of its own; it excludes "
				  "--folded, --flamegraph, --mem-mode and --branch-history");
	if (!p->o.what.hierarchy || !p->o.what.fields)
		return 0;
	reason_set(r, EINVAL, "--hierarchy and --fields exclude each other");
	reason_hint(r, "give the levels with --sort KEY,KEY");
	return -EINVAL;
}

static int parse_pretty(const struct report *p, struct reason *r)
{
	if (!p->o.pretty || !strcmp(p->o.pretty, "normal") || !strcmp(p->o.pretty, "raw"))
		return 0;
	return reason_set(r, EINVAL, "--pretty is normal or raw, not '%s'", p->o.pretty);
}

/*
 * Parses a percentage with or without its sign, as perf does; it is also the threshold of call
 * chains.
 */
static int parse_limit(struct report *p, struct reason *r)
{
	double v;

	if (!p->o.percent_limit)
		return 0;
	if (parse_percent(p->o.percent_limit, &v))
		return reason_set(r, EINVAL, "--percent-limit: '%s' is not a percentage",
				  p->o.percent_limit);
	p->o.what.set.percent_limit = p->o.what.set.graph.threshold = v;
	return 0;
}

static int parse_percentage(struct report *p, struct reason *r)
{
	const char *how =
		p->o.percentage ? p->o.percentage : config_get(p->a.ctx, "hist.percentage");

	if (!how || !strcmp(how, "absolute"))
		return 0;
	if (strcmp(how, "relative"))
		return reason_set(r, EINVAL, "--percentage is 'relative' or 'absolute', not '%s'",
				  how);
	p->o.what.set.relative = true;
	return 0;
}

static int set_color(const struct option_call *call, struct reason *r)
{
	struct report *p = call->settings;

	(void)r;
	p->o.color = call->value ? call->value : call->negated ? "auto" : "always";
	return 0;
}

static int parse_color(struct report *p, struct reason *r)
{
	p->o.draw.color = color_wanted(p->a.ctx, STDOUT_FILENO);
	if (!p->o.color || !strcmp(p->o.color, "auto"))
		return 0;
	if (strcmp(p->o.color, "always") && strcmp(p->o.color, "never"))
		return reason_set(r, EINVAL, "--stdio-color is always, never or auto, not '%s'",
				  p->o.color);
	p->o.draw.color = !strcmp(p->o.color, "always");
	if (p->o.draw.color)
		out_allow_codes();
	return 0;
}

/* Settles what follows from several options. */
static void settle(struct report *p)
{
	const struct sample_filters *f = &p->o.filters;
	const struct symbol_options *symbols = &p->a.open.symbols;
	struct profile_options *what = &p->o.what;

	what->code.no_source = !p->o.source;
	what->code.prefix = what->set.lines.prefix;
	what->code.prefix_strip = what->set.lines.prefix_strip;
	what->set.guest = symbols->guest_kallsyms || symbols->guest_vmlinux ||
			  symbols->guest_mount || symbols->guest_code;
	what->set.max_stack = p->o.max_stack;
	what->set.comms = f->comms;
	what->set.dsos = f->dsos;
	what->set.symbols = f->symbols;
	what->set.pids = f->pids;
	what->set.pid_count = f->pid_count;
	what->set.tids = f->tids;
	what->set.tid_count = f->tid_count;
	what->set.verbose = p->a.ctx->verbose > 0;
	what->filters = f;
	what->parallelism = p->o.parallelism;
	what->truth_stacks = require_asks(&p->o.require, REQUIRE_WHOLE);
	what->set.truth_places = require_asks(&p->o.require, REQUIRE_NAMED);
	what->stacks = p->o.folded || p->o.flamegraph || p->o.brief;
	what->set.squares = p->o.json || p->o.brief; /* intervals of paths */
	if (p->o.brief) {
		what->sort = NULL; /* the settings' is of tables */
		what->branches = false;
		what->branches_given = true;
	}
	p->o.draw.widths = p->o.width_list;
	p->o.draw.no_heads = p->a.ctx->quiet;
	/* a tree between the rows is not a table that another program can read */
	if (p->o.draw.separator && !what->graph_given && !what->branch_history)
		what->set.graph.mode = CALL_GRAPH_NONE;
	p->o.draw.first_frame_known = what->sort && str_starts(what->sort, "sym") && !what->fields;
}

int report_parse_texts(struct report *p, struct reason *r)
{
	int err = sample_filters_parse(&p->o.filters, r);

	if (!err && p->o.widths)
		err = parse_widths(p, r);
	if (!err)
		err = parse_limit(p, r);
	if (!err)
		err = parse_percentage(p, r);
	if (!err)
		err = parse_color(p, r);
	if (!err)
		err = line_options_check(&p->o.what.set.lines, r);
	if (!err)
		err = parse_parallelism(p, r);
	if (!err)
		err = parse_pretty(p, r);
	if (!err)
		err = check_form(p, r);
	if (!err)
		err = report_check_require(p, r);
	if (!err)
		err = report_check_brief(p, r);
	if (!err && p->o.percent_type)
		err = annotate_percent_parse(p->o.percent_type, &p->o.percent, r);
	settle(p);
	p->a.traces = itrace_wanted(&p->o.itrace, p->o.dump || p->o.header_only || p->o.stats,
				    p->o.what.memory ? SPE_WANT_MEMORY : SPE_WANT_ALL);
	return err;
}

static void common_rows(struct report *p, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_COUNT, 'v', "verbose", &p->a.ctx->verbose,
		  .help = "show addresses and full object names" },
		{ OPTION_FLAG, 'q', "quiet", &p->a.ctx->quiet,
		  .help = "print rows only, no headings" },
	};

	input_option_rows(rows, &p->a.open.input, &p->a.open.force);
	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void column_rows(struct report *p, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Rows and columns" },
		{ OPTION_STRING, 's', "sort", &p->o.what.sort, .arg = "KEY[,KEY]...",
		  .given = &p->o.sort_given,
		  .help = "group by these keys (default: comm,dso,symbol); +KEY adds" },
		{ OPTION_STRING, 'F', "fields", &p->o.what.fields, .arg = "KEY[,KEY]...",
		  .help = "show these columns; +KEY adds" },
		{ OPTION_FLAG, 'n', "show-nr-samples", &p->o.what.show_samples,
		  .help = "show the number of samples" },
		{ OPTION_FLAG, 0, "show-total-period", &p->o.what.show_period,
		  .help = "show the sum of periods" },
		{ OPTION_FLAG, 0, "children", &p->o.what.children,
		  .help = "add what a function called to its share" },
		{ OPTION_FLAG, 0, "group", &p->o.what.group, .given = &p->o.what.group_given,
		  .help = "show the events of a group side by side" },
		{ OPTION_STRING, 'w', "column-widths", &p->o.widths, .arg = "N[,N]...",
		  .help = "width of each column, 0: as wide as needed" },
		{ OPTION_STRING, 't', "field-separator", &p->o.draw.separator, .arg = "CHAR",
		  .help = "separate columns with CHAR, without padding" },
		{ OPTION_STRING, 0, "percent-limit", &p->o.percent_limit, .arg = "PERCENT",
		  .help = "leave out rows and branches below PERCENT" },
		{ OPTION_STRING, 0, "percentage", &p->o.percentage, .arg = "relative|absolute",
		  .help = "percentages of what passes the filters, or of everything" },
		{ OPTION_DURATION, 0, "time-quantum", &p->o.what.set.time_quantum, .unit = 1000000,
		  .arg = "TIME", .help = "slices of the key time (default: 100ms)" },
		{ OPTION_FLAG, 'H', "hierarchy", &p->o.what.hierarchy,
		  .help = "one key below the other, with sums on each level; {K,K}: on one level" },
		{ OPTION_UINT, 0, "group-sort-idx", &p->o.what.set.sort_member, .arg = "N",
		  .given = &p->o.what.member_given,
		  .help = "sort by event N of a group, the first is 0" },
		{ OPTION_FLAG, 0, "show-cpu-utilization", &p->o.what.set.utilization,
		  .help = "show the shares of kernel and user code" },
		{ OPTION_FLAG, 0, "showcpuutilization", &p->o.what.set.utilization,
		  .help = "the older name of that option" },
		{ OPTION_FLAG, 'b', "branch-stack", &p->o.what.branches,
		  .given = &p->o.what.branches_given,
		  .help = "count recorded branches (default where there are any)" },
		{ OPTION_FLAG, 0, "branch-history", &p->o.what.branch_history,
		  .help = "draw recorded branches as the innermost part of call chains" },
		{ OPTION_FLAG, 0, "total-cycles", &p->o.what.total_cycles,
		  .help = "print basic blocks, sorted by their cycles in recorded branches" },
		{ OPTION_FLAG, 0, "mem-mode", &p->o.what.memory,
		  .help = "count memory accesses by what they cost" },
		{ OPTION_FLAG, 0, "latency", &p->o.what.set.prefer_latency,
		  .help = "sort by the share of elapsed time, not of CPU time" },
		{ OPTION_FLAG, 0, "raw-trace", &p->o.what.set.raw_trace,
		  .help = "show tracepoints by their fields, not by their print format" },
		{ OPTION_UINT, 0, "samples", &p->o.what.set.picks, .arg = "N",
		  .help = "show N samples of each row as examples" },
		{ OPTION_FLAG, 0, "ns", &p->o.what.set.nanoseconds,
		  .help = "show times in nanoseconds" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void chain_rows(struct report *p, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Call chains" },
		{ OPTION_CALLBACK, 'g', "call-graph", NULL, .set = set_graph,
		  .flags = OPT_LAST_DEFAULT, .arg = "TYPE,THRESHOLD[,LIMIT],ORDER,KEY,VALUE",
		  .help = "graph|fractal|flat|folded|none, caller|callee, "
			  "function|address|srcline, branch, "
			  "percent|period|count" },
		{ OPTION_CALLBACK, 'G', "inverted", NULL, .set = set_inverted,
		  .flags = OPT_OPTIONAL, .help = "outermost caller first: -g caller" },
		{ OPTION_UINT, 0, "max-stack", &p->o.max_stack, .arg = "N",
		  .help = "frames of a chain to use, 0: all (default: 127)" },
		{ OPTION_FLAG, 0, "show-ref-call-graph", &p->o.what.reference_chains,
		  .help = "events without call chains get those of the thread's last sample" },
		{ OPTION_FLAG, 0, "stitch-lbr", &p->o.what.stitch,
		  .help = "extend chains of branch registers with those of earlier samples" },
		UNWIND_STYLE_ROW(&p->a.open.unwind),
		{ OPTION_FLAG, 0, "call-sites", &p->o.what.set.call_sites,
		  .help = "name callers by their calls, not by the return address (default)" },
		{ OPTION_FLAG, 0, "inline", &p->o.what.set.inlines,
		  .help = "show functions inlined in user frames (default)" },
		{ OPTION_STRING, 'p', "parent", &p->o.what.set.parent, .arg = "REGEX",
		  .help = "name the caller that matches; see the key parent" },
		{ OPTION_FLAG, 'x', "exclude-other", &p->o.what.set.exclude_other,
		  .help = "only chains with such a caller" },
		{ OPTION_STRING, 0, "ignore-callees", &p->o.what.set.ignore_callees, .arg = "REGEX",
		  .help = "count what these functions call as their own" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void sample_rows(struct report *p, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_STRING, 0, "symbol-filter", &p->o.what.set.symbol_filter, .arg = "TEXT",
		  .help = "only functions with TEXT in their name" },
		{ OPTION_FLAG, 0, "hide-idle", &p->o.what.hide_idle,
		  .help = "leave out samples of the idle task (swapper)" },
		{ OPTION_FLAG, 'U', "hide-unresolved", &p->o.what.set.hide_unresolved,
		  .help = "only entries with the name of a function" },
		{ OPTION_CALLBACK, 0, "socket-filter", NULL, .set = set_socket, .arg = "N",
		  .help = "only this processor socket" },
		{ OPTION_STRING, 0, "parallelism", &p->o.parallelism, .arg = "N[,N-N]...",
		  .help = "only samples taken while this many threads ran" },
		{ OPTION_STRING, 0, "switch-on", &p->o.what.switch_on, .arg = "EVENT",
		  .help = "only samples after this event" },
		{ OPTION_STRING, 0, "switch-off", &p->o.what.switch_off, .arg = "EVENT",
		  .help = "only samples before this event, until the next --switch-on" },
		{ OPTION_FLAG, 0, "show-on-off-events", &p->o.what.show_switches,
		  .help = "count the events of --switch-on and --switch-off, too" },
	};

	sample_option_rows(rows, &p->o.filters, "c:comms d:dsos S:symbols pid tid C:cpu time");
	option_rows_add(rows, more, ARRAY_SIZE(more));
}

/* Adds the options for what the browser shows of a function. */
static void code_rows(struct report *p, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Functions in the browser (key a)" },
		{ OPTION_STRING, 'M', "disassembler-style", &p->o.what.code.syntax, .arg = "STYLE",
		  .help = "syntax: att or intel; others are passed to objdump" },
		{ OPTION_STRING, 0, "objdump", &p->o.what.code.objdump, .arg = "PATH",
		  .help = "disassemble with this objdump" },
		{ OPTION_FLAG, 0, "asm-raw", &p->o.asm_raw,
		  .help = "show the instructions' bytes" },
		{ OPTION_FLAG, 0, "source", &p->o.source,
		  .help = "source lines between the instructions (default)" },
		{ OPTION_STRING, 0, "percent-type", &p->o.percent_type, .arg = "TYPE",
		  .help = "percentages of the function (local) or of everything (global), by "
			  "period or hits" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void other_rows(struct report *p, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Instead of, or around, the rows" },
		{ OPTION_FLAG, 0, "header", &p->o.header, .help = "print the file's header first" },
		{ OPTION_FLAG, 0, "header-only", &p->o.header_only,
		  .help = "print the file's header and nothing else" },
		{ OPTION_FLAG, 'I', "show-info", &p->o.show_info,
		  .help = "with --header: CPU and NUMA topology, caches, memory, too" },
		{ OPTION_FLAG, 'D', "dump-raw-trace", &p->o.dump, .flags = OPT_NO_NEGATE,
		  .help = "print every record, its bytes and what they mean" },
		{ OPTION_FLAG, 0, "stats", &p->o.stats, .flags = OPT_NO_NEGATE,
		  .help = "print how many records of each kind there are" },
		{ OPTION_FLAG, 0, "skip-empty", &p->o.skip_empty,
		  .help = "leave out events and record types without any record" },
		{ OPTION_FLAG, 0, "tasks", &p->o.tasks, .flags = OPT_NO_NEGATE,
		  .help = "print the tree of tasks" },
		{ OPTION_FLAG, 0, "mmaps", &p->o.mmaps, .flags = OPT_NO_NEGATE,
		  .help = "print the tree of tasks with their mappings" },
		{ OPTION_FLAG, 0, "stdio", &p->o.stdio, .help = "plain text" },
		{ OPTION_FLAG, 0, "tui", &p->o.tui,
		  .help = "browse in the terminal (default if there is one)" },
		{ OPTION_CALLBACK, 0, "stdio-color", NULL, .set = set_color,
		  .arg = "always|never|auto", .flags = OPT_LAST_DEFAULT,
		  .help = "use colours in plain text" },
		ITRACE_ROW(&p->o.itrace),
		{ OPTION_FLAG, 0, "folded", &p->o.folded,
		  .help = "print a line for each chain: comm;outer;..;inner COUNT" },
		{ OPTION_FLAG, 0, "mark-frames", &p->o.marks,
		  .help = "with --folded: end kernel frames in _[k], inlined ones in _[i]" },
		{ OPTION_STRING, 0, "flamegraph", &p->o.flamegraph, .arg = "FILE",
		  .help = "write a flame graph (SVG); -: to standard output" },
		{ OPTION_FLAG, 0, "json", &p->o.json, .help = "print the tables as JSON" },
		{ OPTION_CALLBACK, 0, "brief", NULL, .set = report_set_brief, .arg = "BYTES",
		  .flags = OPT_OPTIONAL | OPT_YIELDS,
		  .help = "print where the time goes in at most BYTES (default: 4096)" },
		{ OPTION_CALLBACK, 0, "require", NULL, .set = report_set_require,
		  .arg = "COND[,COND]...", .flags = OPT_YIELDS,
		  .help = "exit with 3 unless whole>=90%, named>=95%, lost<1%, samples>=1000 ... "
			  "hold" },
		{ OPTION_FLAG, 'T', "threads", &p->o.what.readings,
		  .help = "print the counters of each thread (record -s)" },
		{ OPTION_STRING, 0, "pretty", &p->o.pretty, .arg = "normal|raw",
		  .help = "how --threads is laid out" },
		{ OPTION_FLAG, 0, "disable-order", &p->o.disable_order,
		  .help = "with -D: print records in file order" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void report_option_rows(struct report *p, option_rows *rows)
{
	common_rows(p, rows);
	column_rows(p, rows);
	chain_rows(p, rows);
	sample_rows(p, rows);
	symbol_option_rows(rows, &p->a);
	line_option_rows(rows, &p->o.what.set.lines);
	code_rows(p, rows);
	other_rows(p, rows);
	vec_push(rows, (struct option_row)OPT_END_ROW);
}
