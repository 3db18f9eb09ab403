// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat: count events of a command, of tasks, of CPUs. */
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/out.h"
#include "builtin-stat.h"
#include "builtin.h"
#include "cli/options.h"
#include "cli/report.h"

/* ---- events ---- */

static int add_events(const struct option_call *c, struct reason *r)
{
	struct stat_settings *s = c->settings;

	return event_parse(&s->parser, &s->set, c->value, r);
}

static int add_filter(const struct option_call *c, struct reason *r)
{
	struct stat_settings *s = c->settings;

	return event_set_filter(&s->set, c->value, r);
}

/* Stalls are counted where the CPU's PMU names such events. */
static const char *stalls(const struct stat_settings *s)
{
	static const char dir[] = "/sys/bus/event_source/devices/cpu/events";
	bool front = sys_exists(&s->sys, "%s/stalled-cycles-frontend", dir);
	bool back = sys_exists(&s->sys, "%s/stalled-cycles-backend", dir);

	return front && back ? ",stalled-cycles-frontend,stalled-cycles-backend" :
	       front	     ? ",stalled-cycles-frontend" :
	       back	     ? ",stalled-cycles-backend" :
			       "";
}

static int add_default_events(struct stat_settings *s, struct reason *r)
{
	static const char *const details[] = {
		"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
		"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,"
		"iTLB-load-misses",
		"L1-dcache-prefetches,L1-dcache-prefetch-misses",
	};
	int err = 0;

	if (s->null_run) {
		event_set_truncate(&s->set, 0);
		return 0;
	}
	if (!s->set.list.count) {
		char *text = xasprintf("%s,context-switches,cpu-migrations,page-faults,cycles%s,"
				       "instructions,branches,branch-misses",
				       s->system_wide || s->cpus ? "cpu-clock" : "task-clock",
				       stalls(s));

		err = event_parse(&s->parser, &s->set, text, r);
		free(text);
	}
	for (int i = 0; !err && i < s->detailed && i < (int)ARRAY_SIZE(details); i++)
		err = event_parse(&s->parser, &s->set, details[i], r);
	return err;
}

static void adjust_events(struct stat_settings *s)
{
	vec_for_each(&s->set.list, it) {
		struct perf_event_attr *attr = &(*it)->attr;

		if (s->all_user)
			attr->flags |= ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
		if (s->all_kernel)
			attr->flags |= ATTR_EXCLUDE_USER;
		/* nothing is sampled */
		attr->sample_type = 0;
		if (!(*it)->user_period)
			attr->sample_period = 0;
		if (s->group && it != s->set.list.items) {
			(*it)->leader = s->set.list.items[0];
			s->set.list.items[0]->members = (u32)s->set.list.count;
		}
	}
}

/* ---- target ---- */

static char *command_line(const char *const *argv)
{
	struct strbuf b = STRBUF_INIT;

	strbuf_char(&b, '\'');
	for (; *argv; argv++)
		strbuf_f(&b, "%s%s", *argv, argv[1] ? " " : "'");
	return strbuf_detach(&b);
}

static int choose_cpus(struct stat_session *q, struct reason *r)
{
	const char *list = q->s->cpus;
	int err = parse_cpu_list(list, UINT16_MAX, &q->target.cpus, &q->target.cpu_count);

	if (err)
		return reason_set(r, EINVAL, "'%s' is no list of CPUs, such as 0-3,7", list);
	for (size_t i = 0; i < q->target.cpu_count; i++) {
		const struct cpu_place *p =
			cpu_topology_find(&q->topology, q->target.cpus[i]);

		if (!p || !p->online)
			return reason_set(r, EINVAL, "there is no CPU %u online",
					  q->target.cpus[i]);
	}
	return 0;
}

static int choose_target(struct stat_session *q, struct reason *r)
{
	struct stat_settings *s = q->s;
	int err = 0;

	q->target.inherit = s->inherit;
	q->target.per_thread = s->by == STAT_BY_THREAD;
	if (!q->argv && !s->pids && !s->tids && !s->cpus)
		s->system_wide = true;
	if (s->cpus || s->system_wide)
		q->target.system_wide = !s->pids && !s->tids;
	if (s->cpus)
		err = choose_cpus(q, r);
	if (!err && s->pids)
		err = target_add_pids(&q->target, s->pids, r);
	if (!err && s->tids)
		err = target_add_tids(&q->target, s->tids, r);
	q->title = s->pids ? xasprintf("process id '%s'", s->pids) :
		   s->tids ? xasprintf("thread id '%s'", s->tids) :
		   s->cpus ? xasprintf("'CPU(s) %s'", s->cpus) :
		   q->target.system_wide ? xstrdup("'system wide'") :
					   command_line(q->argv);
	return err;
}

/* ---- the command ---- */

static int open_output(struct stat_session *q, struct reason *r)
{
	const struct stat_settings *s = q->s;
	time_t now = time(NULL);
	char date[32];
	char *line;

	q->fd = s->log_fd >= 0 ? s->log_fd : STDERR_FILENO;
	if (s->log_fd >= 0 && fcntl(s->log_fd, F_GETFD) < 0)
		return reason_errno(r, errno, "cannot write to descriptor %d", s->log_fd);
	if (s->output) {
		q->fd = open(s->output,
			     O_WRONLY | O_CREAT | O_CLOEXEC | (s->append ? O_APPEND : O_TRUNC),
			     0644);
		if (q->fd < 0)
			return reason_errno(r, errno, "cannot write '%s'", s->output);
	}
	if (s->output || s->log_fd >= 0) {
		line = xasprintf("# started on %s\n", ctime_r(&now, date));
		write_all(q->fd, line, strlen(line));
		free(line);
	}
	return 0;
}

/* The user's locale decides about thousands; the decimal point stays a point. */
static void choose_style(struct stat_session *q, char *thousands, size_t size)
{
	locale_t locale = newlocale(LC_NUMERIC_MASK, "", (locale_t)0);

	thousands[0] = '\0';
	if (locale && q->s->big_num)
		snprintf(thousands, size, "%s", nl_langinfo_l(THOUSEP, locale));
	if (locale)
		freelocale(locale);
	q->style = (struct stat_style){ .separator = q->s->separator, .thousands = thousands,
					.unit_width = 4, .merge = q->s->merge,
					.scale = q->s->scale };
	if (q->s->separator && !strcmp(q->s->separator, "\\t"))
		q->style.separator = q->s->separator = "\t";
	vec_for_each(&q->s->set.list, it)
		if ((*it)->unit)
			q->style.unit_width =
				MAX(q->style.unit_width, (unsigned)strlen((*it)->unit));
}

static void release(struct stat_session *q)
{
	if (q->ready) {
		stat_table_release(&q->table);
		stat_domains_release(&q->domains);
	}
	cpu_topology_release(&q->topology);
	target_release(&q->target);
	vec_release(&q->runs);
	free(q->title);
	if (q->s->output && q->fd >= 0)
		close(q->fd);
}

static int exit_code(struct stat_session *q)
{
	if (stat_signal())
		return 128 + stat_signal();
	return q->argv && !q->cut_short ? workload_exit_code(&q->workload) : 0;
}

static int stat_run(struct stat_session *q)
{
	struct reason r = REASON_INIT;
	char thousands[8];
	int err, code;

	cpu_topology_read(&q->s->sys, &q->topology, NULL);
	err = choose_target(q, &r);
	if (!err)
		err = add_default_events(q->s, &r);
	if (!err) {
		adjust_events(q->s);
		choose_style(q, thousands, sizeof(thousands));
		err = open_output(q, &r);
	}
	if (!err)
		err = stat_run_all(q, &r);
	code = err ? report_reason(&r) : exit_code(q);
	if (!err && !q->s->separator)
		report_conditions(q->ctx);
	live_close_in_background(q->live);
	release(q);
	return code;
}

/* What cannot be asked for together: NULL, or why. */
static const char *contradiction(const struct stat_settings *s, bool command)
{
	bool tasks = s->pids || s->tids || (command && !s->system_wide && !s->cpus);

	if (s->by != STAT_BY_ALL && s->by != STAT_BY_THREAD && tasks)
		return "-A and --per-* count by CPU: give -a or -C";
	if (s->by == STAT_BY_THREAD && !s->pids && !s->tids)
		return "--per-thread needs -p or -t";
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

static int parse_options(struct stat_settings *s, int *argc, const char **argv)
{
	static const char *const usage[] = { "perf stat [<options>] [<command>]", NULL };
	u64 repeat = 1;
	int delay_int = 0;
	const struct option_row rows[] = {
		{ OPTION_CALLBACK, 'e', "event", .arg = "EVENT", .set = add_events,
		  .help = "event to count; see 'perf list'", .flags = OPT_NO_NEGATE },
		{ OPTION_CALLBACK, 0, "filter", .arg = "FILTER", .set = add_filter,
		  .help = "condition for the tracepoints before it", .flags = OPT_NO_NEGATE },
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
		{ OPTION_U64, 'r', "repeat", &repeat, .arg = "N",
		  .help = "run the command N times, print means; 0: for ever" },
		FLAG(0, "table", &s->table, "with -r: also show each run"),
		FLAG('S', "sync", &s->sync, "call sync() before each run"),
		TEXT(0, "pre", &s->pre, "COMMAND", "run this before each run, uncounted"),
		TEXT(0, "post", &s->post, "COMMAND", "run this after each run, uncounted"),
		{ OPTION_INT, 'D', "delay", &delay_int, .arg = "MS",
		  .help = "start counting so long after the command" },
		{ OPTION_DURATION, 0, "timeout", &s->timeout, .arg = "MS", .unit = 1000000,
		  .help = "stop after this time, ending the command" },
		{ OPTION_DURATION, 'I', "interval-print", &s->interval, .arg = "MS",
		  .unit = 1000000, .help = "print what was counted at this interval" },
		{ OPTION_U64, 0, "interval-count", &s->interval_count, .arg = "N",
		  .help = "with -I: end after N intervals" },
		FLAG(0, "summary", &s->summary, "with -I: also print the whole at the end"),
		BY('A', "no-aggr", STAT_BY_CPU, "a line for each CPU"),
		BY(0, "per-core", STAT_BY_CORE, "a line for each core"),
		BY(0, "per-cluster", STAT_BY_CLUSTER, "a line for each cluster of cores"),
		BY(0, "per-die", STAT_BY_DIE, "a line for each die"),
		BY(0, "per-socket", STAT_BY_SOCKET, "a line for each socket"),
		BY(0, "per-node", STAT_BY_NODE, "a line for each NUMA node"),
		BY(0, "per-thread", STAT_BY_THREAD, "a line for each thread of -p, -t"),
		{ OPTION_FLAG, 0, "merge", &s->merge, .flags = OPT_NEGATE_ONLY,
		  .help = "a row for each instance of a PMU" },
		{ OPTION_FLAG, 0, "scale", &s->scale, .flags = OPT_NEGATE_ONLY,
		  .help = "do not extrapolate counts of shared counters" },
		FLAG('B', "big-num", &s->big_num, "group digits as the locale says (default)"),
		TEXT('x', "field-separator", &s->separator, "SEP",
		     "print rows for programs, separated by SEP"),
		TEXT('o', "output", &s->output, "FILE", "write the results to FILE"),
		FLAG(0, "append", &s->append, "with -o: append"),
		{ OPTION_INT, 0, "log-fd", &s->log_fd, .arg = "N",
		  .help = "write the results to this descriptor" },
		FLAG(0, "quiet", &s->quiet, "print no results"),
		{ OPTION_COUNT, 'v', "verbose", &s->verbose, .help = "say more about what is done" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "stat", .usage = usage, .rows = rows,
				   .stop_at_command = true, .settings = s };
	int code = options_parse(&o, argc, argv);
	const char *why;

	s->repeat = repeat;
	s->delay = delay_int;
	why = code ? NULL : contradiction(s, *argc > 0);
	return why ? options_usage_error(&o, "%s", why) : code;
}

int cmd_stat(struct context *ctx, int argc, const char **argv)
{
	struct stat_settings s = { .inherit = true, .big_num = true, .scale = true, .merge = true,
				   .log_fd = -1 };
	struct stat_session q = { .ctx = ctx, .s = &s, .fd = -1 };
	int code;

	s.sys.tracing_dir = ctx->debugfs_dir;
	s.parser = (struct event_parser){ .command = "stat", .counting = true, .sys = &s.sys };
	event_set_init(&s.set);
	code = parse_options(&s, &argc, argv);
	if (!code) {
		ctx->verbose = s.verbose;
		q.argv = argc ? argv : NULL;
		code = stat_run(&q);
	} else if (code < 0) {
		code = 0;
	}
	event_set_release(&s.set);
	return code;
}
