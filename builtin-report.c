// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report: a recorded profile, grouped and drawn. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/perf_abi.h"
#include "base/time_ranges.h"
#include "builtin.h"
#include "cli/color.h"
#include "cli/config.h"
#include "cli/options.h"
#include "cli/report.h"
#include "hist/hist.h"
#include "session/session.h"
#include "session/summary.h"
#include "ui/stdio/hist.h"

struct report {
	struct context *ctx;
	struct session *session;
	struct hist *hist;
	struct hist_collector **collectors;
	unsigned collector_count;
	struct out out;

	struct session_options open;
	struct hist_settings set;
	struct stdio_settings draw;

	/* as typed */
	const char *sort, *fields, *graph, *widths, *pids, *tids, *cpus, *time, *percentage;
	const char *percent_limit, *color, *itrace;
	struct strlist comms, dsos, symbols;
	bool no_graph, graph_given, inverted, children, group, group_given, hide_unresolved;
	bool show_samples, show_period;
	bool header, header_only, show_info, stats, tasks, mmaps, dump, skip_empty, stdio;
	bool itrace_given, demangle;
	unsigned max_stack;

	struct time_ranges times;
	u32 *cpu_list;
	size_t cpu_count;
	u32 *width_list;
};

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

static int set_names(const struct option_call *call, struct reason *r)
{
	struct strlist *l = call->row->value;

	(void)r;
	if (call->value)
		strlist_split(l, call->value, ",");
	return 0;
}

/* ---- samples ---- */

static bool has_cpu(const struct report *p, u32 cpu)
{
	for (size_t i = 0; i < p->cpu_count; i++)
		if (p->cpu_list[i] == cpu)
			return true;
	return false;
}

static bool keep_sample(void *arg, const struct sample *s, const struct order_key *key)
{
	const struct report *p = arg;

	(void)key;
	if (p->cpu_list && !has_cpu(p, s->id.cpu))
		return false;
	return !p->times.list.count || time_ranges_have(&p->times, s->id.time);
}

static int add_sample(void *arg, unsigned worker, const struct session_sample *s,
		      struct reason *r)
{
	struct report *p = arg;
	const struct hist_sample h = {
		.sample = s->sample, .key = &s->key, .task = s->task, .comm = s->comm,
		.leaf = s->leaf, .swap = session_events(p->session)->swap,
	};

	(void)r;
	hist_collector_add(p->collectors[worker], &h);
	return 0;
}

static int collect(struct report *p, struct reason *r)
{
	const struct session_ops ops = {
		.order = SESSION_SUMS,
		.sample = add_sample,
		.filter = keep_sample,
	};
	int err;

	p->collector_count = session_workers(p->session);
	p->collectors = xcalloc(p->collector_count, sizeof(struct hist_collector *));
	for (unsigned i = 0; i < p->collector_count; i++)
		p->collectors[i] = hist_collector_new(p->hist);
	err = session_run(p->session, &ops, p, r);
	if (!err)
		err = hist_finish(p->hist, p->collectors, p->collector_count,
				  session_symbols(p->session), r);
	for (unsigned i = 0; i < p->collector_count; i++)
		hist_collector_free(p->collectors[i]);
	free(p->collectors);
	return err;
}

/* ---- what the file can give ---- */

static bool wants_key(const struct report *p, const char *key)
{
	struct strlist keys = { 0 };
	bool found;

	if (p->sort)
		strlist_split(&keys, p->sort, ",+ ");
	if (p->fields)
		strlist_split(&keys, p->fields, ",+ ");
	found = strlist_has(&keys, key);
	strlist_release(&keys);
	return found;
}

static int settle_chains(struct report *p, struct reason *r)
{
	const struct event_set *events = session_events(p->session);
	bool have = events->sample_type_any & PERF_SAMPLE_CALLCHAIN;

	if (!have && ((p->graph_given && p->set.graph.mode != CALL_GRAPH_NONE) || wants_key(p, "parent") || p->set.parent)) {
		reason_set(r, EINVAL, "'%s' has no call chains, but %s needs them",
			   data_path(session_data(p->session)),
			   p->graph_given ? "-g" : "the sort key 'parent'");
		reason_hint(r, "record with call chains: perf record -g ...");
		return -EINVAL;
	}
	p->set.chains = have && !p->no_graph;
	if (p->no_graph)
		p->set.graph.mode = CALL_GRAPH_NONE;
	p->set.children = p->children && p->set.chains;
	if (!p->set.graph.order_given)
		p->set.graph.caller = p->set.children;
	return 0;
}

/* All samples are of tracepoints: then their text is what tells them apart. */
static bool only_traces(const struct report *p)
{
	const struct event_set *events = session_events(p->session);

	vec_for_each(&events->list, ev)
		if (!event_is_tracepoint(*ev))
			return false;
	return events->list.count > 0;
}

static bool any_group(const struct event_set *events)
{
	vec_for_each(&events->list, ev)
		if ((*ev)->members > 1)
			return true;
	return false;
}

/* --group where nothing was recorded as one: everything is one group. */
static void force_group(struct event_set *events)
{
	vec_for_each(&events->list, ev) {
		(*ev)->leader = events->list.items[0];
		(*ev)->members = 1;
	}
	events->list.items[0]->members = (u32)events->list.count;
}

static int first_and_last(struct report *p, u64 *first, u64 *last, struct reason *r)
{
	struct data_reader *d = session_data(p->session);
	size_t size;
	const void *section = data_feature(d, FEATURE_SAMPLE_TIME, &size);

	if (!section || size < 16) {
		reason_set(r, EINVAL, "'%s' does not say when its first and last sample were",
			   data_path(d));
		reason_hint(r, "give --time in seconds: START,STOP");
		return -EINVAL;
	}
	memcpy(first, section, 8);
	memcpy(last, (const char *)section + 8, 8);
	if (data_is_swapped(d)) {
		*first = __builtin_bswap64(*first);
		*last = __builtin_bswap64(*last);
	}
	if (*last < *first)
		*last = *first;
	return 0;
}

static int settle_times(struct report *p, struct reason *r)
{
	u64 first = 0, last = 0;
	int err = 0;

	if (!p->time)
		return 0;
	if (time_ranges_relative(p->time))
		err = first_and_last(p, &first, &last, r);
	return err ? err : time_ranges_parse(&p->times, p->time, first, last, r);
}

/* ---- settings that need parsing ---- */

static int u32_cmp(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static int parse_numbers(const char *option, const char *text, bool sorted, u32 **out,
			 size_t *count, struct reason *r)
{
	struct strlist parts = { 0 };
	VEC(u32) list = VEC_INIT;
	int err = 0;

	strlist_split(&parts, text, ", ");
	vec_for_each(&parts.list, s) {
		s64 v;

		if (parse_s64(*s, &v) || v < -1 || v > UINT32_MAX) {
			err = reason_set(r, EINVAL, "%s: '%s' is not a number", option, *s);
			break;
		}
		vec_push(&list, (u32)v);
	}
	strlist_release(&parts);
	if (err) {
		vec_release(&list);
		return err;
	}
	if (sorted)
		vec_sort(&list, u32_cmp);
	vec_reserve(&list, 1); /* an empty list lets nothing through */
	*out = list.items;
	*count = list.count;
	return 0;
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

static int parse_texts(struct report *p, struct reason *r)
{
	int err = 0;

	if (p->pids)
		err = parse_numbers("--pid", p->pids, true, &p->set.pids, &p->set.pid_count, r);
	if (!err && p->tids)
		err = parse_numbers("--tid", p->tids, true, &p->set.tids, &p->set.tid_count, r);
	if (!err && p->widths)
		err = parse_numbers("--column-widths", p->widths, false, &p->width_list,
				    &p->draw.width_count, r);
	if (!err && p->cpus && parse_cpu_list(p->cpus, 1 << 20, &p->cpu_list, &p->cpu_count))
		err = reason_set(r, EINVAL, "--cpu: '%s' is not a list of CPUs like 0,2-3",
				 p->cpus);
	if (!err)
		err = parse_limit(p, r);
	if (!err)
		err = parse_percentage(p, r);
	if (!err)
		err = parse_color(p, r);
	p->draw.widths = p->width_list;
	p->set.max_stack = p->max_stack;
	p->set.comms = p->comms;
	p->set.dsos = p->dsos;
	p->set.symbols = p->symbols;
	p->set.verbose = p->ctx->verbose > 0;
	return err;
}

/* ---- sockets ---- */

/* CPU_TOPOLOGY: two lists of texts, then (core, socket) for each CPU. */
static s32 *read_sockets(struct data_reader *d, u32 *count)
{
	bool swap = data_is_swapped(d);
	size_t size, at = 0;
	const u8 *p = data_feature(d, FEATURE_CPU_TOPOLOGY, &size);
	s32 *sockets;

	*count = 0;
	for (int list = 0; p && list < 2; list++) {
		u32 n = at + 4 <= size ? load_u32(p + at, swap) : UINT32_MAX;

		for (at += 4; n && at + 4 <= size; n--)
			at += 4 + (size_t)load_u32(p + at, swap);
		if (n || at > size)
			return NULL;
	}
	if (!p || at >= size)
		return NULL;
	*count = (u32)((size - at) / 8);
	sockets = xcalloc(*count + 1, sizeof(*sockets));
	for (u32 i = 0; i < *count; i++)
		sockets[i] = (s32)load_u32(p + at + i * 8 + 4, swap);
	return sockets;
}

/* ---- output ---- */

static bool nothing_counted(const struct hist_view *v)
{
	for (u32 m = 0; m < v->member_count; m++)
		if (v->totals[m].samples)
			return false;
	return true;
}

static void print_fixed(struct report *p, const struct strlist *l, const char *what)
{
	if (l->list.count == 1)
		out_f(&p->out, "# %s: %s\n", what, l->list.items[0]);
}

static int print_views(struct report *p)
{
	bool any = false;

	for (size_t i = 0; i < hist_view_count(p->hist); i++)
		any |= !nothing_counted(hist_view(p->hist, i));
	if (!any) {
		report_error("the data of '%s' has no samples",
			     data_path(session_data(p->session)));
		return 1;
	}
	if (!p->ctx->quiet) {
		print_fixed(p, &p->comms, "comm");
		print_fixed(p, &p->dsos, "dso");
		print_fixed(p, &p->symbols, "symbol");
		out_f(&p->out, "#\n# Total Lost Samples: %" PRIu64 "\n#\n",
		      session_stats(p->session)->lost_samples);
	}
	for (size_t i = 0; i < hist_view_count(p->hist); i++) {
		const struct hist_view *v = hist_view(p->hist, i);

		if (p->skip_empty && nothing_counted(v))
			continue;
		if (!p->ctx->quiet)
			stdio_hist_title(v, p->time, out_buf(&p->out));
		stdio_hist(&p->draw, v, &p->out);
	}
	if (!p->ctx->quiet)
		out_str(&p->out, "#\n# (Tip: exact numbers of samples: perf report -n)\n#\n");
	return 0;
}

static int report_samples(struct report *p, struct reason *r)
{
	struct event_set *events = session_events(p->session);
	u32 sockets;
	int err = settle_chains(p, r);

	if (!err)
		err = settle_times(p, r);
	if (err)
		return err;
	p->set.forced_group = p->group && p->group_given && !any_group(events);
	if (p->set.forced_group)
		force_group(events);
	p->set.group = p->group;
	p->set.sockets = read_sockets(session_data(p->session), &sockets);
	p->set.socket_count = sockets;
	p->hist = hist_new(p->ctx, events, session_history(p->session),
			   session_images(p->session), &p->set);
	err = hist_set_keys(p->hist, p->sort, p->fields, only_traces(p), r);
	if (!err && p->show_samples)
		err = hist_add_value(p->hist, "sample", r);
	if (!err && p->show_period)
		err = hist_add_value(p->hist, "period", r);
	if (!err && (events->sample_type_any & PERF_SAMPLE_RAW))
		hist_set_tracepoints(p->hist, data_tracepoints(session_data(p->session), NULL));
	p->draw.no_heads = p->ctx->quiet;
	p->draw.first_frame_known = p->sort && str_starts(p->sort, "sym") && !p->fields;
	if (!err)
		err = collect(p, r);
	return err ? err : print_views(p);
}

static int run(struct report *p, struct reason *r)
{
	struct data_reader *d = session_data(p->session);

	if (p->header || p->header_only) {
		data_header_print(d, out_buf(&p->out), p->show_info);
		if (p->header_only)
			return 0;
	} else if (!p->ctx->quiet && !p->stats && !p->tasks && !p->mmaps) {
		out_str(&p->out, "# To display the perf.data header info, please use "
				 "--header/--header-only options.\n#\n");
	}
	if (p->itrace_given && p->itrace && data_has_feature(d, FEATURE_AUXTRACE))
		report_warning("AUX area data is not decoded: --itrace has no effect");
	if (p->stats)
		return session_stats_text(p->session, p->skip_empty, out_buf(&p->out), r);
	if (p->tasks || p->mmaps)
		return session_tasks_text(p->session, p->mmaps, out_buf(&p->out), r);
	return report_samples(p, r);
}

static int open_and_run(struct report *p)
{
	struct reason r = REASON_INIT;
	int err = parse_texts(p, &r), code;

	if (err)
		return report_reason(&r), EXIT_USAGE;
	p->open.symbols.symfs = p->open.symbols.symfs ? p->open.symbols.symfs : p->ctx->symfs;
	p->open.symbols.no_demangle = !p->demangle;
	p->open.symbols.buildid_dir = p->ctx->buildid_dir;
	if (session_open(p->ctx, &p->open, &p->session, &r))
		return report_reason(&r);
	out_init(&p->out, STDOUT_FILENO);
	code = run(p, &r);
	if (code < 0)
		code = report_reason(&r);
	err = out_release(&p->out);
	if (report_output(err))
		code = 1;
	if (report_conditions(p->ctx) && !code)
		code = 1;
	hist_free(p->hist);
	session_free(p->session);
	return code;
}

int cmd_report(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf report [<options>] [SYMBOL]", NULL };
	struct report p = {
		.ctx = ctx, .children = config_bool(ctx, "report.children", true),
		.group = config_bool(ctx, "report.group", true), .skip_empty = true,
		.set.graph = { .mode = CALL_GRAPH_GRAPH, .threshold = 0.5 },
		.demangle = true, .set.time_quantum = 100000000, .max_stack = 127,
	};
	const struct option_row rows[] = {
		{ OPTION_STRING, 'i', "input", &p.open.input, .arg = "FILE",
		  .help = "the recorded file; -: standard input (default: perf.data)" },
		{ OPTION_COUNT, 'v', "verbose", &ctx->verbose,
		  .help = "show addresses and full object names" },
		{ OPTION_FLAG, 'q', "quiet", &ctx->quiet, .help = "print rows only, no heads" },
		{ OPTION_FLAG, 'f', "force", &p.open.force,
		  .help = "do not ask who owns the file" },
		{ OPTION_GROUP, .help = "Rows and columns" },
		{ OPTION_STRING, 's', "sort", &p.sort, .arg = "KEY[,KEY]...",
		  .help = "group by these keys (default: comm,dso,symbol); +KEY adds" },
		{ OPTION_STRING, 'F', "fields", &p.fields, .arg = "KEY[,KEY]...",
		  .help = "show these columns; +KEY adds" },
		{ OPTION_FLAG, 'n', "show-nr-samples", &p.show_samples,
		  .help = "show the number of samples" },
		{ OPTION_FLAG, 0, "show-total-period", &p.show_period,
		  .help = "show the sum of periods" },
		{ OPTION_FLAG, 0, "children", &p.children,
		  .help = "add what a function called to its share" },
		{ OPTION_FLAG, 0, "group", &p.group, .given = &p.group_given,
		  .help = "show the events of a group side by side" },
		{ OPTION_STRING, 'w', "column-widths", &p.widths, .arg = "N[,N]...",
		  .help = "width of each column, 0: as wide as needed" },
		{ OPTION_STRING, 't', "field-separator", &p.draw.separator, .arg = "CHAR",
		  .help = "part the columns by CHAR, without filling up" },
		{ OPTION_STRING, 0, "percent-limit", &p.percent_limit, .arg = "PERCENT",
		  .help = "leave out rows and branches below PERCENT" },
		{ OPTION_STRING, 0, "percentage", &p.percentage, .arg = "relative|absolute",
		  .help = "of what passes the filters, or of everything" },
		{ OPTION_DURATION, 0, "time-quantum", &p.set.time_quantum, .unit = 1000000,
		  .arg = "TIME", .help = "slices of the key time (default: 100ms)" },
		{ OPTION_GROUP, .help = "Call chains" },
		{ OPTION_CALLBACK, 'g', "call-graph", NULL, .set = set_graph,
		  .flags = OPT_LAST_DEFAULT, .arg = "TYPE,THRESHOLD[,LIMIT],ORDER,KEY,VALUE",
		  .help = "graph|fractal|flat|folded|none, caller|callee, function|address, "
			  "percent|period|count" },
		{ OPTION_CALLBACK, 'G', "inverted", NULL, .set = set_inverted,
		  .flags = OPT_OPTIONAL, .help = "outermost caller first: -g caller" },
		{ OPTION_UINT, 0, "max-stack", &p.max_stack, .arg = "N",
		  .help = "frames of a chain that are looked at, 0: all (default: 127)" },
		{ OPTION_STRING, 'p', "parent", &p.set.parent, .arg = "REGEX",
		  .help = "name the caller that matches, see the key parent" },
		{ OPTION_FLAG, 'x', "exclude-other", &p.set.exclude_other,
		  .help = "only chains with such a caller" },
		{ OPTION_GROUP, .help = "Which samples" },
		{ OPTION_CALLBACK, 'c', "comms", &p.comms, .set = set_names,
		  .arg = "COMM[,COMM]...", .help = "only these commands" },
		{ OPTION_CALLBACK, 'd', "dsos", &p.dsos, .set = set_names,
		  .arg = "DSO[,DSO]...", .help = "only these objects" },
		{ OPTION_CALLBACK, 'S', "symbols", &p.symbols, .set = set_names,
		  .arg = "SYMBOL[,SYMBOL]...", .help = "only these functions" },
		{ OPTION_STRING, 0, "symbol-filter", &p.set.symbol_filter, .arg = "TEXT",
		  .help = "only functions with TEXT in their name" },
		{ OPTION_STRING, 0, "pid", &p.pids, .arg = "PID[,PID]...",
		  .help = "only these processes" },
		{ OPTION_STRING, 0, "tid", &p.tids, .arg = "TID[,TID]...",
		  .help = "only these threads" },
		{ OPTION_STRING, 'C', "cpu", &p.cpus, .arg = "CPU[,CPU-CPU]...",
		  .help = "only these CPUs" },
		{ OPTION_STRING, 0, "time", &p.time, .arg = "RANGE",
		  .help = "only START,STOP in seconds, or parts as 10%/2, 0%-10%" },
		{ OPTION_FLAG, 'U', "hide-unresolved", &p.set.hide_unresolved,
		  .help = "only what has a function's name" },
		{ OPTION_GROUP, .help = "Symbols" },
		{ OPTION_STRING, 'k', "vmlinux", &p.open.symbols.vmlinux, .arg = "FILE",
		  .help = "the kernel's ELF file" },
		{ OPTION_FLAG, 0, "ignore-vmlinux", &p.open.symbols.ignore_vmlinux,
		  .help = "do not look for a vmlinux" },
		{ OPTION_STRING, 0, "kallsyms", &p.open.symbols.kallsyms, .arg = "FILE",
		  .help = "the kernel's symbol list" },
		{ OPTION_FLAG, 'm', "modules", &p.open.symbols.use_modules,
		  .help = "read the modules' files too" },
		{ OPTION_STRING, 0, "symfs", &p.open.symbols.symfs, .arg = "DIR",
		  .help = "look for objects below DIR" },
		{ OPTION_FLAG, 0, "demangle", &p.demangle,
		  .help = "show names as the source has them" },
		{ OPTION_FLAG, 0, "demangle-kernel", &p.open.symbols.demangle_kernel,
		  .help = "demangle kernel symbols" },
		{ OPTION_GROUP, .help = "Instead of, or around, the rows" },
		{ OPTION_FLAG, 0, "header", &p.header, .help = "print the file's header first" },
		{ OPTION_FLAG, 0, "header-only", &p.header_only,
		  .help = "print the file's header and nothing else" },
		{ OPTION_FLAG, 'I', "show-info", &p.show_info,
		  .help = "with --header: CPU and NUMA topology, caches, memory, too" },
		{ OPTION_FLAG, 0, "stats", &p.stats, .flags = OPT_NO_NEGATE,
		  .help = "print how many records of each kind there are" },
		{ OPTION_FLAG, 0, "skip-empty", &p.skip_empty,
		  .help = "leave out events and kinds of records that never came" },
		{ OPTION_FLAG, 0, "tasks", &p.tasks, .flags = OPT_NO_NEGATE,
		  .help = "print the tree of tasks" },
		{ OPTION_FLAG, 0, "mmaps", &p.mmaps, .flags = OPT_NO_NEGATE,
		  .help = "print the tree of tasks with their mappings" },
		{ OPTION_FLAG, 0, "stdio", &p.stdio, .help = "plain text" },
		{ OPTION_STRING, 0, "stdio-color", &p.color, .arg = "always|never|auto",
		  .flags = OPT_OPTIONAL, .help = "colours in plain text" },
		{ OPTION_STRING, 0, "itrace", &p.itrace, .arg = "OPTS", .flags = OPT_OPTIONAL,
		  .given = &p.itrace_given, .help = "how to decode AUX area data" },
		OPT_END_ROW,
	};
	const struct options o = {
		.command = "report", .usage = usage, .rows = rows, .settings = &p,
	};
	int code = options_parse(&o, &argc, argv);

	if (code)
		return code < 0 ? 0 : code;
	if (argc > 1)
		return options_usage_error(&o, "one symbol filter is enough");
	if (argc == 1)
		p.set.symbol_filter = argv[0];
	return open_and_run(&p);
}
