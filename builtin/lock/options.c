// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of perf lock and of its subcommands. */
#include <errno.h>
#include <string.h>

#include "bpf/lock.h"
#include "builtin/lock/internal.h"
#include "cli/say.h"

enum { STACK_DEPTH = 8, USER_STACK_DEPTH = 24, MOST_DEPTH = 127, MAP_ENTRIES = 16384 };

void lock_init(struct lock *l, struct context *ctx)
{
	*l = (struct lock){ .most_rows = UINT64_MAX,
			    .max_stack = STACK_DEPTH,
			    .map_entries = MAP_ENTRIES };
	analysis_init(&l->a, ctx);
}

void lock_release(struct lock *l)
{
	strlist_release(&l->delays);
}

static void common_rows(struct lock *l, option_rows *rows)
{
	struct symbol_options *s = &l->a.open.symbols;
	const struct option_row more[] = {
		{ OPTION_COUNT, 'v', "verbose", &l->a.ctx->verbose, .help = "show call chains" },
		{ OPTION_FLAG, 'q', "quiet", &l->a.ctx->quiet,
		  .help = "print no headings and no warnings" },
		{ OPTION_FLAG, 'D', "dump-raw-trace", &l->dump, .flags = OPT_HIDDEN,
		  .help = "perf script -D does that" },
		{ OPTION_STRING, 0, "output", &l->output, .arg = "FILE",
		  .help = "write the table to this file" },
		{ OPTION_STRING, 0, "vmlinux", &s->vmlinux, .arg = "FILE",
		  .help = "the kernel's ELF file" },
		{ OPTION_STRING, 0, "kallsyms", &s->kallsyms, .arg = "FILE",
		  .help = "a copy of /proc/kallsyms of the recorded kernel" },
		{ OPTION_STRING, 0, "time", &l->time, .arg = "RANGE",
		  .help = "only samples in this time range" },
	};

	input_option_rows(rows, &l->a.open.input, &l->a.open.force);
	option_rows_add(rows, more, ARRAY_SIZE(more));
}

/* Adds the options that report and contention have in common. */
static void table_rows(struct lock *l, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "The table" },
		{ OPTION_STRING, 'k', "key", &l->key, .arg = "KEY",
		  .help = "sort by acquired, contended, avg_wait, wait_total, wait_max, wait_min" },
		{ OPTION_STRING, 'F', "field", &l->fields, .arg = "FIELD[,FIELD]...",
		  .help = "show these columns, by the same names" },
		{ OPTION_U64, 'E', "entries", &l->most_rows, .arg = "N", .help = "at most N rows" },
		{ OPTION_STRING, 'x', "field-separator", &l->separator, .arg = "TEXT",
		  .help = "separate fields with TEXT, and show times in ns" },
		{ OPTION_FLAG, 'j', "json", &l->json, .help = "JSON" },
		{ OPTION_FLAG, 0, "hist", &l->histogram,
		  .help = "show how long the waits of each row were" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void report_rows(struct lock *l, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_FLAG, 'c', "combine-locks", &l->combine,
		  .help = "one row for the locks of a class" },
		{ OPTION_FLAG, 't', "threads", &l->threads, .help = "a row for each thread" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void info_rows(struct lock *l, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_FLAG, 't', "threads", &l->threads, .help = "list the threads" },
		{ OPTION_FLAG, 'm', "map", &l->map, .help = "list the locks and their classes" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static int add_delays(const struct option_call *call, struct reason *r)
{
	struct lock *l = call->settings;
	u64 ns;

	strlist_split(&l->delays, call->value, ",");
	vec_for_each(&l->delays.list, text)
		if (lock_parse_delay(*text, &ns, NULL, r))
			return -EINVAL;
	return 0;
}

static void contention_rows(struct lock *l, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_FLAG, 'b', "use-bpf", &l->use_bpf,
		  .help = "count in the running kernel; no recording" },
		{ OPTION_FLAG, 'a', "all-cpus", &l->all_cpus,
		  .help = "-b: the whole system, for as long as a command runs" },
		{ OPTION_U64, 'M', "map-nr-entries", &l->map_entries, .arg = "N",
		  .given = &l->map_entries_given,
		  .help = "-b: room for N rows and N open waits (16384)" },
		{ OPTION_CALLBACK, 'J', "inject-delay", NULL, .arg = "TIME@LOCK[,TIME@LOCK]...",
		  .set = add_delays, .flags = OPT_NO_NEGATE,
		  .help = "-b: let the task that gets the lock after a wait keep it longer, up to "
			  "10ms" },
		{ OPTION_GROUP, .help = "What a row stands for" },
		{ OPTION_FLAG, 't', "threads", &l->threads, .help = "a thread that waited" },
		{ OPTION_FLAG, 'l', "lock-addr", &l->by_address, .help = "a lock, by its address" },
		{ OPTION_FLAG, 'o', "lock-owner", &l->by_owner,
		  .help = "-b: a row for each thread that held the lock" },
		{ OPTION_FLAG, 0, "lock-cgroup", &l->by_cgroup,
		  .help = "-b: a row for each cgroup that waited" },
		{ OPTION_FLAG, 0, "user", &l->user,
		  .help = "locks of user space: waits in futex(2)" },
		{ OPTION_UINT, 0, "max-stack", &l->max_stack, .arg = "N",
		  .given = &l->max_stack_given, .help = "look at N frames of the call chain (8)" },
		{ OPTION_UINT, 0, "stack-skip", &l->stack_skip, .arg = "N",
		  .help = "after skipping the first N (0)" },
		{ OPTION_GROUP, .help = "Which waits" },
		{ OPTION_STRING, 'C', "cpu", &l->cpus, .arg = "CPUS",
		  .help = "on these CPUs: 0-2,5" },
		{ OPTION_STRING, 'p', "pid", &l->pids, .arg = "PIDS",
		  .help = "of these processes" },
		{ OPTION_STRING, 0, "tid", &l->tids, .arg = "TIDS", .help = "of these threads" },
		{ OPTION_STRING, 'Y', "type-filter", &l->types, .arg = "TYPE[,TYPE]...",
		  .help = "only these kinds of locks: spinlock, mutex, rwsem:W ..." },
		{ OPTION_STRING, 'L', "lock-filter", &l->locks, .arg = "LOCK[,LOCK]...",
		  .help = "only these locks: addresses or names" },
		{ OPTION_STRING, 'G', "cgroup-filter", &l->cgroups, .arg = "CGROUP[,CGROUP]...",
		  .help = "-b: in these cgroups" },
		{ OPTION_STRING, 'S', "callstack-filter", &l->callers, .arg = "NAME[,NAME]...",
		  .help = "only waits whose call chain has a function with this in its name" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void lock_option_rows(struct lock *l, enum lock_command which, option_rows *rows)
{
	const struct option_row end = OPT_END_ROW;

	common_rows(l, rows);
	if (which == LOCK_REPORT || which == LOCK_CONTENTION)
		table_rows(l, rows);
	if (which == LOCK_REPORT)
		report_rows(l, rows);
	if (which == LOCK_INFO)
		info_rows(l, rows);
	if (which == LOCK_CONTENTION)
		contention_rows(l, rows);
	option_rows_add(rows, &end, 1);
}

/* Chooses what a row is. Options that each choose that cannot be combined. */
static int choose_rows(struct lock *l, const struct options *o)
{
	int ways = l->threads + l->by_address + l->by_owner + l->by_cgroup;

	if (l->command == LOCK_CONTENTION && ways > 1)
		return options_usage_error(o,
					   "a row can be for only one of --threads, --lock-addr, "
					   "--lock-owner and "
					   "--lock-cgroup");
	if (l->by_address)
		l->by = LOCK_BY_ADDRESS;
	else if (l->by_owner)
		l->by = l->a.ctx->verbose > 0 ? LOCK_BY_OWNER_STACK : LOCK_BY_OWNER;
	else if (l->by_cgroup)
		l->by = LOCK_BY_CGROUP;
	else if (l->threads && l->command != LOCK_INFO)
		l->by = LOCK_BY_TASK;
	else
		l->by = l->command == LOCK_CONTENTION ? LOCK_BY_CALLER : LOCK_BY_ADDRESS;
	return 0;
}

static int check_texts(struct lock *l, const struct options *o)
{
	struct lock_columns columns;
	struct reason r = REASON_INIT;
	int err = lock_columns_parse(&columns, l->command, l->fields, l->key, &r), code = 0;

	if (!err && l->types)
		err = lock_types_check(l->types, &r);
	if (err)
		code = options_usage_error(o, "%s", r.text);
	reason_release(&r);
	return code;
}

int lock_settle(struct lock *l, const struct options *o)
{
	int code = choose_rows(l, o);

	if (!code)
		code = check_texts(l, o);
	if (code)
		return code;
	if (l->dump) {
		say_error("lock prints no records");
		say_hint("perf script -D does");
		return EXIT_USAGE;
	}
	if (l->user && !l->max_stack_given)
		l->max_stack = USER_STACK_DEPTH;
	if (!l->max_stack || l->max_stack > MOST_DEPTH)
		return options_usage_error(o, "--max-stack must be from 1 to %d", MOST_DEPTH);
	if (l->separator && !*l->separator)
		return options_usage_error(o, "--field-separator is empty");
	if (l->separator && l->json)
		return options_usage_error(o,
					   "--field-separator and --json are two forms of output");
	if (l->separator && l->histogram)
		return options_usage_error(
			o, "--hist draws below each row, and --field-separator has no such form: "
			   "--json has "
			   "histograms");
	if (l->command == LOCK_INFO && !l->threads && !l->map)
		return options_usage_error(o, "info lists --threads or the --map of locks");
	if (!l->use_bpf && (l->by_owner || l->by_cgroup || l->cgroups || l->all_cpus ||
			    l->map_entries_given || l->delays.list.count))
		return options_usage_error(
			o, "--lock-owner, --lock-cgroup, --cgroup-filter, --all-cpus, "
			   "--map-nr-entries and --inject-delay need --use-bpf");
	if (!l->map_entries || l->map_entries > INT32_MAX)
		return options_usage_error(o, "--map-nr-entries must be from 1 to %d", INT32_MAX);
	if (l->use_bpf && (l->a.open.input || l->time))
		return options_usage_error(
			o,
			"--use-bpf counts what happens now: --input and --time are for recordings");
	if (l->user && l->by_owner)
		return options_usage_error(
			o, "the kernel does not know who holds a lock of user space");
	if (l->callers && l->by == LOCK_BY_OWNER_STACK)
		return options_usage_error(
			o, "--callstack-filter is about those who wait, and rows by owner's stack "
			   "are not");
	if (l->user && (l->locks || l->delays.list.count))
		return options_usage_error(o, "%s is for locks of the kernel",
					   l->locks ? "--lock-filter" : "--inject-delay");
	if (l->delays.list.count > LOCK_DELAYS)
		return options_usage_error(o, "--inject-delay takes at most %d locks", LOCK_DELAYS);
	return 0;
}
