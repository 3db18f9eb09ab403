// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report: the options, and what their texts mean. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin-report.h"
#include "analysis/analysis.h"
#include "cli/color.h"
#include "cli/config.h"

static int set_graph(const struct option_call *call, struct reason *r)
{
	struct report *p = call->settings;

	p->no_graph = call->negated;
	p->graph_given = !call->negated;
	if (call->negated || !call->value)
		return 0;
	return call_graph_parse(&p->set.graph, call->value, r);
}

static int set_inverted(const struct option_call *call, struct reason *r)
{
	struct report *p = call->settings;

	(void)r;
	p->set.graph.caller = !call->negated;
	p->set.graph.order_given = true;
	p->graph_given = true;
	return 0;
}

/* A name on each line. */
static int add_names_of_file(struct strlist *l, const char *option, const char *path,
			     struct reason *r)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t space = 0;
	ssize_t n;

	if (!f)
		return reason_set(r, errno, "--%s: cannot read '%s': %s", option, path,
				  strerror(errno));
	while ((n = getline(&line, &space, f)) > 0) {
		if (line[n - 1] == '\n')
			line[--n] = '\0';
		if (n)
			strlist_add(l, line);
	}
	free(line);
	fclose(f);
	return 0;
}

static int set_names(const struct option_call *call, struct reason *r)
{
	struct strlist *l = call->row->value, parts = { 0 };
	int err = 0;

	if (!call->value)
		return 0;
	strlist_split_names(&parts, call->value);
	vec_for_each(&parts.list, part) {
		if (!str_starts(*part, "file://"))
			strlist_add(l, *part);
		else if (!err)
			err = add_names_of_file(l, call->row->long_name, *part + strlen("file://"), r);
	}
	strlist_release(&parts);
	return err;
}

static int parse_widths(struct report *p, struct reason *r)
{
	struct strlist parts = { 0 };
	int err = 0;

	strlist_split(&parts, p->widths, ", ");
	p->width_list = xcalloc(parts.list.count + 1, sizeof(*p->width_list));
	vec_for_each(&parts.list, s) {
		u64 v;

		if (parse_u64(*s, &v) || v > INT16_MAX) {
			err = reason_set(r, EINVAL, "--column-widths: '%s' is not a width", *s);
			break;
		}
		p->width_list[p->draw.width_count++] = (u32)v;
	}
	strlist_release(&parts);
	return err;
}

/* perf's decoder options for AUX area data. */
static int set_itrace(const struct option_call *call, struct reason *r)
{
	struct report *p = call->settings;

	(void)r;
	p->itrace_given = !call->negated;
	return 0;
}

static int set_socket(const struct option_call *call, struct reason *r)
{
	struct report *p = call->settings;
	s64 n = 0;

	p->set.one_socket = !call->negated;
	if (!call->negated && (parse_s64(call->value, &n) || n < 0 || n > INT32_MAX))
		return reason_set(r, EINVAL, "--socket-filter: '%s' is not a socket's number",
				  call->value);
	p->set.socket = (s32)n;
	return 0;
}

static int parse_parallelism(struct report *p, struct reason *r)
{
	enum { MOST = 1 << 16 };
	u32 *list;
	size_t count;

	if (!p->parallelism)
		return 0;
	if (parse_cpu_list(p->parallelism, MOST, &list, &count))
		return reason_set(r, EINVAL, "--parallelism: '%s' is not a list like 1,4-8",
				  p->parallelism);
	p->parallelism_wanted = xcalloc(MOST + 1, sizeof(bool));
	for (size_t i = 0; i < count; i++)
		p->parallelism_wanted[list[i]] = true;
	p->set.parallelism = p->parallelism_wanted;
	p->set.parallelism_count = MOST + 1;
	free(list);
	return 0;
}

static int check_form(const struct report *p, struct reason *r)
{
	if (p->json && (p->folded || p->flamegraph))
		return reason_set(r, EINVAL, "--json and %s exclude each other",
				  p->folded ? "--folded" : "--flamegraph");
	if (p->json && p->dump)
		return reason_set(r, EINVAL, "--json and -D exclude each other: script --json has the "
				  "samples one by one");
	if (p->json && p->draw.separator)
		return reason_set(r, EINVAL, "--json and --field-separator exclude each other");
	if (p->set.picks && (p->folded || p->flamegraph || p->total_cycles || p->draw.separator))
		return reason_set(r, EINVAL, "--samples are shown below the rows of a table; it excludes "
				  "--folded, --flamegraph, --total-cycles and --field-separator");
	if (p->total_cycles && (p->folded || p->flamegraph || p->memory || p->branch_history))
		return reason_set(r, EINVAL, "--total-cycles prints a table of its own; it excludes "
				  "--folded, --flamegraph, --mem-mode and --branch-history");
	if (!p->hierarchy || !p->fields)
		return 0;
	reason_set(r, EINVAL, "--hierarchy and --fields exclude each other");
	reason_hint(r, "give the levels with --sort KEY,KEY");
	return -EINVAL;
}

static int parse_pretty(const struct report *p, struct reason *r)
{
	if (!p->pretty || !strcmp(p->pretty, "normal") || !strcmp(p->pretty, "raw"))
		return 0;
	return reason_set(r, EINVAL, "--pretty is normal or raw, not '%s'", p->pretty);
}

/* perf: a percentage with or without its sign; it is the threshold of call chains too. */
static int parse_limit(struct report *p, struct reason *r)
{
	char *end;
	double v;

	if (!p->percent_limit)
		return 0;
	v = strtod(p->percent_limit, &end);
	if (end == p->percent_limit || (*end && strcmp(end, "%")) || !(v >= 0))
		return reason_set(r, EINVAL, "--percent-limit: '%s' is not a percentage",
				  p->percent_limit);
	p->set.percent_limit = p->set.graph.threshold = v;
	return 0;
}

static int parse_percentage(struct report *p, struct reason *r)
{
	const char *how = p->percentage ? p->percentage
					: config_get(p->ctx, "hist.percentage");

	if (!how || !strcmp(how, "absolute"))
		return 0;
	if (strcmp(how, "relative"))
		return reason_set(r, EINVAL, "--percentage is 'relative' or 'absolute', not '%s'",
				  how);
	p->set.relative = true;
	return 0;
}

static int set_color(const struct option_call *call, struct reason *r)
{
	struct report *p = call->settings;

	(void)r;
	p->color = call->value ? call->value : call->negated ? "auto" : "always";
	return 0;
}

static int parse_color(struct report *p, struct reason *r)
{
	p->draw.color = color_wanted(p->ctx, STDOUT_FILENO);
	if (!p->color || !strcmp(p->color, "auto"))
		return 0;
	if (strcmp(p->color, "always") && strcmp(p->color, "never"))
		return reason_set(r, EINVAL, "--stdio-color is always, never or auto, not '%s'",
				  p->color);
	p->draw.color = !strcmp(p->color, "always");
	return 0;
}

int report_parse_texts(struct report *p, struct reason *r)
{
	int err = 0;

	if (p->pids)
		err = parse_task_numbers("--pid", p->pids, &p->set.pids, &p->set.pid_count, r);
	if (!err && p->tids)
		err = parse_task_numbers("--tid", p->tids, &p->set.tids, &p->set.tid_count, r);
	if (!err && p->widths)
		err = parse_widths(p, r);
	if (!err)
		err = sample_choice_cpus(&p->choice, p->cpus, r);
	if (!err)
		err = parse_limit(p, r);
	if (!err)
		err = parse_percentage(p, r);
	if (!err)
		err = parse_color(p, r);
	if (!err)
		err = line_options_check(&p->set.lines, r);
	if (!err)
		err = parse_parallelism(p, r);
	if (!err)
		err = parse_pretty(p, r);
	if (!err)
		err = check_form(p, r);
	if (!err && p->percent_type)
		err = annotate_percent_parse(p->percent_type, &p->percent, r);
	p->code.no_source = !p->source;
	p->code.prefix = p->set.lines.prefix;
	p->code.prefix_strip = p->set.lines.prefix_strip;
	p->set.guest = p->open.symbols.guest_kallsyms || p->open.symbols.guest_vmlinux ||
		       p->open.symbols.guest_mount;
	p->draw.widths = p->width_list;
	p->set.max_stack = p->max_stack;
	p->set.comms = p->comms;
	p->set.dsos = p->dsos;
	p->set.symbols = p->symbols;
	p->set.verbose = p->ctx->verbose > 0;
	return err;
}

static void common_rows(struct report *p, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_STRING, 'i', "input", &p->open.input, .arg = "FILE",
		  .help = "the recorded file; -: standard input (default: perf.data)" },
		{ OPTION_COUNT, 'v', "verbose", &p->ctx->verbose,
		  .help = "show addresses and full object names" },
		{ OPTION_FLAG, 'q', "quiet", &p->ctx->quiet, .help = "print rows only, no heads" },
		{ OPTION_FLAG, 'f', "force", &p->open.force,
		  .help = "do not ask who owns the file" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void column_rows(struct report *p, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Rows and columns" },
		{ OPTION_STRING, 's', "sort", &p->sort, .arg = "KEY[,KEY]...",
		  .help = "group by these keys (default: comm,dso,symbol); +KEY adds" },
		{ OPTION_STRING, 'F', "fields", &p->fields, .arg = "KEY[,KEY]...",
		  .help = "show these columns; +KEY adds" },
		{ OPTION_FLAG, 'n', "show-nr-samples", &p->show_samples,
		  .help = "show the number of samples" },
		{ OPTION_FLAG, 0, "show-total-period", &p->show_period,
		  .help = "show the sum of periods" },
		{ OPTION_FLAG, 0, "children", &p->children,
		  .help = "add what a function called to its share" },
		{ OPTION_FLAG, 0, "group", &p->group, .given = &p->group_given,
		  .help = "show the events of a group side by side" },
		{ OPTION_STRING, 'w', "column-widths", &p->widths, .arg = "N[,N]...",
		  .help = "width of each column, 0: as wide as needed" },
		{ OPTION_STRING, 't', "field-separator", &p->draw.separator, .arg = "CHAR",
		  .help = "part the columns by CHAR, without filling up" },
		{ OPTION_STRING, 0, "percent-limit", &p->percent_limit, .arg = "PERCENT",
		  .help = "leave out rows and branches below PERCENT" },
		{ OPTION_STRING, 0, "percentage", &p->percentage, .arg = "relative|absolute",
		  .help = "of what passes the filters, or of everything" },
		{ OPTION_DURATION, 0, "time-quantum", &p->set.time_quantum, .unit = 1000000,
		  .arg = "TIME", .help = "slices of the key time (default: 100ms)" },
		{ OPTION_FLAG, 'H', "hierarchy", &p->hierarchy,
		  .help = "one key below the other, with sums on each level; {K,K}: on one level" },
		{ OPTION_UINT, 0, "group-sort-idx", &p->set.sort_member, .arg = "N",
		  .help = "sort by event N of a group, the first is 0" },
		{ OPTION_FLAG, 0, "show-cpu-utilization", &p->set.utilization,
		  .help = "show the shares of kernel and user code" },
		{ OPTION_FLAG, 'b', "branch-stack", &p->branches, .given = &p->branches_given,
		  .help = "count recorded branches (default where there are any)" },
		{ OPTION_FLAG, 0, "branch-history", &p->branch_history,
		  .help = "draw recorded branches as the innermost part of call chains" },
		{ OPTION_FLAG, 0, "total-cycles", &p->total_cycles,
		  .help = "print basic blocks by the cycles that recorded branches noted" },
		{ OPTION_FLAG, 0, "mem-mode", &p->memory,
		  .help = "count memory accesses by what they cost" },
		{ OPTION_FLAG, 0, "latency", &p->set.prefer_latency,
		  .help = "sort by the share of the time that passed, not of the CPU's" },
		{ OPTION_FLAG, 0, "raw-trace", &p->set.raw_trace,
		  .help = "tracepoints by their fields, not by their print format" },
		{ OPTION_UINT, 0, "samples", &p->set.picks, .arg = "N",
		  .help = "show N samples of each row as examples" },
		{ OPTION_FLAG, 0, "ns", &p->set.nanoseconds,
		  .help = "times with nine digits" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void chain_rows(struct report *p, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Call chains" },
		{ OPTION_CALLBACK, 'g', "call-graph", NULL, .set = set_graph,
		  .flags = OPT_LAST_DEFAULT, .arg = "TYPE,THRESHOLD[,LIMIT],ORDER,KEY,VALUE",
		  .help = "graph|fractal|flat|folded|none, caller|callee, function|address|srcline, branch, "
			  "percent|period|count" },
		{ OPTION_CALLBACK, 'G', "inverted", NULL, .set = set_inverted,
		  .flags = OPT_OPTIONAL, .help = "outermost caller first: -g caller" },
		{ OPTION_UINT, 0, "max-stack", &p->max_stack, .arg = "N",
		  .help = "frames of a chain that are looked at, 0: all (default: 127)" },
		{ OPTION_FLAG, 0, "show-ref-call-graph", &p->reference_chains,
		  .help = "events without call chains get those of the thread's last sample" },
		{ OPTION_FLAG, 0, "stitch-lbr", &p->stitch,
		  .help = "continue chains of branch registers by those of earlier samples" },
		UNWIND_STYLE_ROW(&p->open.unwind),
		{ OPTION_FLAG, 0, "call-sites", &p->set.call_sites,
		  .help = "name callers by their calls; off: by the return address itself" },
		{ OPTION_FLAG, 0, "inline", &p->set.inlines,
		  .help = "frames for the functions inlined in users' frames (default)" },
		{ OPTION_STRING, 'p', "parent", &p->set.parent, .arg = "REGEX",
		  .help = "name the caller that matches, see the key parent" },
		{ OPTION_FLAG, 'x', "exclude-other", &p->set.exclude_other,
		  .help = "only chains with such a caller" },
		{ OPTION_STRING, 0, "ignore-callees", &p->set.ignore_callees, .arg = "REGEX",
		  .help = "count what these functions call as their own" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void sample_rows(struct report *p, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Which samples" },
		{ OPTION_CALLBACK, 'c', "comms", &p->comms, .set = set_names,
		  .arg = "COMM[,COMM]...", .help = "only these commands" },
		{ OPTION_CALLBACK, 'd', "dsos", &p->dsos, .set = set_names,
		  .arg = "DSO[,DSO]...", .help = "only these objects" },
		{ OPTION_CALLBACK, 'S', "symbols", &p->symbols, .set = set_names,
		  .arg = "SYMBOL[,SYMBOL]...", .help = "only these functions" },
		{ OPTION_STRING, 0, "symbol-filter", &p->set.symbol_filter, .arg = "TEXT",
		  .help = "only functions with TEXT in their name" },
		{ OPTION_STRING, 0, "pid", &p->pids, .arg = "PID[,PID]...",
		  .help = "only these processes" },
		{ OPTION_STRING, 0, "tid", &p->tids, .arg = "TID[,TID]...",
		  .help = "only these threads" },
		{ OPTION_STRING, 'C', "cpu", &p->cpus, .arg = "CPU[,CPU-CPU]...",
		  .help = "only these CPUs" },
		{ OPTION_STRING, 0, "time", &p->time, .arg = "RANGE",
		  .help = "only START,STOP in seconds, or parts as 10%/2, 0%-10%" },
		{ OPTION_FLAG, 'U', "hide-unresolved", &p->set.hide_unresolved,
		  .help = "only what has a function's name" },
		{ OPTION_CALLBACK, 0, "socket-filter", NULL, .set = set_socket, .arg = "N",
		  .help = "only this processor socket" },
		{ OPTION_STRING, 0, "parallelism", &p->parallelism, .arg = "N[,N-N]...",
		  .help = "only while so many threads ran" },
		{ OPTION_STRING, 0, "switch-on", &p->switch_on, .arg = "EVENT",
		  .help = "only samples after this event" },
		{ OPTION_STRING, 0, "switch-off", &p->switch_off, .arg = "EVENT",
		  .help = "only samples before this event, until the next --switch-on" },
		{ OPTION_FLAG, 0, "show-on-off-events", &p->show_switches,
		  .help = "count the events of --switch-on and --switch-off, too" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void symbol_rows(struct report *p, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Symbols" },
		{ OPTION_STRING, 'k', "vmlinux", &p->open.symbols.vmlinux, .arg = "FILE",
		  .help = "the kernel's ELF file" },
		{ OPTION_FLAG, 0, "ignore-vmlinux", &p->open.symbols.ignore_vmlinux,
		  .help = "do not look for a vmlinux" },
		{ OPTION_STRING, 0, "kallsyms", &p->open.symbols.kallsyms, .arg = "FILE",
		  .help = "the kernel's symbol list" },
		{ OPTION_FLAG, 'm', "modules", &p->open.symbols.use_modules,
		  .given = &p->open.symbols.modules_given,
		  .help = "names of modules from their files first; --no-modules: none" },
		{ OPTION_STRING, 0, "symfs", &p->open.symbols.symfs, .arg = "DIR[,flat]",
		  .help = "look for objects below DIR" },
		GUEST_KERNEL_ROWS(&p->open.symbols),
		DEBUGINFOD_ROW(&p->debuginfod),
		{ OPTION_FLAG, 0, "demangle", &p->demangle,
		  .help = "show names as the source has them" },
		{ OPTION_FLAG, 0, "demangle-kernel", &p->open.symbols.demangle_kernel,
		  .help = "demangle kernel symbols" },
		{ OPTION_FLAG, 0, "full-source-path", &p->set.lines.full_path,
		  .help = "the whole path of source files" },
		{ OPTION_STRING, 0, "addr2line", &p->set.lines.addr2line, .arg = "FILE",
		  .help = "the program that is asked about odd debug information" },
		{ OPTION_STRING, 0, "addr2line-style", &p->set.lines.style, .arg = "LIST",
		  .help = "who finds lines: native, addr2line (default: native,addr2line)" },
		{ OPTION_STRING, 0, "prefix", &p->set.lines.prefix, .arg = "DIR",
		  .help = "put DIR before such paths" },
		{ OPTION_UINT, 0, "prefix-strip", &p->set.lines.prefix_strip, .arg = "N",
		  .help = "after taking N directories off them" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

/* What the browser shows of a function. */
static void code_rows(struct report *p, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Functions in the browser (key a)" },
		{ OPTION_STRING, 'M', "disassembler-style", &p->code.syntax, .arg = "STYLE",
		  .help = "att or intel; others are handed to objdump" },
		{ OPTION_STRING, 0, "objdump", &p->code.objdump, .arg = "PATH",
		  .help = "disassemble with this objdump" },
		{ OPTION_FLAG, 0, "asm-raw", &p->asm_raw, .help = "the instructions' bytes" },
		{ OPTION_FLAG, 0, "source", &p->source, .help = "source lines between the instructions (default)" },
		{ OPTION_STRING, 0, "percent-type", &p->percent_type, .arg = "TYPE",
		  .help = "local|global - period|hits: of the function or of everything" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void other_rows(struct report *p, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Instead of, or around, the rows" },
		{ OPTION_FLAG, 0, "header", &p->header, .help = "print the file's header first" },
		{ OPTION_FLAG, 0, "header-only", &p->header_only,
		  .help = "print the file's header and nothing else" },
		{ OPTION_FLAG, 'I', "show-info", &p->show_info,
		  .help = "with --header: CPU and NUMA topology, caches, memory, too" },
		{ OPTION_FLAG, 'D', "dump-raw-trace", &p->dump, .flags = OPT_NO_NEGATE,
		  .help = "print every record, its bytes and what they mean" },
		{ OPTION_FLAG, 0, "stats", &p->stats, .flags = OPT_NO_NEGATE,
		  .help = "print how many records of each kind there are" },
		{ OPTION_FLAG, 0, "skip-empty", &p->skip_empty,
		  .help = "leave out events and kinds of records that never came" },
		{ OPTION_FLAG, 0, "tasks", &p->tasks, .flags = OPT_NO_NEGATE,
		  .help = "print the tree of tasks" },
		{ OPTION_FLAG, 0, "mmaps", &p->mmaps, .flags = OPT_NO_NEGATE,
		  .help = "print the tree of tasks with their mappings" },
		{ OPTION_FLAG, 0, "stdio", &p->stdio, .help = "plain text" },
		{ OPTION_FLAG, 0, "tui", &p->tui_given,
		  .help = "browse on the terminal (default there)" },
		{ OPTION_CALLBACK, 0, "stdio-color", NULL, .set = set_color, .arg = "always|never|auto",
		  .flags = OPT_LAST_DEFAULT, .help = "colours in plain text" },
		{ OPTION_CALLBACK, 0, "itrace", NULL, .set = set_itrace, .arg = "OPTS",
		  .flags = OPT_OPTIONAL, .help = "how to decode AUX area data (none can be decoded)" },
		{ OPTION_FLAG, 0, "folded", &p->folded,
		  .help = "print a line for each chain: comm;outer;..;inner COUNT" },
		{ OPTION_STRING, 0, "flamegraph", &p->flamegraph, .arg = "FILE",
		  .help = "write a flame graph (SVG); -: to standard output" },
		{ OPTION_FLAG, 0, "json", &p->json, .help = "print the tables as JSON" },
		{ OPTION_FLAG, 'T', "threads", &p->threads,
		  .help = "print what each thread counted (record -s)" },
		{ OPTION_STRING, 0, "pretty", &p->pretty, .arg = "normal|raw",
		  .help = "how --threads is laid out" },
		{ OPTION_FLAG, 0, "disable-order", &p->disable_order,
		  .help = "with -D: records as they lie in the file" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void report_option_rows(struct report *p, option_rows *rows)
{
	common_rows(p, rows);
	column_rows(p, rows);
	chain_rows(p, rows);
	sample_rows(p, rows);
	symbol_rows(p, rows);
	code_rows(p, rows);
	other_rows(p, rows);
	vec_push(rows, (struct option_row)OPT_END_ROW);
}
