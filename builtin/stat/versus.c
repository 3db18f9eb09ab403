// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat --versus: commands, rounds, and what follows from their values. */
#include "base/clock.h"
#include "builtin/stat/versus.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "event/names.h"
#include "sys/explain.h"

/* Returns why an option counts something else than whole runs of the commands, or NULL. */
static const char *counts_otherwise(const struct stat_request *ask, bool cgroups)
{
	const struct {
		bool given;
		const char *why;
	} all[] = {
		{ ask->record, "perf stat record writes one run, and --versus needs many" },
		{ ask->system_wide, "-a counts all CPUs, and --versus the commands alone" },
		{ ask->cpus, "-C counts CPUs, and --versus the commands alone" },
		{ ask->pids, "-p counts processes that run, and --versus the commands alone" },
		{ ask->tids, "-t counts threads that run, and --versus the commands alone" },
		{ ask->user, "-u counts what a user runs, and --versus the commands alone" },
		{ cgroups, "cgroups are counted on CPUs, and --versus counts the commands alone" },
		{ ask->bpf_prog, "-b counts in BPF programs, and --versus the commands alone" },
		{ ask->by != STAT_BY_ALL, "--versus compares sums: leave out -A and --per-*" },
		{ ask->interval, "-I shows parts of a run, and --versus compares whole runs" },
		{ ask->timeout, "--timeout cuts a run short, and --versus compares whole runs" },
		{ ask->start_off || ask->ranges.count,
		  "-D counts a part of a run, and --versus compares whole runs" },
		{ ask->control, "--control changes what is counted, and runs would differ" },
		{ ask->metric_names.list.count || ask->topdown || ask->transaction ||
			  ask->smi_cost || ask->iostat || ask->metric_only,
		  "--versus compares events, not metrics (-M, --topdown, -T, --smi-cost, --iostat, "
		  "--metric-only)" },
		{ ask->bpf_counters, "--versus opens counters of its own for each run, and cannot "
				     "share those of --bpf-counters" },
		{ ask->table || ask->summary || ask->hybrid_merge || !ask->merge ||
			  !ask->csv_summary,
		  "--versus has tables of its own: leave out --table, --summary, --hybrid-merge, "
		  "--no-merge and --no-csv-summary" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].given)
			return all[i].why;
	return NULL;
}

const char *versus_contradiction(const struct stat_request *ask, bool command, bool cgroups)
{
	if (!ask->rivals.list.count) {
		if (ask->fail_above || ask->within_given || ask->max_time_given ||
		    ask->show_output || ask->ignore_failure || ask->markdown)
			return "--within, --max-time, --fail-above, --show-output, "
			       "--ignore-failure and --markdown need --versus";
		return NULL;
	}
	if (!command)
		return "--versus needs a command to compare with: --versus './new' -- ./old";
	if (ask->repeat_given && (ask->within_given || ask->max_time_given))
		return "-r says how many pairs are run, --within and --max-time when there are "
		       "enough";
	if (ask->repeat_given && ask->repeat < 2)
		return "--versus needs at least 2 pairs: -r 2";
	if (ask->markdown && (ask->json || ask->separator))
		return "--markdown, -j and -x are three forms of output";
	return counts_otherwise(ask, cgroups);
}

/* Returns "'PROGRAM ARGS'"; the caller frees it. */
static char *title_of(const struct versus_command *c)
{
	struct strbuf b = STRBUF_INIT;

	for (size_t i = 0; i + 1 < c->argv.count; i++) {
		strbuf_char(&b, i ? ' ' : '\'');
		strbuf_printable(&b, c->argv.items[i]);
	}
	strbuf_char(&b, '\'');
	return strbuf_detach(&b);
}

static void add_command(struct versus *v, struct versus_command *c)
{
	vec_push(&c->argv, NULL);
	c->title = title_of(c);
	vec_push(&v->commands, *c);
}

static int add_rival(struct versus *v, const char *line, struct reason *r)
{
	struct versus_command c = { 0 };
	int err = shell_words(&c.words, line);

	if (!err && c.words.list.count) {
		vec_for_each(&c.words.list, it)
			vec_push(&c.argv, *it);
		add_command(v, &c);
		return 0;
	}
	strlist_release(&c.words);
	if (err)
		reason_usage(r, "--versus: '%s' has a quote that is not closed", line);
	else
		reason_usage(r, "--versus: '%s' has no command", line);
	reason_hint(r,
		    "give the rival as one word of the shell: --versus './new ARGS' -- ./old ARGS");
	return -EINVAL;
}

/* Parses "2%", "page-faults:2%", "cycles:u:2%". */
static int parse_limit(struct versus *v, const char *text, struct reason *r)
{
	const char *colon = strrchr(text, ':');
	double percent;

	if ((colon && colon == text) || parse_percent(colon ? colon + 1 : text, &percent)) {
		reason_usage(r, "--fail-above: '%s' is not an event and a percentage", text);
		reason_hint(
			r,
			"give EVENT:PERCENT, as in --fail-above duration_time:2%%, or a percentage "
			"for the wall time");
		return -EINVAL;
	}
	v->limit = percent / 100;
	if (colon) {
		free(v->judged_name);
		v->judged_name = xstrndup(text, (size_t)(colon - text));
	}
	return 0;
}

int versus_prepare(struct stat_session *q, struct reason *r)
{
	struct versus *v = q->versus = xcalloc(1, sizeof(*v));
	struct versus_command base = { 0 };
	int err = 0;

	*v = (struct versus){ .limit = NAN, .judged_name = xstrdup("duration_time") };
	v->plan.fixed = q->ask.repeat_given ? q->ask.repeat : 0;
	v->plan.max_time = q->ask.max_time;
	q->ask.repeat = UINT64_MAX; /* a signal ends the comparison before it is complete */
	for (const char *const *word = q->argv; *word; word++)
		vec_push(&base.argv, *word);
	add_command(v, &base);
	vec_for_each(&q->ask.rivals.list, it)
		if (!err)
			err = add_rival(v, *it, r);
	if (!err && q->ask.fail_above)
		err = parse_limit(v, q->ask.fail_above, r);
	vec_for_each(&v->commands, c)
		if (!err && !q->ask.pre) { /* which may make it */
			err = workload_check(c->argv.items, r);
			q->exit_code = !err ? 0 : err == -ENOENT ? 127 : 126;
		}
	q->workload.no_input = true;
	q->workload.no_output = !q->ask.show_output;
	return err;
}

int versus_choose_events(struct stat_session *q, struct reason *r)
{
	static const char *const times[] = { "duration_time", "user_time", "system_time" };
	const char *names[256];
	struct versus *v = q->versus;
	const struct event *judged;
	const char *near;
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		int err = event_by_name(&q->events.set, times[i])
				  ? 0
				  : event_parse(&q->events.parser, &q->events.set, times[i], r);

		if (err)
			return err;
	}
	judged = event_by_name(&q->events.set, v->judged_name);
	if (judged) {
		v->judged = judged->index;
		return 0;
	}
	vec_for_each(&q->events.set.list, it)
		if (count < ARRAY_SIZE(names))
			names[count++] = (*it)->name;
	near = nearest_name(v->judged_name, names, count);
	reason_usage(r, "--fail-above: '%s' is not counted", v->judged_name);
	if (near)
		reason_hint(r, "did you mean '%s'?", near);
	else
		reason_hint(r, "count it with -e %s", v->judged_name);
	return -EINVAL;
}

/* ---- rounds ---- */

static int explain_failure(struct stat_session *q, const struct versus_command *c, const char *when,
			   struct reason *r)
{
	int sig = workload_end_signal(&q->workload);

	q->exit_code = workload_exit_code(&q->workload);
	if (sig)
		reason_set(r, ECHILD, "%s was ended by signal %d %s, so nothing is compared",
			   c->title, sig, when);
	else
		reason_set(r, ECHILD, "%s ended with status %d %s, so nothing is compared",
			   c->title, q->exit_code, when);
	if (q->ask.show_output)
		reason_hint(r, "--ignore-failure compares commands that fail");
	else
		reason_hint(
			r, "--show-output shows what it prints; --ignore-failure compares commands "
			   "that fail");
	return -ECHILD;
}

/* Takes the counts of the last run out of the table. */
static void take_values(struct stat_session *q, double *values)
{
	vec_for_each(&q->events.set.list, it) {
		struct stat_reading reading;

		stat_read(&q->out.table, 0, *it, &reading);
		values[(*it)->index] =
			reading.counted && reading.supported ? reading.value * (*it)->scale : NAN;
	}
	stat_forget_runs(q);
}

static int run_command(struct stat_session *q, size_t number, double *values, const char *when,
		       struct reason *r)
{
	struct versus_command *c = &q->versus->commands.items[number];
	int err;

	q->argv = c->argv.items;
	err = stat_run_once(q, false, r);
	if (err)
		return err;
	take_values(q, values);
	if (loop_ending_signal() || !q->workload.status || q->ask.ignore_failure)
		return 0;
	return explain_failure(q, c, when, r);
}

static int check_judged(struct stat_session *q, const double *values, struct reason *r)
{
	struct versus *v = q->versus;
	const struct event *ev = q->events.set.list.items[v->judged];

	if (!isnan(values[v->judged]))
		return 0;
	reason_set(r, EOPNOTSUPP, "--fail-above: '%s' cannot be counted here", ev->name);
	if (ev->attr.type != PERF_TYPE_SOFTWARE && !hardware_pmu_present(&q->events.sys))
		reason_hint(r, "%s; judge duration_time, user_time or task-clock",
			    explain_no_hardware_pmu(&q->events.sys));
	else
		reason_hint(r, "judge duration_time, user_time or another event that is counted");
	return -EOPNOTSUPP;
}

static int warm_up(struct stat_session *q, double *values, struct reason *r)
{
	int err = 0;

	for (size_t i = 0; !err && i < q->versus->commands.count && !loop_ending_signal(); i++)
		err = run_command(q, i, values, "in its warm-up run", r);
	return err || loop_ending_signal() ? err : check_judged(q, values, r);
}

/* Adds a round, unless a signal came before its end. */
static int run_round(struct stat_session *q, struct reason *r)
{
	struct versus *v = q->versus;
	size_t commands = v->commands.count, events = q->events.set.list.count;
	struct versus_run *runs = xcalloc(commands, sizeof(*runs));
	double *values = xcalloc(commands * events, sizeof(*values));
	u32 *order = xcalloc(commands, sizeof(*order));
	char *when = xasprintf("in pair %llu", (unsigned long long)v->rounds + 1);
	int err = 0;

	versus_order(v->rounds, order, commands);
	for (size_t i = 0; !err && i < commands && !loop_ending_signal(); i++) {
		err = run_command(q, order[i], values + order[i] * events, when, r);
		runs[order[i]] =
			(struct versus_run){ workload_exit_code(&q->workload), (u32)i + 1 };
	}
	for (size_t i = 0; !err && !loop_ending_signal() && i < commands; i++) {
		struct versus_command *c = &v->commands.items[i];

		vec_push(&v->runs, runs[i]);
		for (size_t e = 0; e < events; e++)
			vec_push(&v->values, values[i * events + e]);
		c->failed += runs[i].status != 0;
		c->status = runs[i].status ? runs[i].status : c->status;
	}
	v->rounds += !err && !loop_ending_signal();
	free(when);
	free(order);
	free(values);
	free(runs);
	return err;
}

/* Reports whether every rival's interval reaches at most --within to either side. */
static bool is_narrow(void *arg)
{
	struct stat_session *q = arg;
	struct statistics_change c;
	u64 pairs;

	versus_noise_look(&q->versus->noise, &q->events.sys);
	for (size_t i = 1; i < q->versus->commands.count; i++)
		if (!versus_compare(q, i, q->versus->judged, &c, &pairs) || !c.is_relative ||
		    (c.share_high - c.share_low) / 2 > q->ask.within)
			return false;
	return true;
}

static void say(const struct stat_session *q, enum stat_said kind, char *text)
{
	if (q->host->say)
		q->host->say(kind, text);
	free(text);
}

/*
 * Compares a rival with the limit: with the baseline and that much more. This also works where the
 * baseline cannot be distinguished from 0.
 */
static struct statistics_change compare_with_limit(const struct stat_session *q, size_t rival)
{
	const struct versus *v = q->versus;
	struct statistics_change c = { 0 };
	struct statistics_pairs sums = { 0 };

	for (u64 i = 0; i < v->rounds; i++) {
		double base = versus_value(q, i, 0, v->judged);
		double other = versus_value(q, i, rival, v->judged);

		if (!isnan(base) && !isnan(other))
			statistics_add_pair(&sums, base * (1 + v->limit), other);
	}
	if (sums.n >= 2)
		statistics_compare_pairs(&sums, versus_quantile_for(v, sums.n), &c);
	return c;
}

/* Judges the rivals: --fail-above does not hold if all of one's interval is above the limit. */
static void judge(struct stat_session *q)
{
	struct versus *v = q->versus;
	u64 pairs;

	for (size_t i = 1; !isnan(v->limit) && i < v->commands.count; i++) {
		struct statistics_change over = compare_with_limit(q, i), c = { 0 };
		struct strbuf text = STRBUF_INIT;

		if (over.high <= 0)
			continue;
		v->failed |= over.low > 0;
		strbuf_f(&text, "--fail-above %s:%.4g%% %s for %s", v->judged_name, 100 * v->limit,
			 over.low > 0 ? "does not hold" : "is not decided",
			 v->commands.items[i].title);
		if (versus_compare(q, i, v->judged, &c, &pairs) && c.is_relative)
			strbuf_f(&text, ": %+.2f%% (%+.2f%% to %+.2f%%)", 100 * c.share,
				 100 * c.share_low, 100 * c.share_high);
		say(q, STAT_SAID_WARNING, strbuf_detach(&text));
	}
}

static int run_rounds(struct stat_session *q, u64 begin, struct reason *r)
{
	struct versus *v = q->versus;
	int err = 0;

	/* for the looks at the width */
	v->t = versus_quantile(VERSUS_LEAST, false);
	versus_noise_begin(&v->noise, &q->events.sys);
	while (!err && !v->end) {
		err = run_round(q, r);
		if (!err)
			v->end = loop_ending_signal()
					 ? VERSUS_SIGNAL
					 : versus_is_last(&v->plan, v->rounds, clock_now() - begin,
							  is_narrow, q);
	}
	versus_noise_end(&v->noise, &q->events.sys);
	v->took = clock_now() - begin;
	return err;
}

int versus_run(struct stat_session *q, struct reason *r)
{
	struct versus *v = q->versus;
	double *values;
	u64 begin = clock_now();
	int err = loop_signals(NULL, 0, &q->wake_fd, r);

	if (err)
		return err;
	values = xcalloc(q->events.set.list.count, sizeof(*values));
	err = warm_up(q, values, r);
	free(values);
	q->runs = 1;
	if (err || loop_ending_signal())
		return err;
	err = run_rounds(q, begin, r);
	if (err || v->rounds < 2)
		return err;
	v->t = versus_quantile(v->rounds, v->plan.fixed || v->rounds < VERSUS_LEAST);
	if (!q->ask.quiet)
		versus_print(q);
	if (v->end != VERSUS_SIGNAL)
		judge(q);
	return 0;
}

int versus_exit_code(const struct stat_session *q)
{
	return q->versus->failed ? 3 : 0;
}

static bool is_never_counted(const struct stat_session *q, const struct event *ev)
{
	for (u64 i = 0; i < q->versus->rounds; i++)
		for (size_t c = 0; c < q->versus->commands.count; c++)
			if (!isnan(versus_value(q, i, c, ev->index)))
				return false;
	return true;
}

void versus_warn(struct stat_session *q)
{
	struct strbuf names = STRBUF_INIT;
	bool of_pmu = false;

	if (q->ask.append && !q->ask.output)
		condition_add(&q->ctx->conditions, CONDITION_WARNING, "stat-append", NULL, NULL, 1,
			      NULL, "--append is ignored without -o");
	vec_for_each(&q->events.set.list, it) {
		if (!q->versus || q->versus->rounds < 2 || !is_never_counted(q, *it))
			continue;
		strbuf_f(&names, "%s%s", names.len ? ", " : "", (*it)->name);
		of_pmu |= (*it)->attr.type != PERF_TYPE_SOFTWARE &&
			  (*it)->attr.type != PERF_TYPE_TRACEPOINT;
	}
	if (names.len && of_pmu && !hardware_pmu_present(&q->events.sys))
		condition_add(&q->ctx->conditions, CONDITION_WARNING, "stat-no-pmu", NULL, NULL, 1,
			      NULL, "compared by times and software events, without %s: %s",
			      strbuf_cstr(&names), explain_no_hardware_pmu(&q->events.sys));
	else if (names.len)
		condition_add(&q->ctx->conditions, CONDITION_WARNING, "stat-not-compared", NULL,
			      NULL, 1, NULL, "not compared, since they were not counted: %s",
			      strbuf_cstr(&names));
	strbuf_release(&names);
}

void versus_free(struct versus *v)
{
	if (!v)
		return;
	vec_for_each(&v->commands, c) {
		strlist_release(&c->words);
		vec_release(&c->argv);
		free(c->title);
	}
	vec_release(&v->commands);
	vec_release(&v->runs);
	vec_release(&v->values);
	versus_noise_release(&v->noise);
	free(v->judged_name);
	free(v);
}
