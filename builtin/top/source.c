// SPDX-License-Identifier: GPL-2.0-or-later
/* Rings of events that are open -> a live session. */
#include "builtin/top/source.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/perf_abi.h"
#include "base/text.h"
#include "event/cgroup.h"
#include "event/parse.h"
#include "event/tracing_data.h"
#include "live/loop.h"
#include "record/record.h"
#include "sys/obstacles.h"
#include "sys/topology.h"
#include "tracepoint/tracepoint.h"

enum {
	DEFAULT_FREQ = 4000,
	MOST_TABLES = 8 << 20, /* bytes of symbols that no row needs, before they go */
	SELDOM = 500000000,    /* ns: what comes together is counted sooner than what comes piece by
				  piece */
};

struct top_source {
	struct context *ctx;
	const char *usual_chains; /* what -g means; NULL: fp */
	struct record_settings settings;
	struct event_set set;
	struct target target;
	struct live *live;
	struct record_filters filters;
	struct session *session;
	struct tracepoint_formats *formats; /* NULL: no tracepoints, or tracefs cannot be read */
	struct watch *watch;
	struct strbuf gone; /* CPUs that are offline */
	size_t next_cgroup; /* events before it were looked at by -G */
	unsigned realtime;
	bool inherit, bpf_event, group;
	bool filter_user; /* -u: samples of all CPUs are filtered by uid */
	u32 uid;

	/* as typed */
	const char *cpus, *pids, *tids, *user, *ring;
};

struct top_source *top_source_new(struct context *ctx)
{
	struct top_source *s = xcalloc(1, sizeof(*s));

	s->ctx = ctx;
	s->inherit = s->bpf_event = true;
	event_set_init(&s->set);
	return s;
}

void top_source_say_missed(struct top_source *s)
{
	record_filters_say_missed(&s->filters);
}

void top_source_free(struct top_source *s)
{
	if (!s)
		return;
	watch_free(s->watch);
	session_free(s->session);
	tracepoint_formats_free(s->formats);
	record_filters_close(&s->filters);
	live_close(s->live);
	strbuf_release(&s->gone);
	event_set_release(&s->set);
	target_release(&s->target);
	record_settings_release(&s->settings);
	free(s);
}

/* ---- options ---- */

static int set_event(const struct option_call *c, struct reason *r)
{
	struct top_source *s = c->row->value;
	const struct event_parser parser = { .command = "top",
					     .guests = s->ctx->count_guests,
					     .no_host = s->ctx->skip_host };

	return event_parse(&parser, &s->set, c->value, r);
}

static int set_filter(const struct option_call *c, struct reason *r)
{
	struct top_source *s = c->row->value;

	return event_set_filter(NULL, &s->set, c->value, FILTER_TRACEPOINTS, r);
}

static int set_cgroup(const struct option_call *c, struct reason *r)
{
	struct top_source *s = c->row->value;

	return event_set_cgroups(NULL, &s->set, c->value, &s->next_cgroup, r);
}

static int set_freq(const struct option_call *c, struct reason *r)
{
	struct top_source *s = c->row->value;

	s->settings.freq_given = true;
	if (!strcmp(c->value, "max"))
		return record_max_freq(&s->settings.freq, r);
	if (!parse_count(c->value, &s->settings.freq) && s->settings.freq)
		return 0;
	reason_set(r, EINVAL, "'%s' is not a frequency in Hz", c->value);
	reason_hint(r, "a number such as 99, or 'max'");
	return -EINVAL;
}

/* Copied stacks are always unwound at once here, and are as large as record's that are. */
static int parse_chains(struct record_settings *q, const char *how, struct reason *r)
{
	bool live = str_starts(how, "dwarf") && !strstr(how, ",live");
	char *text = live ? xasprintf("%s,live", how) : xstrdup(how);
	int err = record_parse_call_graph(q, text, r);

	free(text);
	return err;
}

int top_source_chains(struct top_source *s, const char *how, struct reason *r)
{
	if (!how && s->settings.call_graph == CALL_GRAPH_NONE)
		how = s->usual_chains ? s->usual_chains : "fp";
	return how ? parse_chains(&s->settings, how, r) : 0;
}

int top_source_usual_chains(struct top_source *s, const char *how, struct reason *r)
{
	struct record_settings tried = { .call_graph = CALL_GRAPH_NONE };
	int err = parse_chains(&tried, how, r);

	if (!err)
		s->usual_chains = how;
	return err;
}

bool top_source_has_chains(const struct top_source *s)
{
	return s->settings.call_graph != CALL_GRAPH_NONE;
}

bool top_source_has_branches(const struct top_source *s)
{
	return s->settings.branch_filter != 0;
}

bool top_source_has_call_registers(const struct top_source *s)
{
	return s->settings.call_graph == CALL_GRAPH_LBR;
}

bool top_source_has_namespaces(const struct top_source *s)
{
	return s->settings.namespaces;
}

void top_source_want_branches(struct top_source *s)
{
	if (!s->settings.branch_filter)
		s->settings.branch_filter = PERF_SAMPLE_BRANCH_ANY;
}

void top_source_want_switches(struct top_source *s)
{
	s->settings.switch_events = true;
}

void top_source_want_namespaces(struct top_source *s)
{
	s->settings.namespaces = true;
}

void top_source_want_cgroups(struct top_source *s)
{
	s->settings.cgroups = true;
}

static int set_branch_any(const struct option_call *c, struct reason *r)
{
	struct top_source *s = c->row->value;

	(void)r;
	s->settings.branch_filter = c->negated ? 0 : PERF_SAMPLE_BRANCH_ANY;
	return 0;
}

static int set_branches(const struct option_call *c, struct reason *r)
{
	struct top_source *s = c->row->value;

	return record_parse_branch_filter(c->value, &s->settings.branch_filter, r);
}

#define CALL(letter, name, param, fn, text)                                                        \
	{                                                                                          \
		OPTION_CALLBACK, letter, name, s, .arg = param, .set = fn, .help = text,           \
						  .flags = OPT_NO_NEGATE                           \
	}
#define FLAG(letter, name, var, text)                                                              \
	{                                                                                          \
		OPTION_FLAG, letter, name, var, .help = text                                       \
	}
#define TEXT(letter, name, param, var, text)                                                       \
	{                                                                                          \
		OPTION_STRING, letter, name, var, .arg = param, .help = text                       \
	}

static void target_rows(struct top_source *s, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "What to watch" },
		FLAG('a', "all-cpus", &s->target.system_wide, "all CPUs (default)"),
		TEXT('C', "cpu", "CPUS", &s->cpus, "these CPUs: 0-2,5"),
		TEXT('p', "pid", "PIDS", &s->pids, "these running processes"),
		TEXT('t', "tid", "TIDS", &s->tids, "these running threads"),
		TEXT('u', "uid", "USER", &s->user, "the processes of a user"),
		CALL('G', "cgroup", "NAME", set_cgroup,
		     "sample the events before it in these cgroups only"),
		{ OPTION_FLAG, 'i', "inherit", &s->inherit, .flags = OPT_NEGATE_ONLY,
		  .help = "leave out threads and children that start later" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void event_rows(struct top_source *s, option_rows *rows)
{
	struct record_settings *q = &s->settings;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Events" },
		CALL('e', "event", "EVENT", set_event, "what to sample; see 'perf list'"),
		CALL(0, "filter", "FILTER", set_filter,
		     "filter on fields of the tracepoints before it"),
		CALL('F', "freq", "HZ", set_freq, "samples per second, or 'max' (default: 4000)"),
		{ OPTION_U64, 'c', "count", &q->period, .arg = "N", .given = &q->period_given,
		  .help = "a sample every N events" },
		{ OPTION_CALLBACK, 'b', "branch-any", s, .set = set_branch_any,
		  .help = "record the branches taken before each sample" },
		CALL('j', "branch-filter", "FILTERS", set_branches,
		     "record only branches of these kinds: any_call,u ..."),
		FLAG(0, "group", &s->group, "put all events in one group"),
		TEXT('m', "mmap-pages", "PAGES", &s->ring,
		     "size of each ring, in pages or as 512K"),
		{ OPTION_UINT, 'r', "realtime", &s->realtime, .arg = "PRIORITY",
		  .help = "run perf with this real-time priority" },
		FLAG(0, "overwrite", &q->overwrite,
		     "rings keep the newest samples when perf is too slow"),
		FLAG(0, "all-cgroups", &q->cgroups,
		     "record each sample's cgroup, for the key cgroup"),
		FLAG(0, "namespaces", &q->namespaces,
		     "record the namespaces of threads, for the key cgroup_id"),
		{ OPTION_FLAG, 0, "bpf-event", &s->bpf_event, .flags = OPT_NEGATE_ONLY,
		  .help = "do not record loaded BPF programs" },
		{ OPTION_UINT, 0, "num-thread-synthesize", &q->synth_threads, .arg = "N",
		  .help = "describe the processes that already run with N threads" },
		{ OPTION_DURATION, 0, "proc-map-timeout", &q->map_timeout, .arg = "MS",
		  .unit = 1000000,
		  .help = "time limit in ms for reading the maps of one process (500)" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void top_source_rows(struct top_source *s, option_rows *rows)
{
	target_rows(s, rows);
	event_rows(s, rows);
}

/* ---- open ---- */

static int settle_freq(struct top_source *s, struct reason *r)
{
	struct record_settings *q = &s->settings;
	char asked[24], *cure;
	u64 most;

	if (q->period_given && q->freq_given) {
		reason_usage(r, "a frequency (-F) and a period (-c) exclude each other");
		reason_hint(r, "-F takes samples by time, -c by count: leave one of them out");
		return -EINVAL;
	}
	if (q->period_given && !q->period) {
		reason_usage(r, "a period of 0 takes no samples");
		reason_hint(r, "-c 1 takes a sample at each event");
		return -EINVAL;
	}
	if (q->period_given)
		return 0;
	if (!q->freq_given)
		q->freq = DEFAULT_FREQ;
	if (record_max_freq(&most, NULL) || q->freq <= most)
		return 0;
	snprintf(asked, sizeof(asked), "%llu", (unsigned long long)q->freq);
	cure = obstacle_cure(OBSTACLE_SAMPLE_RATE, &(struct obstacle_words){ .what = asked });
	if (q->freq_given)
		condition_add(&s->ctx->conditions, CONDITION_WARNING, "frequency", NULL, NULL, 1,
			      cure, "%llu Hz is more than the kernel allows: sampling at %llu Hz",
			      (unsigned long long)q->freq, (unsigned long long)most);
	free(cure);
	q->freq = most;
	return 0;
}

/* All CPUs, whose samples are filtered by user, or the processes that the user has now. */
static int settle_user(struct top_source *s, struct reason *r)
{
	struct reason why = REASON_INIT;
	const char *no_filter = record_user_unfiltered(&s->set, s->pids || s->tids, &why);
	uid_t uid = 0;
	int err = target_user(s->user, &uid, r);

	if (!err && no_filter)
		err = target_list_user(&s->target, s->user, no_filter, why.hint, r);
	if (!err && no_filter)
		condition_add(
			&s->ctx->conditions, CONDITION_WARNING, "top-user-list", NULL, NULL, 1,
			NULL,
			"-u shows the processes that '%s' has now, and none that start later: %s",
			s->user, no_filter);
	s->filter_user = !no_filter;
	s->uid = uid;
	reason_release(&why);
	return err;
}

static int settle_target(struct top_source *s, struct reason *r)
{
	struct target *t = &s->target;
	int err = s->cpus ? sys_choose_cpus(NULL, s->cpus, "possible", &s->target.cpus,
					    &s->target.cpu_count, r)
			  : 0;

	t->inherit = s->inherit && !s->tids;
	t->by_user = s->user;
	if (!err && s->pids)
		err = target_add_pids(t, s->pids, r);
	if (!err && s->tids)
		err = target_add_tids(t, s->tids, r);
	if (!err && s->user)
		err = settle_user(s, r);
	if (t->tid_count && t->system_wide) {
		condition_add(&s->ctx->conditions, CONDITION_WARNING, "all-cpus", NULL, NULL, 1,
			      NULL, "-a is ignored with -p, -t or -u");
		t->system_wide = false;
	}
	if (!t->tid_count && !t->cpus)
		t->system_wide = true;
	return err;
}

/* The kernel counts a cgroup on CPUs, whatever task was asked for. */
static int check_cgroups(const struct top_source *s, struct reason *r)
{
	if (!s->next_cgroup || !(s->pids || s->tids || s->user))
		return 0;
	reason_usage(r, "a cgroup is watched on CPUs: -G and %s exclude each other",
		     s->pids   ? "-p"
		     : s->tids ? "-t"
			       : "-u");
	reason_hint(r, "with -G alone the samples are those of the processes in the cgroup");
	return -EINVAL;
}

/* A CPU's branch registers record either branches or calls that have not returned. */
static int check_branches(const struct top_source *s, struct reason *r)
{
	if (!s->settings.branch_filter || s->settings.call_graph != CALL_GRAPH_LBR)
		return 0;
	reason_usage(r, "recorded branches and '--call-graph lbr' exclude each other");
	reason_hint(r, "both need the CPU's branch registers: take --call-graph fp or dwarf");
	return -EINVAL;
}

static int settle(struct top_source *s, struct reason *r)
{
	struct record_settings *q = &s->settings;
	int err = settle_freq(s, r);

	if (!err)
		err = check_branches(s, r);
	if (!err)
		err = check_cgroups(s, r);

	if (!s->set.list.count)
		record_add_default_event(s->ctx, NULL, &s->set);
	if (s->group)
		record_make_group(&s->set);
	q->output = "-";
	q->synth = SYNTH_ALL;
	q->no_inherit = !s->inherit;
	q->no_bpf_event = !s->bpf_event;
	q->live_stacks = q->call_graph == CALL_GRAPH_DWARF;
	q->time = true;
	q->cpu = true;
	if (!err && s->ring) {
		err = record_parse_mmap_pages(q, s->ring, r);
		r->wrong_use = err != 0;
	}
	return err ? err : settle_target(s, r);
}

static int set_realtime(const struct top_source *s, struct reason *r)
{
	const struct sched_param p = { .sched_priority = (int)s->realtime };

	if (!s->realtime || !sched_setscheduler(0, SCHED_FIFO, &p))
		return 0;
	reason_errno(r, errno, "cannot run with real-time priority %u", s->realtime);
	reason_hint(
		r, r->err == EPERM
			   ? "run perf as root, or have root raise the limit: 'ulimit -r' shows it"
			   : "'chrt -m' lists the priorities; 1 is above everything that has none");
	return -r->err;
}

static int enable(struct top_source *s, struct reason *r)
{
	int err = live_enable(s->live);

	return err ? reason_errno(r, -err, "cannot enable the events") : 0;
}

/* The session learns of running tasks before any of them is sampled. */
static int start_watch(struct top_source *s, const struct session_ops *ops, void *arg,
		       struct reason *r)
{
	/*
	 * a table asks for what the rings hold; but unwinding reads objects, which short-lived
	 * programs take with them
	 */
	const struct feed_settings feed = { .ops = ops,
					    .arg = arg,
					    .overload = FEED_SHED,
					    .remembers = true,
					    .quiet = s->settings.live_stacks ? 0 : SELDOM };
	const struct synth_how how = { s->settings.synth_threads, s->settings.map_timeout, 0 };
	/* tasks get their events before /proc is read, so that no mapping is missed */
	bool tasks = !s->target.system_wide && !s->target.cpus;
	int err = 0;

	s->watch = watch_new(s->live, s->session, &feed);
	if (tasks)
		err = enable(s, r);
	if (!err)
		err = watch_begin(s->watch, record_tracking_event(&s->set), &s->target, &how, r);
	if (!err)
		err = watch_start(s->watch, r);
	return err || tasks ? err : enable(s, r);
}

int top_source_open(struct top_source *s, const struct symbol_options *symbols,
		    const struct session_ops *ops, void *arg, struct reason *r)
{
	struct live_options o = { 0 };
	int err = settle(s, r);

	if (!err)
		err = set_realtime(s, r);
	if (!err)
		err = record_configure(&s->set, &s->settings, &s->target, false, r);
	if (!err && s->filter_user)
		err = record_user_filter(&s->set, s->uid, r);
	o.ring_pages = s->settings.ring_pages;
	if (!err)
		err = live_open(s->ctx, &s->set, &s->target, &o, &s->live, r);
	if (!err)
		err = record_filters_open(&s->filters, s->ctx, &s->set, s->live, r);
	if (!err)
		err = event_set_finish(&s->set, r); /* a substitution may have changed an attr */
	if (err)
		return err;
	s->session = session_new_live(s->ctx, &s->set, symbols);
	session_set_tables(s->session, MOST_TABLES);
	/* without them, fields of tracepoints cannot be columns, but everything else works */
	s->formats = tracing_data_formats(&s->set, NULL);
	return start_watch(s, ops, arg, r);
}

const struct tracepoint_formats *top_source_formats(const struct top_source *s)
{
	return s->formats;
}

struct session *top_source_session(struct top_source *s)
{
	return s->session;
}

struct watch *top_source_watch(struct top_source *s)
{
	return s->watch;
}

/* ---- words ---- */

const char *top_source_gone(struct top_source *s)
{
	strbuf_clear(&s->gone);
	if (s->watch)
		watch_cpus_gone(s->watch, &s->gone);
	return strbuf_cstr(&s->gone);
}

void top_source_rate(const struct top_source *s, const struct event *ev, struct strbuf *b)
{
	(void)s;
	if (ev->attr.flags & ATTR_FREQ)
		strbuf_f(b, "%" PRIu64 "Hz", ev->attr.sample_period);
	else
		strbuf_f(b, "%" PRIu64, ev->attr.sample_period);
}

void top_source_target(const struct top_source *s, struct strbuf *b)
{
	const char *const tasks[][2] = { { "target_pid", s->pids },
					 { "target_tid", s->tids },
					 { "uid", s->user } };
	size_t cpus = live_cpu_count(s->live), before = b->len;

	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++)
		if (tasks[i][1])
			strbuf_f(b, "%s%s: %s", b->len > before ? ", " : "", tasks[i][0],
				 tasks[i][1]);
	if (b->len == before)
		strbuf_str(b, "all");
	if (s->cpus)
		strbuf_f(b, ", CPU%s: %s", s->target.cpu_count > 1 ? "s" : "", s->cpus);
	else if (!s->target.tid_count)
		strbuf_f(b, ", %zu CPU%s", cpus, cpus > 1 ? "s" : "");
}
