// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat: its options, and which of them exclude each other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/stat/internal.h"
#include "builtin/stat/versus.h"
#include "cli/options.h"
#include "event/cgroup.h"
#include "event/pfm.h"
#include "event/pmu.h"

static int add_events(const struct option_call *c, struct reason *r)
{
	struct stat_session *q = c->settings;

	return event_parse(&q->events.parser, &q->events.set, c->value, r);
}

static int add_pfm_events(const struct option_call *c, struct reason *r)
{
	struct stat_session *q = c->settings;
	struct event_parser parser = q->events.parser;

	if (!pfm_built_in())
		return reason_set(r, EOPNOTSUPP, "this perf is built without libpfm4");
	parser.pfm = true;
	return event_parse(&parser, &q->events.set, c->value, r);
}

static int add_filter(const struct option_call *c, struct reason *r)
{
	struct stat_session *q = c->settings;

	return event_set_filter(&q->events.sys, &q->events.set, c->value, FILTER_TRACEPOINTS, r);
}

static int add_cgroups(const struct option_call *c, struct reason *r)
{
	struct stat_session *q = c->settings;

	return event_set_cgroups(&q->events.sys, &q->events.set, c->value, &q->events.next_cgroup,
				 r);
}

static int parse_delay(const struct option_call *c, struct reason *r)
{
	struct stat_session *q = c->settings;

	return stat_parse_delay(&q->ask, c->negated ? "0" : c->value, r);
}

static int by_cache(const struct option_call *c, struct reason *r)
{
	struct stat_session *q = c->settings;

	(void)r;
	q->ask.by = STAT_BY_CACHE;
	q->ask.cache_level = c->value;
	return 0;
}

static int set_cputype(const struct option_call *c, struct reason *r)
{
	struct stat_session *q = c->settings;
	struct strlist names = { VEC_INIT };
	bool there;

	if (q->events.set.list.count)
		return reason_set(r, EINVAL,
				  "--cputype is for the events after it: give it before -e");
	free(q->events.core_pmu);
	q->events.core_pmu = xasprintf("cpu_%s", c->value);
	pmu_core_names(&q->events.sys, &names);
	there = strlist_has(&names, q->events.core_pmu);
	strlist_release(&names);
	q->events.parser.core_pmu = q->events.core_pmu;
	if (there)
		return 0;
	reason_set(r, EINVAL, "this machine has no CPUs of type '%s'", c->value);
	reason_hint(r, "types are core and atom, on hybrid machines only");
	return -EINVAL;
}

static int set_within(const struct option_call *c, struct reason *r)
{
	struct stat_session *q = c->settings;
	double percent;

	if (parse_percent(c->value, &percent) || !(percent > 0)) {
		reason_usage(r, "'%s' is not a percentage above 0", c->value);
		reason_hint(r, "give one such as --within 0.5%%");
		return -EINVAL;
	}
	q->ask.within = percent / 100;
	return 0;
}

static int set_iostat(const struct option_call *c, struct reason *r)
{
	struct stat_session *q = c->settings;

	(void)r;
	q->ask.iostat = c->value ? c->value : "";
	q->ask.system_wide = true;
	q->ask.by = STAT_BY_CPU;
	return 0;
}

static bool cgroups_wanted(const struct stat_session *q)
{
	return q->events.next_cgroup || q->ask.for_each_cgroup;
}

/* Returns why the options contradict each other, or NULL. */
static const char *contradiction(const struct stat_session *q, bool command)
{
	bool tasks = stat_counts_tasks(&q->ask) || (command && !q->ask.system_wide && !q->ask.cpus);

	if (q->ask.by != STAT_BY_ALL && q->ask.by != STAT_BY_THREAD && tasks && !q->ask.cpus)
		return "-A and --per-* count by CPU: give -a or -C";
	if (q->ask.by == STAT_BY_THREAD && q->ask.cpus)
		return "--per-thread counts threads on every CPU and cannot be combined with -C";
	if (q->ask.by == STAT_BY_THREAD && !stat_counts_tasks(&q->ask) && !q->ask.system_wide)
		return "--per-thread needs -p, -t, -u or -a";
	if (cgroups_wanted(q) && tasks)
		return "cgroups are counted on CPUs: give -a or -C";
	if (cgroups_wanted(q) && q->ask.by == STAT_BY_THREAD)
		return "cgroups are counted on CPUs, --per-thread in threads";
	if (q->events.next_cgroup && q->ask.for_each_cgroup)
		return "-G and --for-each-cgroup both say where events are counted";
	if (q->ask.record && q->ask.repeat != 1)
		return "perf stat record writes one run and cannot be combined with -r";
	if (q->ask.iostat && (q->events.set.list.count || q->ask.metric_names.list.count ||
			      q->ask.topdown || q->ask.transaction || q->ask.smi_cost ||
			      q->ask.by != STAT_BY_CPU || stat_counts_tasks(&q->ask)))
		return "--iostat counts the whole system by root port: no other events, tasks or "
		       "domains";
	if (q->ask.bpf_prog && (stat_counts_tasks(&q->ask) || cgroups_wanted(q)))
		return "-b counts in BPF programs, whatever task or cgroup runs them";
	if (q->ask.bpf_prog && q->ask.by == STAT_BY_THREAD)
		return "-b counts on CPUs, --per-thread in threads";
	if (q->ask.json && q->ask.separator)
		return "-j and -x are two forms of output";
	if (q->ask.percore_show_thread && q->ask.by != STAT_BY_CPU)
		return "--percore-show-thread needs -A";
	if (q->ask.interval_clear && !q->ask.interval)
		return "--interval-clear needs -I";
	if (q->ask.topdown_level && !q->ask.topdown)
		return "--td-level needs --topdown";
	if (q->ask.table && q->ask.repeat < 2)
		return "--table shows several runs: give -r";
	if (q->ask.repeat != 1 && !command)
		return "-r repeats a command: give one";
	if (q->ask.interval && q->ask.repeat != 1)
		return "-I and -r cannot be combined";
	if (q->ask.interval_count && !q->ask.interval)
		return "--interval-count needs -I";
	if (q->ask.output && q->ask.log_fd >= 0)
		return "-o and --log-fd both say where results go";
	if (q->ask.repeat > 100000)
		return "that is too often for -r";
	return NULL;
}

#define BY(letter, name, kind, text)                                                               \
	{                                                                                          \
		OPTION_SET_INT, letter, name, &q->ask.by, .unit = (kind), .help = text,            \
							  .flags = OPT_NO_NEGATE                   \
	}
#define FLAG(letter, name, var, text)                                                              \
	{                                                                                          \
		OPTION_FLAG, letter, name, var, .help = text                                       \
	}
#define TEXT(letter, name, var, param, text)                                                       \
	{                                                                                          \
		OPTION_STRING, letter, name, var, .arg = param, .help = text                       \
	}

static void event_rows(struct stat_session *q, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_CALLBACK, 'e', "event", .arg = "EVENT", .set = add_events,
		  .help = "event to count; see 'perf list'", .flags = OPT_NO_NEGATE },
		{ OPTION_CALLBACK, 0, "pfm-events", .arg = "EVENT", .set = add_pfm_events,
		  .help = "event to count by its name in libpfm4", .flags = OPT_NO_NEGATE },
		{ OPTION_CALLBACK, 0, "filter", .arg = "FILTER", .set = add_filter,
		  .help = "filter for the tracepoints before it", .flags = OPT_NO_NEGATE },
		{ OPTION_CALLBACK, 'G', "cgroup", .arg = "NAME", .set = add_cgroups,
		  .help = "count the events before it in these cgroups only",
		  .flags = OPT_NO_NEGATE },
		TEXT(0, "for-each-cgroup", &q->ask.for_each_cgroup, "NAME",
		     "count all events in each of these cgroups (names or regular expressions)"),
		{ OPTION_CALLBACK, 0, "cputype", .arg = "TYPE", .set = set_cputype,
		  .help = "core or atom: the kind of CPUs to count the following events on",
		  .flags = OPT_NO_NEGATE },
		{ OPTION_LIST, 'M', "metrics", &q->ask.metric_names, .arg = "METRIC",
		  .help = "measure these metrics or metric groups; see 'perf list metric'",
		  .flags = OPT_NO_NEGATE },
		FLAG(0, "metric-no-group", &q->ask.metric_no_group,
		     "do not count a metric's events as one group"),
		FLAG(0, "metric-no-merge", &q->ask.metric_no_merge,
		     "do not share events between metrics"),
		FLAG(0, "metric-no-threshold", &q->ask.metric_no_threshold,
		     "leave out the thresholds of metrics, and do not count events for them"),
		FLAG(0, "topdown", &q->ask.topdown,
		     "where pipeline slots go (metric group TopdownL1)"),
		{ OPTION_INT, 0, "td-level", &q->ask.topdown_level, .arg = "N",
		  .help = "with --topdown: TopdownLN in place of TopdownL1" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void target_rows(struct stat_session *q, option_rows *rows)
{
	const struct option_row more[] = {
		FLAG('a', "all-cpus", &q->ask.system_wide, "count on all CPUs"),
		TEXT('p', "pid", &q->ask.pids, "PID", "count for these processes"),
		TEXT('t', "tid", &q->ask.tids, "TID", "count for these threads"),
		TEXT('u', "uid", &q->ask.user, "USER", "count all that a user runs"),
		TEXT('C', "cpu", &q->ask.cpus, "CPUS", "count on these CPUs: 0-3,7"),
		{ OPTION_FLAG, 'i', "inherit", &q->ask.inherit, .flags = OPT_NEGATE_ONLY,
		  .help = "do not count for the command's children" },
		{ OPTION_COUNT, 'd', "detailed", &q->ask.detailed,
		  .help = "also count cache events; -dd, -ddd: more of them" },
		FLAG('n', "null", &q->ask.null_run, "count nothing, only measure the time"),
		FLAG('g', "group", &q->ask.group, "put all events into one group"),
		FLAG(0, "all-user", &q->ask.all_user, "count only in user space"),
		FLAG(0, "all-kernel", &q->ask.all_kernel, "count only in the kernel"),
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void run_rows(struct stat_session *q, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_U64, 'r', "repeat", &q->ask.repeat, .arg = "N",
		  .given = &q->ask.repeat_given,
		  .help = "run the command N times, print means; 0: for ever" },
		FLAG(0, "table", &q->ask.table, "with -r: also show each run"),
		FLAG('S', "sync", &q->ask.sync, "call sync() before each run"),
		TEXT(0, "pre", &q->ask.pre, "COMMAND", "run this before each run, uncounted"),
		TEXT(0, "post", &q->ask.post, "COMMAND", "run this after each run, uncounted"),
		{ OPTION_CALLBACK, 'D', "delay", .arg = "MS", .set = parse_delay,
		  .help = "start counting after MS (500, 2s), or count in ranges (10-20,30-40)" },
		{ OPTION_DURATION, 0, "timeout", &q->ask.timeout, .arg = "MS", .unit = 1000000,
		  .help = "stop after this time, ending the command" },
		{ OPTION_DURATION, 'I', "interval-print", &q->ask.interval, .arg = "MS",
		  .unit = 1000000, .help = "print what was counted at this interval" },
		{ OPTION_U64, 0, "interval-count", &q->ask.interval_count, .arg = "N",
		  .help = "with -I: end after N intervals" },
		FLAG(0, "summary", &q->ask.summary, "with -I: also print the whole at the end"),
		FLAG(0, "interval-clear", &q->ask.interval_clear,
		     "clear the screen before each interval"),
		TEXT(0, "control", &q->ask.control, "fd:CTL[,ACK]|fifo:CTL[,ACK]",
		     "take commands (enable, disable ...) from a descriptor or fifo"),
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void versus_rows(struct stat_session *q, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_LIST, 0, "versus", &q->ask.rivals, .arg = "COMMAND",
		  .help = "compare the command with this one, by runs in turn",
		  .flags = OPT_NO_NEGATE | OPT_YIELDS },
		{ OPTION_CALLBACK, 0, "within", .arg = "PERCENT", .set = set_within,
		  .given = &q->ask.within_given,
		  .help = "with --versus: until the interval reaches that far to either side (1%)",
		  .flags = OPT_NO_NEGATE },
		{ OPTION_DURATION, 0, "max-time", &q->ask.max_time, .arg = "SECONDS",
		  .unit = 1000000000, .given = &q->ask.max_time_given,
		  .help = "with --versus: no longer than this (60)", .flags = OPT_NO_NEGATE },
		TEXT(0, "fail-above", &q->ask.fail_above, "EVENT:PERCENT",
		     "with --versus: exit with 3 when a rival has more than this above the "
		     "command"),
		FLAG(0, "show-output", &q->ask.show_output,
		     "with --versus: show what the commands print"),
		FLAG(0, "ignore-failure", &q->ask.ignore_failure,
		     "with --versus: go on when a command fails"),
		FLAG(0, "markdown", &q->ask.markdown, "with --versus: print tables of Markdown"),
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void line_rows(struct stat_session *q, option_rows *rows)
{
	const struct option_row more[] = {
		BY('A', "no-aggr", STAT_BY_CPU, "a line for each CPU"),
		BY(0, "per-core", STAT_BY_CORE, "a line for each core"),
		BY(0, "per-cluster", STAT_BY_CLUSTER, "a line for each cluster of cores"),
		BY(0, "per-die", STAT_BY_DIE, "a line for each die"),
		{ OPTION_CALLBACK, 0, "per-cache", .arg = "LEVEL", .set = by_cache,
		  .help = "a line for each cache of the level (1, L2 ...; the last)",
		  .flags = OPT_NO_NEGATE | OPT_OPTIONAL },
		{ OPTION_SET_INT, 0, "aggr-socket", &q->ask.by, .unit = STAT_BY_SOCKET,
		  .help = "the same as --per-socket", .flags = OPT_NO_NEGATE | OPT_HIDDEN },
		BY(0, "per-socket", STAT_BY_SOCKET, "a line for each socket"),
		BY(0, "per-node", STAT_BY_NODE, "a line for each NUMA node"),
		BY(0, "per-thread", STAT_BY_THREAD, "a line for each thread of -p, -t, -u, -a"),
		FLAG(0, "percore-show-thread", &q->ask.percore_show_thread,
		     "with -A: events with the term percore on each of a core's CPUs"),
		FLAG(0, "hybrid-merge", &q->ask.hybrid_merge,
		     "one row for an event of several kinds of cores"),
		{ OPTION_FLAG, 0, "merge", &q->ask.merge, .flags = OPT_NEGATE_ONLY,
		  .help = "a row for each instance of a PMU" },
		{ OPTION_FLAG, 0, "scale", &q->ask.scale, .flags = OPT_NEGATE_ONLY,
		  .help = "do not extrapolate counts of shared counters" },
		FLAG('B', "big-num", &q->ask.big_num, "group digits as the locale says (default)"),
		TEXT('x', "field-separator", &q->ask.separator, "SEP",
		     "print rows for programs, separated by SEP"),
		FLAG('j', "json-output", &q->ask.json, "print an object of JSON for each row"),
		{ OPTION_FLAG, 0, "metric-only", &q->ask.metric_only,
		  .given = &q->ask.metric_only_given, .help = "print ratios and metrics only" },
		FLAG(0, "hide-zero-events", &q->ask.hide_zero, "leave out rows without a count"),
		{ OPTION_FLAG, 0, "csv-summary", &q->ask.csv_summary, .flags = OPT_NEGATE_ONLY,
		  .help = "with -x, --summary: no 'summary' in front of its rows" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void output_rows(struct stat_session *q, option_rows *rows)
{
	const struct option_row more[] = {
		TEXT('o', "output", &q->ask.output, "FILE", "write the results to FILE"),
		FLAG(0, "append", &q->ask.append, "with -o: append"),
		{ OPTION_INT, 0, "log-fd", &q->ask.log_fd, .arg = "N",
		  .help = "write the results to this descriptor" },
		FLAG('T', "transaction", &q->ask.transaction, "count hardware transactions"),
		FLAG(0, "smi-cost", &q->ask.smi_cost, "measure what SMIs cost"),
		{ OPTION_CALLBACK, 0, "iostat", .arg = "PORTS", .set = set_iostat,
		  .help = "measure I/O by port, where the platform has counters for it",
		  .flags = OPT_NO_NEGATE | OPT_OPTIONAL },
		FLAG(0, "affinity", &q->ask.affinity, "read each CPU's counters on that CPU"),
		FLAG(0, "bpf-counters", &q->ask.bpf_counters,
		     "count with BPF programs that several perfs share"),
		TEXT(0, "bpf-attr-map", &q->ask.bpf_attr_map, "PATH",
		     "the pinned map of shared counters"),
		TEXT('b', "bpf-prog", &q->ask.bpf_prog, "ID", "count while these BPF programs run"),
		FLAG(0, "quiet", &q->ask.quiet, "print no results"),
		{ OPTION_COUNT, 'v', "verbose", &q->ask.verbose, .help = "be more verbose" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

/*
 * Reports whether none of the events of -e can count for a task. Then -a need not be given, as in
 * 6.1.
 */
static bool all_system_wide(const struct stat_events *e)
{
	bool any = false;

	vec_for_each(&e->set.list, it) {
		if (!(*it)->tool && !stat_is_uncore(e, *it))
			return false;
		any |= !(*it)->tool;
	}
	return any;
}

/* Settles what follows from the options together, before the request becomes constant. */
static void finish_request(struct stat_session *q)
{
	struct stat_request *ask = &q->ask;

	if (ask->separator && !strcmp(ask->separator, "\\t"))
		ask->separator = "\t";
	if (ask->bpf_attr_map)
		ask->bpf_counters = true;
	if (!q->argv || all_system_wide(&q->events) || ask->bpf_prog)
		ask->system_wide |= !stat_counts_tasks(ask) && !ask->cpus;
	if (ask->system_wide && stat_counts_tasks(ask)) {
		condition_add(&q->ctx->conditions, CONDITION_WARNING, "stat-all-cpus", NULL, NULL,
			      1, NULL, "-a is ignored with %s", ask->user ? "-u" : "-p or -t");
		ask->system_wide = false;
	}
	/* separate metrics, shown alone unless --no-metric-only asks for the counts */
	if ((ask->topdown || ask->smi_cost) && !ask->metric_only_given)
		ask->metric_only = true;
}

static void all_rows(struct stat_session *q, option_rows *rows)
{
	event_rows(q, rows);
	target_rows(q, rows);
	run_rows(q, rows);
	versus_rows(q, rows);
	line_rows(q, rows);
	output_rows(q, rows);
	vec_push(rows, (struct option_row)OPT_END_ROW);
}

bool stat_has_option(const char *word, const char *next, bool *takes_next)
{
	struct stat_session nobody = { 0 };
	struct options o = { .command = "stat" };
	option_rows rows = VEC_INIT;
	bool has;

	all_rows(&nobody, &rows);
	o.rows = rows.items;
	has = options_find(&o, word, next, takes_next);
	vec_release(&rows);
	return has;
}

int stat_parse_options(struct stat_session *q, int *argc, const char **argv)
{
	static const char *const usage[] = { "perf stat [<options>] [<command>]",
					     "perf stat record [<options>] [<command>]",
					     "perf stat report [<options>]", NULL };
	static const char *const subcommands[] = { "record", "report", NULL };
	option_rows rows = VEC_INIT;
	struct options o = { .command = "stat",
			     .usage = usage,
			     .subcommands = subcommands,
			     .stop_at_command = true,
			     .settings = q };
	const char *why;
	int code;

	all_rows(q, &rows);
	o.rows = rows.items;
	code = options_parse(&o, argc, argv);
	why = code ? NULL : versus_contradiction(&q->ask, *argc > 0, cgroups_wanted(q));
	if (!code && !why)
		why = contradiction(q, *argc > 0);
	if (why)
		code = options_usage_error(&o, "%s", why);
	q->argv = *argc > 0 ? argv : NULL;
	if (!code)
		finish_request(q);
	vec_release(&rows);
	return code;
}
