// SPDX-License-Identifier: GPL-2.0-or-later
/* perf trace: the options, and what their texts mean. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "builtin/trace/internal.h"
#include "cli/config.h"
#include "cli/say.h"
#include "event/parse.h"
#include "session/choice.h"
#include "sys/topology.h"

#define MS 1000000ULL

static int set_words(const struct option_call *c, struct reason *r)
{
	struct trace *t = c->settings;

	return trace_add_words(t, c->value, r);
}

static int set_filter(const struct option_call *c, struct reason *r)
{
	struct trace *t = c->settings;

	if (!t->set.list.count)
		return reason_set(r, EINVAL,
				  "a filter applies to the tracepoints of the -e before it, and "
				  "there are none");
	return event_set_filter(NULL, &t->set, c->value, FILTER_TRACEPOINTS, r);
}

static int set_faults(const struct option_call *c, struct reason *r)
{
	struct trace *t = c->settings;

	if (!c->value || !strcmp(c->value, "maj"))
		t->o.faults |= FAULTS_MAJOR;
	else if (!strcmp(c->value, "min"))
		t->o.faults |= FAULTS_MINOR;
	else if (!strcmp(c->value, "all"))
		t->o.faults |= FAULTS_MAJOR | FAULTS_MINOR;
	else
		return reason_set(r, EINVAL, "-F takes all, maj or min, not '%s'", c->value);
	return 0;
}

static int set_chains(const struct option_call *c, struct reason *r)
{
	struct trace *t = c->settings;

	return record_parse_call_graph(&t->settings, c->value, r);
}

static int set_duration(const struct option_call *c, struct reason *r)
{
	struct trace *t = c->settings;
	double ms;
	size_t n = parse_decimal(c->value, &ms);

	if (!n || c->value[n] || ms > 1e12)
		return reason_set(r, EINVAL, "--duration takes milliseconds, such as 1.5, not '%s'",
				  c->value);
	t->o.least_duration = (u64)(ms * 1e6);
	return 0;
}

static int set_mode(const struct option_call *c, struct reason *r)
{
	static const char *const names[] = { "thread", "total", "cgroup" };
	struct trace *t = c->settings;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(c->value, names[i])) {
			t->o.summary_mode = (enum summary_mode)i;
			t->o.mode_given = true;
			return 0;
		}
	return reason_set(r, EINVAL, "--summary-mode is thread, total or cgroup, not '%s'",
			  c->value);
}

static int refuse_bitmask_list(const struct option_call *c, struct reason *r)
{
	(void)c;
	reason_usage(r, "masks of CPUs in tracepoints are not decoded field by field");
	reason_hint(r,
		    "--libtraceevent_print prints them as lists, by the tracepoint's own format");
	return -EINVAL;
}

static int refuse_map_dump(const struct option_call *c, struct reason *r)
{
	reason_usage(
		r,
		"the BPF programs of perf trace contain no maps of your own, so there is no '%s' "
		"to dump",
		c->value);
	reason_hint(r, "'bpftool map dump name %s' prints a map of any program that is loaded",
		    c->value);
	return -EINVAL;
}

#define FLAG(letter, name, var, text)                                                              \
	{                                                                                          \
		OPTION_FLAG, letter, name, var, .help = text                                       \
	}
#define TEXT(letter, name, param, var, text)                                                       \
	{                                                                                          \
		OPTION_STRING, letter, name, var, .arg = param, .help = text                       \
	}
#define CALL(letter, name, param, fn, text)                                                        \
	{                                                                                          \
		OPTION_CALLBACK, letter, name, .arg = param, .set = fn, .help = text,              \
					       .flags = OPT_NO_NEGATE                              \
	}
#define UINT(letter, name, param, var, text)                                                       \
	{                                                                                          \
		OPTION_UINT, letter, name, var, .arg = param, .help = text                         \
	}

static void target_rows(struct trace *t, option_rows *rows)
{
	struct trace_options *o = &t->o;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "What to trace" },
		FLAG('a', "all-cpus", &o->all, "all processes (default without a command)"),
		TEXT('C', "cpu", "CPUS", &o->cpus, "only on these CPUs: 0-2,5"),
		TEXT('p', "pid", "PIDS", &o->pids, "these running processes"),
		TEXT('t', "tid", "TIDS", &o->tids, "these running threads"),
		TEXT('u', "uid", "USER", &o->user, "the processes of a user"),
		TEXT('G', "cgroup", "NAME", &o->cgroup, "only tasks of this cgroup, with -a"),
		TEXT(0, "filter-pids", "PIDS", &o->filter_pids, "leave out these processes"),
		{ OPTION_FLAG, 0, "inherit", &o->inherit, .flags = OPT_NEGATE_ONLY,
		  .help = "leave out processes that start later" },
		{ OPTION_DURATION, 'D', "delay", &o->delay, .arg = "MS", .unit = MS,
		  .help = "wait this long after the program starts" },
		TEXT('i', "input", "FILE", &o->input, "trace the events of this recording"),
		FLAG('f', "force", &o->force, "read the file even if another user owns it"),
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void event_rows(struct trace *t, option_rows *rows)
{
	struct trace_options *o = &t->o;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Calls and events" },
		CALL('e', "event", "CALL|EVENT[,...]", set_words,
		     "system calls, %groups, /regexes/, !call; events; prog.bpf.o"),
		CALL(0, "expr", "CALL|EVENT[,...]", set_words, "the same as -e"),
		{ OPTION_FLAG, 0, "syscalls", &o->syscalls, .given = &o->syscalls_given,
		  .help = "system calls as well as events or page faults" },
		CALL(0, "filter", "FILTER", set_filter,
		     "filter on fields of the tracepoints before it"),
		{ OPTION_CALLBACK, 'F', "pf", .arg = "all|maj|min", .set = set_faults,
		  .flags = OPT_NO_NEGATE | OPT_LAST_DEFAULT,
		  .help = "page faults, too (default: maj)" },
		FLAG(0, "signals", &o->signals,
		     "signals that are delivered, and how tasks end, too"),
		FLAG(0, "failure", &o->failures, "only calls that failed"),
		CALL(0, "duration", "MS", set_duration, "only calls that took at least this long"),
		TEXT(0, "path", "PATH", &o->path,
		     "only calls that name this path, or a descriptor of it (globs)"),
		TEXT(0, "fd", "FD[,FD]...", &o->fds, "only calls that name these descriptors"),
		{ OPTION_U64, 0, "max-events", &o->max_events, .arg = "N",
		  .help = "end after N lines" },
		TEXT(0, "switch-on", "EVENT", &o->on, "print from this event on"),
		TEXT(0, "switch-off", "EVENT", &o->off, "stop printing at this event"),
		FLAG(0, "show-on-off-events", &o->on_off_events,
		     "print the events of --switch-on and --switch-off, too"),
		{ OPTION_FLAG, 0, "bpf", &o->bpf, .flags = OPT_NEGATE_ONLY,
		  .help = "use only tracepoints: strings and structs stay pointers" },
		FLAG(0, "force-btf", &o->force_btf, "fail if BPF cannot be used"),
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void line_rows(struct trace *t, option_rows *rows)
{
	struct trace_options *o = &t->o;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Lines" },
		TEXT('o', "output", "FILE", &o->output, "write to FILE, not to standard error"),
		FLAG('T', "time", &o->full_time,
		     "clock times instead of times since the first event"),
		{ OPTION_FLAG, 0, "comm", &o->comm,
		  .help = "name the task beside its number (default)" },
		FLAG(0, "show-cpu", &o->show_cpu, "the CPU of each line"),
		UINT(0, "string-limit", "N", &o->text_limit,
		     "show this many bytes of buffers (default: 32)"),
		FLAG(0, "json", &o->json, "print each line as a JSON object"),
		TEXT('x', "field-separator", "CHAR", &o->separator, "separate values with CHAR"),
		FLAG(0, "print-sample", &o->print_sample,
		     "a line with the sample's own fields before each event"),
		FLAG(0, "libtraceevent_print", &o->libtraceevent,
		     "show tracepoints by their print format"),
		{ OPTION_CALLBACK, 0, "bitmask-list", .set = refuse_bitmask_list,
		  .flags = OPT_NO_NEGATE,
		  .help = "refused: --libtraceevent_print shows lists of CPUs" },
		FLAG(0, "sort-events", &o->sort_events, "events in order of time (always)"),
		{ OPTION_COUNT, 'v', "verbose", &t->ctx->verbose,
		  .help = "all arguments and all fields of structs, also those that are 0; also "
			  "why the kernel refused a BPF program" },
		{ OPTION_GROUP, .help = "Call chains" },
		CALL(0, "call-graph", "fp|dwarf[,BYTES]|lbr", set_chains,
		     "the stack below each line"),
		FLAG(0, "kernel-syscall-graph", &o->kernel_graph,
		     "the kernel's part of the stack, too"),
		UINT(0, "max-stack", "N", &o->max_stack, "frames that are shown"),
		UINT(0, "min-stack", "N", &o->min_stack, "only events with at least N frames"),
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void summary_rows(struct trace *t, option_rows *rows)
{
	struct trace_options *o = &t->o;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Tables" },
		FLAG('s', "summary", &o->summary, "a table of calls for each thread, and no lines"),
		FLAG('S', "with-summary", &o->with_summary, "lines, then the tables"),
		CALL(0, "summary-mode", "thread|total|cgroup", set_mode,
		     "a table for each of these"),
		FLAG(0, "errno-summary", &o->errno_summary, "errors by name in the tables"),
		FLAG(0, "hist", &o->hist, "show how the latencies of each call are distributed"),
		UINT(0, "max-summary", "N", &o->max_summary, "rows of each table"),
		FLAG(0, "bpf-summary", &o->bpf_summary, "count inside the kernel, or fail"),
		FLAG(0, "sched", &o->sched, "how long each thread ran, in the tables"),
		{ OPTION_GROUP, .help = "perf itself" },
		TEXT('m', "mmap-pages", "PAGES", &o->ring, "size of the ring, in pages or as 64M"),
		{ OPTION_DURATION, 0, "proc-map-timeout", &o->map_timeout, .arg = "MS", .unit = MS,
		  .help = "time limit in ms for reading the maps of one process (500)" },
		CALL(0, "map-dump", "MAP", refuse_map_dump, "refused: bpftool dumps maps"),
		FLAG(0, "tool_stats", &o->tool_stats, "report at the end what perf itself did"),
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void trace_option_rows(struct trace *t, option_rows *rows)
{
	target_rows(t, rows);
	event_rows(t, rows);
	line_rows(t, rows);
	summary_rows(t, rows);
	vec_push(rows, (struct option_row)OPT_END_ROW);
}

/* ---- what the texts mean together ---- */

bool trace_is_of_command(const struct trace *t)
{
	return !t->o.all && !t->o.cpus && !t->o.pids && !t->o.tids && !t->o.user;
}

/*
 * Settles -u. BPF sees which user makes a call; where it is not used, trace_list_user() lists the
 * user's processes.
 */
static int settle_user(struct trace *t, bool has_command, struct reason *r)
{
	uid_t uid;
	int err = target_user(t->o.user, &uid, r);

	if (err)
		return err;
	t->uid = uid;
	t->target.by_user = true;
	if (has_command && uid != getuid())
		condition_add(&t->ctx->conditions, CONDITION_WARNING, "trace-user-command", NULL,
			      NULL, 1, "leave out -u to trace the command, or run it as that user",
			      "the command runs as another user than '%s', so it is not traced",
			      t->o.user);
	return 0;
}

static int settle_target(struct trace *t, bool has_command, struct reason *r)
{
	struct target *target = &t->target;
	int err = t->o.cpus ? sys_choose_cpus(NULL, t->o.cpus, "possible", &t->target.cpus,
					      &t->target.cpu_count, r)
			    : 0;
	bool command_given;

	if (t->o.pids && t->o.tids)
		return reason_set(r, EINVAL, "-p and -t exclude each other");
	if (t->o.all && (t->o.pids || t->o.tids || t->o.user)) {
		say_warning("-a is left out: %s chooses tasks", t->o.pids   ? "-p"
								: t->o.tids ? "-t"
									    : "-u");
		t->o.all = false;
	}
	command_given = has_command;
	has_command = has_command && trace_is_of_command(t);
	target->inherit = t->o.inherit && !t->o.tids;
	if (!err && t->o.pids)
		err = target_add_pids(target, t->o.pids, r);
	if (!err && t->o.tids)
		err = target_add_tids(target, t->o.tids, r);
	if (!err && t->o.user)
		err = settle_user(t, command_given, r);
	if (!has_command && !target->tid_count && !target->cpus)
		target->system_wide = true;
	if (!err && t->o.cgroup && !target->system_wide) {
		reason_set(r, EINVAL, "-G: a cgroup can only be traced on all CPUs");
		reason_hint(r, "add -a");
		err = -EINVAL;
	}
	return err;
}

static int exclude(struct reason *r, const char *a, const char *b)
{
	return reason_set(r, EINVAL, "%s and %s exclude each other", a, b);
}

static int check_fds(const char *text, struct reason *r)
{
	struct strlist list = { 0 };
	int err = 0;
	u64 fd;

	strlist_split(&list, text, ",");
	if (!list.list.count)
		err = reason_set(r, EINVAL, "--fd needs numbers of descriptors, such as 0,1");
	vec_for_each(&list.list, word)
		if (!err && (parse_count(*word, &fd) || fd > INT32_MAX))
			err = reason_set(r, EINVAL, "--fd: '%s' is not the number of a descriptor",
					 *word);
	strlist_release(&list);
	return err;
}

/* Returns the name of an option that says what tables contain, or NULL if none was given. */
static const char *about_tables(const struct trace_options *o)
{
	const struct {
		const char *name;
		bool given;
	} options[] = {
		{ "hist", o->hist },
		{ "max-summary", o->max_summary },
		{ "bpf-summary", o->bpf_summary },
		{ "sched", o->sched },
		{ "summary-mode", o->mode_given },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].given)
			return options[i].name;
	return NULL;
}

static int check(const struct trace *t, struct reason *r)
{
	const struct trace_options *o = &t->o;

	if (o->json && o->separator)
		return exclude(r, "--json", "-x");
	if (o->separator && (!*o->separator || strpbrk(o->separator, "\"\r\n")))
		return reason_set(
			r, EINVAL,
			"-x needs a separator, such as -x';', without double quotes and line ends");
	if ((o->json || o->separator) && (o->print_sample || o->tool_stats)) /* lines for people */
		return exclude(r, o->json ? "--json" : "-x",
			       o->print_sample ? "--print-sample" : "--tool_stats");
	if (o->signals && (o->summary || o->json || o->separator))
		return exclude(r, o->summary ? "-s" : o->json ? "--json" : "-x", "--signals");
	if (!o->bpf && o->force_btf)
		return exclude(r, "--no-bpf", "--force-btf");
	if (o->separator && t->settings.call_graph != CALL_GRAPH_NONE)
		return exclude(r, "-x", "--call-graph");
	if (o->summary && o->max_events)
		return exclude(r, "-s", "--max-events");
	if (o->summary && (o->path || o->fds))
		return exclude(r, "-s", o->path ? "--path" : "--fd");
	if (about_tables(o) && !o->summary && !o->with_summary)
		return reason_set(r, EINVAL, "--%s is for tables: add -s or -S", about_tables(o));
	if (o->summary_mode == SUMMARY_CGROUP && o->sched)
		return exclude(r, "--summary-mode=cgroup", "--sched");
	if (o->summary_mode == SUMMARY_CGROUP && o->faults)
		return exclude(r, "--summary-mode=cgroup", "-F");
	if (o->summary_mode == SUMMARY_CGROUP && o->input)
		return reason_set(
			r, EINVAL,
			"--summary-mode=cgroup asks the kernel for cgroups: it needs a live trace");
	if (o->input && (o->all || o->pids || o->tids || o->user || o->cpus || o->cgroup))
		return reason_set(
			r, EINVAL,
			"-i reads a recording: what to watch (-a, -p, -t, -u, -C, -G) was chosen "
			"when it was made");
	if (o->input && (o->force_btf || o->bpf_summary))
		return reason_set(r, EINVAL, "-i reads a recording: BPF (--%s) needs a live trace",
				  o->force_btf ? "force-btf" : "bpf-summary");
	if (o->input && o->signals)
		return reason_set(
			r, EINVAL,
			"-i shows the signals that a recording holds (signal:signal_deliver): "
			"--signals needs a live trace");
	if (o->cgroup && !*o->cgroup)
		return reason_set(r, EINVAL, "-G needs the name of a cgroup");
	if (o->path && o->input)
		return reason_set(r, EINVAL, "--path: a recording holds no paths");
	if (o->path &&
	    !strpbrk(o->path, "/*?[:")) { /* the names of sockets and pipes have a colon */
		reason_set(r, EINVAL, "--path: no call can match '%s'", o->path);
		reason_hint(r, "a path is absolute, or a glob: --path '*/passwd'");
		return -EINVAL;
	}
	return o->fds ? check_fds(o->fds, r) : 0;
}

/* Refuses --no-syscalls with calls; source is what has named them so far. */
static int check_contradiction(const struct trace *t, const char *source, struct reason *r)
{
	if (!t->o.syscalls_given || t->o.syscalls || !t->selected)
		return 0;
	return reason_usage(r, "--no-syscalls contradicts %s %s%s, which is about system calls",
			    source, t->excluded ? "!" : "", t->o.words.list.items[0]);
}

/*
 * Checks --no-syscalls: something else must be traced, and the tables have only the heads of tasks.
 */
static int check_no_syscalls(const struct trace *t, struct reason *r)
{
	const struct trace_options *o = &t->o;
	const char *table = o->errno_summary ? "errno-summary" : about_tables(o);

	if (!o->syscalls_given || o->syscalls)
		return 0;
	if (!o->input && !t->set.list.count && !t->objects.count && !o->faults) {
		reason_usage(r, "--no-syscalls leaves nothing to trace");
		reason_hint(r, "name events with -e, or page faults with -F");
		return -EINVAL;
	}
	if (table && strcmp(table, "sched") &&
	    (strcmp(table, "summary-mode") || o->summary_mode == SUMMARY_CGROUP))
		return reason_usage(
			r, "--%s is about system calls, and --no-syscalls leaves them out", table);
	if (o->summary && (o->json || o->separator))
		return exclude(r, o->json ? "-s --json" : "-s -x", "--no-syscalls");
	return 0;
}

/* Adds the configured events, beside what -e names or instead of it. */
static int add_configured(struct trace *t, const char *words, struct reason *r)
{
	struct reason why = REASON_INIT;
	int err = trace_add_words(t, words, &why);

	if (err) {
		reason_set(r, EINVAL, "the setting trace.add_events: %s", why.text);
		if (why.hint)
			reason_hint(r, "%s", why.hint);
	}
	reason_release(&why);
	return err;
}

/*
 * Settles what options imply, as in 6.1: a length of stacks asks for stacks, and a table of errors
 * for tables.
 */
static int imply(struct trace *t, struct reason *r)
{
	struct trace_options *o = &t->o;

	if (o->errno_summary && !o->with_summary)
		o->summary = true;
	if ((o->max_stack || o->min_stack) && t->settings.call_graph == CALL_GRAPH_NONE &&
	    !o->input && !o->summary && !o->separator)
		return record_parse_call_graph(&t->settings, "dwarf", r);
	return 0;
}

/*
 * Checks that the events of --switch-on and --switch-off are among these. If they never occurred,
 * the output would be empty without an explanation.
 */
int trace_check_switches(const struct trace *t, const struct event_set *set, struct reason *r)
{
	const char *const names[] = { t->o.on, t->o.off };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		bool found = !names[i];

		vec_for_each(&set->list, ev)
			found |= !strcmp((*ev)->name, names[i] ? names[i] : "");
		if (found)
			continue;
		reason_usage(r, "'%s' of --switch-%s is not among the events", names[i],
			     i ? "off" : "on");
		if (!t->o.input)
			reason_hint(r, "name it in -e, too");
		return -EINVAL;
	}
	return 0;
}

int trace_settle(struct trace *t, bool has_command, struct reason *r)
{
	struct trace_options *o = &t->o;
	int err = imply(t, r);

	if (!err)
		err = check(t, r);
	if (!err)
		err = check_contradiction(t, "-e", r);
	if (!err && !o->input && config_get(t->ctx, "trace.add_events"))
		err = add_configured(t, config_get(t->ctx, "trace.add_events"), r);
	if (!err)
		err = check_contradiction(t, "trace.add_events", r);
	if (!err)
		err = check_no_syscalls(t, r);
	if (!err && o->input && t->objects.count)
		err = reason_set(r, EINVAL,
				 "-i reads a recording: BPF programs (-e %s) need a live trace",
				 t->objects.items[0].path);
	if (!err && o->input && has_command)
		err = reason_set(r, EINVAL, "-i reads a recording, and runs no command");
	/* calls are shown unless the user asked only for other things */
	if (!o->syscalls_given && (t->selected || o->summary || o->with_summary ||
				   (!t->set.list.count && !t->objects.count && !o->faults)))
		o->syscalls = true;
	if (o->summary && o->with_summary)
		o->summary = false;
	if (!err && o->ring)
		err = record_parse_ring_pages(o->ring, &t->settings.ring_pages, r);
	if (!err && o->filter_pids)
		err = parse_task_numbers("--filter-pids", o->filter_pids, &t->left_out,
					 &t->left_out_count, r);
	if (!err && !o->input)
		err = settle_target(t, has_command, r);
	if (!err && !o->input)
		err = trace_check_switches(t, &t->set, r);
	t->switched_off = o->on != NULL;
	t->style = (struct syscall_style){ .prefix = o->prefix,
					   .no_names = o->no_names,
					   .zeros = o->zeros || t->ctx->verbose > 0,
					   .bits = t->ctx->verbose > 0,
					   .text_limit = o->text_limit };
	t->has_command = has_command;
	/*
	 * as perf decides it: more tasks may follow, and a column that appears in the middle breaks
	 * what reads lines
	 */
	t->many = t->target.system_wide || t->target.cpus || o->user || t->target.inherit ||
		  t->target.tid_count > 1 || o->input;
	return err;
}
