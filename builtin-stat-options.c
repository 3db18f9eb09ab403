// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat: its options, and which of them exclude each other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtin-stat.h"
#include "cli/options.h"
#include "event/cgroup.h"
#include "event/pfm.h"
#include "event/pmu.h"

static int add_events(const struct option_call *c, struct reason *r)
{
	struct stat_settings *s = c->settings;

	return event_parse(&s->parser, &s->set, c->value, r);
}

static int add_pfm_events(const struct option_call *c, struct reason *r)
{
	struct stat_settings *s = c->settings;
	struct event_parser parser = s->parser;

	if (!pfm_built_in())
		return reason_set(r, EOPNOTSUPP, "this perf is built without libpfm4");
	parser.pfm = true;
	return event_parse(&parser, &s->set, c->value, r);
}

static int add_filter(const struct option_call *c, struct reason *r)
{
	struct stat_settings *s = c->settings;

	return event_set_filter(&s->sys, &s->set, c->value, r);
}

static int add_cgroups(const struct option_call *c, struct reason *r)
{
	struct stat_settings *s = c->settings;

	return event_set_cgroups(&s->sys, &s->set, c->value, &s->next_cgroup, r);
}

static int by_cache(const struct option_call *c, struct reason *r)
{
	struct stat_settings *s = c->settings;

	(void)r;
	s->by = STAT_BY_CACHE;
	s->cache_level = c->value;
	return 0;
}

static int set_cputype(const struct option_call *c, struct reason *r)
{
	struct stat_settings *s = c->settings;
	struct strlist names = { VEC_INIT };
	bool there;

	if (s->set.list.count)
		return reason_set(r, EINVAL, "--cputype is for the events after it: give it before -e");
	free(s->core_pmu);
	s->core_pmu = xasprintf("cpu_%s", c->value);
	pmu_core_names(&s->sys, &names);
	there = strlist_has(&names, s->core_pmu);
	strlist_release(&names);
	s->parser.core_pmu = s->core_pmu;
	if (there)
		return 0;
	reason_set(r, EINVAL, "this machine has no CPUs of type '%s'", c->value);
	reason_hint(r, "types are core and atom, on hybrid machines only");
	return -EINVAL;
}

static int set_iostat(const struct option_call *c, struct reason *r)
{
	struct stat_settings *s = c->settings;

	(void)r;
	s->iostat = c->value ? c->value : "";
	s->system_wide = true;
	s->by = STAT_BY_CPU;
	return 0;
}

static bool cgroups_wanted(const struct stat_settings *s)
{
	return s->next_cgroup || s->for_each_cgroup;
}

/* What cannot be asked for together: NULL, or why. */
static const char *contradiction(const struct stat_settings *s, bool command)
{
	bool tasks = s->pids || s->tids || (command && !s->system_wide && !s->cpus);

	if (s->by != STAT_BY_ALL && s->by != STAT_BY_THREAD && tasks)
		return "-A and --per-* count by CPU: give -a or -C";
	if (s->by == STAT_BY_THREAD && s->cpus)
		return "--per-thread counts threads on every CPU: it does not go with -C";
	if (s->by == STAT_BY_THREAD && !s->pids && !s->tids && !s->system_wide)
		return "--per-thread needs -p, -t or -a";
	if (s->metric_only && s->by == STAT_BY_THREAD)
		return "--metric-only is not possible with --per-thread";
	if (cgroups_wanted(s) && tasks)
		return "cgroups are counted on CPUs: give -a or -C";
	if (cgroups_wanted(s) && s->by == STAT_BY_THREAD)
		return "cgroups are counted on CPUs, --per-thread in threads";
	if (s->next_cgroup && s->for_each_cgroup)
		return "-G and --for-each-cgroup both say where events are counted";
	if (s->record && s->repeat != 1)
		return "perf stat record writes one run: it does not go with -r";
	if (s->iostat && (s->set.list.count || s->metric_names.list.count || s->topdown ||
			  s->transaction || s->smi_cost || s->by != STAT_BY_CPU || s->pids || s->tids))
		return "--iostat counts the whole system by root port: no other events, tasks or domains";
	if (s->json && s->separator)
		return "-j and -x are two forms of output";
	if (s->percore_show_thread && s->by != STAT_BY_CPU)
		return "--percore-show-thread needs -A";
	if (s->interval_clear && !s->interval)
		return "--interval-clear needs -I";
	if (s->topdown_level && !s->topdown)
		return "--td-level needs --topdown";
	if (s->table && s->repeat < 2)
		return "--table shows several runs: give -r";
	if (s->repeat != 1 && !command)
		return "-r repeats a command: give one";
	if (s->interval && s->repeat != 1)
		return "-I and -r cannot be combined";
	if (s->interval_count && !s->interval)
		return "--interval-count needs -I";
	if (s->output && s->log_fd >= 0)
		return "-o and --log-fd both say where results go";
	if (s->repeat > 100000)
		return "that is too often for -r";
	return NULL;
}

#define BY(letter, name, kind, text)                                                              \
	{ OPTION_SET_INT, letter, name, &s->by, .unit = (kind), .help = text,                     \
	  .flags = OPT_NO_NEGATE }
#define FLAG(letter, name, var, text)                                                             \
	{ OPTION_FLAG, letter, name, var, .help = text }
#define TEXT(letter, name, var, param, text)                                                      \
	{ OPTION_STRING, letter, name, var, .arg = param, .help = text }

static void event_rows(struct stat_settings *s, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_CALLBACK, 'e', "event", .arg = "EVENT", .set = add_events,
		  .help = "event to count; see 'perf list'", .flags = OPT_NO_NEGATE },
		{ OPTION_CALLBACK, 0, "pfm-events", .arg = "EVENT", .set = add_pfm_events,
		  .help = "event to count by its name in libpfm4", .flags = OPT_NO_NEGATE },
		{ OPTION_CALLBACK, 0, "filter", .arg = "FILTER", .set = add_filter,
		  .help = "condition for the tracepoints before it", .flags = OPT_NO_NEGATE },
		{ OPTION_CALLBACK, 'G', "cgroup", .arg = "NAME", .set = add_cgroups,
		  .help = "count the events before it in these cgroups only", .flags = OPT_NO_NEGATE },
		TEXT(0, "for-each-cgroup", &s->for_each_cgroup, "NAME",
		     "count all events in each of these cgroups (names or regular expressions)"),
		{ OPTION_CALLBACK, 0, "cputype", .arg = "TYPE", .set = set_cputype,
		  .help = "core or atom: the kind of CPUs that events after it are counted on",
		  .flags = OPT_NO_NEGATE },
		{ OPTION_LIST, 'M', "metrics", &s->metric_names, .arg = "METRIC",
		  .help = "measure these metrics or metric groups; see 'perf list metric'",
		  .flags = OPT_NO_NEGATE },
		FLAG(0, "metric-no-group", &s->metric_no_group,
		     "do not count a metric's events as one group"),
		FLAG(0, "metric-no-merge", &s->metric_no_merge,
		     "do not share events between metrics"),
		FLAG(0, "metric-no-threshold", &s->metric_no_threshold,
		     "do not work out, and count for, thresholds of metrics"),
		FLAG(0, "topdown", &s->topdown, "where pipeline slots go (metric group TopdownL1)"),
		{ OPTION_INT, 0, "td-level", &s->topdown_level, .arg = "N",
		  .help = "with --topdown: TopdownLN in place of TopdownL1" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void target_rows(struct stat_settings *s, option_rows *rows)
{
	const struct option_row more[] = {
		FLAG('a', "all-cpus", &s->system_wide, "count on all CPUs"),
		TEXT('p', "pid", &s->pids, "PID", "count for these processes"),
		TEXT('t', "tid", &s->tids, "TID", "count for these threads"),
		TEXT('C', "cpu", &s->cpus, "LIST", "count on these CPUs: 0-3,7"),
		{ OPTION_FLAG, 'i', "inherit", &s->inherit, .flags = OPT_NEGATE_ONLY,
		  .help = "do not count for the command's children" },
		{ OPTION_COUNT, 'd', "detailed", &s->detailed,
		  .help = "also count cache events; -dd, -ddd: more of them" },
		FLAG('n', "null", &s->null_run, "count nothing, take the time"),
		FLAG('g', "group", &s->group, "put all events into one group"),
		FLAG(0, "all-user", &s->all_user, "count only in user space"),
		FLAG(0, "all-kernel", &s->all_kernel, "count only in the kernel"),
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void run_rows(struct stat_settings *s, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_U64, 'r', "repeat", &s->repeat, .arg = "N",
		  .help = "run the command N times, print means; 0: for ever" },
		FLAG(0, "table", &s->table, "with -r: also show each run"),
		FLAG('S', "sync", &s->sync, "call sync() before each run"),
		TEXT(0, "pre", &s->pre, "COMMAND", "run this before each run, uncounted"),
		TEXT(0, "post", &s->post, "COMMAND", "run this after each run, uncounted"),
		{ OPTION_INT, 'D', "delay", &s->delay, .arg = "MS",
		  .help = "start counting so long after the command" },
		{ OPTION_DURATION, 0, "timeout", &s->timeout, .arg = "MS", .unit = 1000000,
		  .help = "stop after this time, ending the command" },
		{ OPTION_DURATION, 'I', "interval-print", &s->interval, .arg = "MS",
		  .unit = 1000000, .help = "print what was counted at this interval" },
		{ OPTION_U64, 0, "interval-count", &s->interval_count, .arg = "N",
		  .help = "with -I: end after N intervals" },
		FLAG(0, "summary", &s->summary, "with -I: also print the whole at the end"),
		FLAG(0, "interval-clear", &s->interval_clear, "clear the screen before each interval"),
		TEXT(0, "control", &s->control_text, "fd:CTL[,ACK]|fifo:CTL[,ACK]",
		     "take commands (enable, disable ...) from a descriptor or fifo"),
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void line_rows(struct stat_settings *s, option_rows *rows)
{
	const struct option_row more[] = {
		BY('A', "no-aggr", STAT_BY_CPU, "a line for each CPU"),
		BY(0, "per-core", STAT_BY_CORE, "a line for each core"),
		BY(0, "per-cluster", STAT_BY_CLUSTER, "a line for each cluster of cores"),
		BY(0, "per-die", STAT_BY_DIE, "a line for each die"),
		{ OPTION_CALLBACK, 0, "per-cache", .arg = "LEVEL", .set = by_cache,
		  .help = "a line for each cache of the level (1, L2 ...; the last)",
		  .flags = OPT_NO_NEGATE | OPT_OPTIONAL },
		{ OPTION_SET_INT, 0, "aggr-socket", &s->by, .unit = STAT_BY_SOCKET,
		  .help = "the same as --per-socket", .flags = OPT_NO_NEGATE | OPT_HIDDEN },
		BY(0, "per-socket", STAT_BY_SOCKET, "a line for each socket"),
		BY(0, "per-node", STAT_BY_NODE, "a line for each NUMA node"),
		BY(0, "per-thread", STAT_BY_THREAD, "a line for each thread of -p, -t, -a"),
		FLAG(0, "percore-show-thread", &s->percore_show_thread,
		     "with -A: events with the term percore on each of a core's CPUs"),
		FLAG(0, "hybrid-merge", &s->hybrid_merge,
		     "one row for an event of several kinds of cores"),
		{ OPTION_FLAG, 0, "merge", &s->merge, .flags = OPT_NEGATE_ONLY,
		  .help = "a row for each instance of a PMU" },
		{ OPTION_FLAG, 0, "scale", &s->scale, .flags = OPT_NEGATE_ONLY,
		  .help = "do not extrapolate counts of shared counters" },
		FLAG('B', "big-num", &s->big_num, "group digits as the locale says (default)"),
		TEXT('x', "field-separator", &s->separator, "SEP",
		     "print rows for programs, separated by SEP"),
		FLAG('j', "json-output", &s->json, "print an object of JSON for each row"),
		{ OPTION_FLAG, 0, "metric-only", &s->metric_only, .given = &s->metric_only_given,
		  .help = "print ratios and metrics only" },
		FLAG(0, "hide-zero-events", &s->hide_zero, "leave out rows without a count"),
		{ OPTION_FLAG, 0, "csv-summary", &s->csv_summary, .flags = OPT_NEGATE_ONLY,
		  .help = "with -x, --summary: no 'summary' in front of its rows" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void output_rows(struct stat_settings *s, option_rows *rows)
{
	const struct option_row more[] = {
		TEXT('o', "output", &s->output, "FILE", "write the results to FILE"),
		FLAG(0, "append", &s->append, "with -o: append"),
		{ OPTION_INT, 0, "log-fd", &s->log_fd, .arg = "N",
		  .help = "write the results to this descriptor" },
		FLAG('T', "transaction", &s->transaction, "count hardware transactions"),
		FLAG(0, "smi-cost", &s->smi_cost, "measure what SMIs cost"),
		{ OPTION_CALLBACK, 0, "iostat", .arg = "PORTS", .set = set_iostat,
		  .help = "measure I/O by port, where the platform has counters for it",
		  .flags = OPT_NO_NEGATE | OPT_OPTIONAL },
		FLAG(0, "affinity", &s->affinity, "read each CPU's counters on that CPU"),
		FLAG(0, "bpf-counters", &s->bpf_counters, "share counters by BPF programs"),
		TEXT(0, "bpf-attr-map", &s->bpf_attr_map, "PATH", "where shared counters are pinned"),
		TEXT('b', "bpf-prog", &s->bpf_prog, "ID", "count in a BPF program"),
		FLAG(0, "quiet", &s->quiet, "print no results"),
		{ OPTION_COUNT, 'v', "verbose", &s->verbose, .help = "say more about what is done" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

int stat_parse_options(struct stat_settings *s, int *argc, const char **argv)
{
	static const char *const usage[] = { "perf stat [<options>] [<command>]",
					     "perf stat record [<options>] [<command>]",
					     "perf stat report [<options>]", NULL };
	option_rows rows = VEC_INIT;
	struct options o = { .command = "stat", .usage = usage, .stop_at_command = true, .settings = s };
	const char *why;
	int code;

	s->repeat = 1;
	event_rows(s, &rows);
	target_rows(s, &rows);
	run_rows(s, &rows);
	line_rows(s, &rows);
	output_rows(s, &rows);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	o.rows = rows.items;
	code = options_parse(&o, argc, argv);
	if (s->separator && !strcmp(s->separator, "\\t"))
		s->separator = "\t";
	why = code ? NULL : contradiction(s, *argc > 0);
	if (why)
		code = options_usage_error(&o, "%s", why);
	vec_release(&rows);
	return code;
}
