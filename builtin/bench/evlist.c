// SPDX-License-Identifier: GPL-2.0-or-later
/* internals evlist-open-close: opening, mapping and closing events as perf record does. */
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "builtin/bench/internal.h"
#include "cli/say.h"
#include "event/parse.h"
#include "live/live.h"

struct evlist_run {
	struct bench *b;
	const char *events, *cpus, *pids, *tids, *user;
	int copies, iterations;
	bool all, per_thread;
	struct target target;
};

static void set_sampling(struct event_set *set)
{
	vec_for_each(&set->list, e) {
		struct perf_event_attr *a = &(*e)->attr;

		a->sample_type |=
			PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
		a->flags |= ATTR_DISABLED | ATTR_SAMPLE_ID_ALL;
		if (a->sample_period)
			continue;
		a->flags |= ATTR_FREQ;
		a->sample_period = 4000;
	}
}

static int parse_all(const struct evlist_run *e, struct event_set *set, struct reason *r)
{
	const struct event_parser parser = { .command = "record" };
	int err = 0;

	event_set_init(set);
	for (int i = 0; i < e->copies && !err; i++)
		err = event_parse(&parser, set, e->events, r);
	if (!err)
		set_sampling(set);
	return err;
}

static int set_target(struct evlist_run *e, struct reason *r)
{
	struct target *t = &e->target;
	pid_t self = 0;
	int err = 0;

	t->per_thread = e->per_thread;
	t->system_wide = e->all || e->cpus;
	if (e->cpus)
		err = target_choose_cpus(t, e->cpus, r);
	else if (e->pids)
		err = target_add_pids(t, e->pids, r);
	else if (e->tids)
		err = target_add_tids(t, e->tids, r);
	else if (e->user)
		err = target_add_user(t, e->user, r);
	else if (!t->system_wide) {
		t->tids = malloc(sizeof(self));
		t->tids[0] = self;
		t->tid_count = 1;
	}
	return err;
}

static int open_and_close(struct evlist_run *e, u64 *ns, u64 *places, struct reason *r)
{
	const struct live_options o = { 0 };
	struct event_set set;
	struct live *live;
	int err = parse_all(e, &set, r);

	if (!err) {
		*ns = clock_now();
		err = live_open(e->b->ctx, &set, &e->target, &o, &live, r);
	}
	if (!err) {
		*places = live_cpu_count(live) * live_thread_count(live);
		live_enable(live);
		live_disable(live);
		live_close(live);
		*ns = clock_now() - *ns;
	}
	event_set_release(&set);
	return err;
}

static int measure(struct evlist_run *e, struct reason *r)
{
	struct figures times = { 0 };
	struct event_set set;
	u64 ns, places;
	int err = parse_all(e, &set, r);
	size_t events = set.list.count;

	event_set_release(&set);
	/* the first one reports how many places there are, and what cannot be opened */
	if (!err)
		err = open_and_close(e, &ns, &places, r);
	if (err)
		return err;
	bench_text(e->b, "  Number of cpus:\t%" PRIu64 "\n",
		   places / (e->target.tid_count ? e->target.tid_count : 1));
	bench_text(e->b, "  Number of threads:\t%zu\n",
		   e->target.tid_count ? e->target.tid_count : 1);
	bench_text(e->b, "  Number of events:\t%zu (%" PRIu64 " fds)\n", events, events * places);
	bench_text(e->b, "  Number of iterations:\t%d\n", e->iterations);
	for (int i = 0; i < e->iterations && !err; i++) {
		err = open_and_close(e, &ns, &places, r);
		figures_add(&times, (double)ns / 1e3);
	}
	if (err)
		return err;
	bench_text(e->b, "  Average open-close took: %.3f usec (+- %.3f usec)\n", times.mean,
		   figures_deviation(&times));
	bench_metric(e->b, "time", times.mean, "usec");
	bench_metric(e->b, "descriptors", (double)(events * places), "descriptors");
	return 0;
}

int bench_evlist_open_close(struct bench *b, int argc, const char **argv)
{
	struct evlist_run e = { .b = b, .events = "dummy", .copies = 1, .iterations = 100 };
	const struct option_row rows[] = {
		{ OPTION_STRING, 'e', "event", &e.events, .arg = "EVENT",
		  .help = "which events (default: dummy)" },
		{ OPTION_INT, 'n', "nr-events", &e.copies,
		  .help = "how often the events are repeated (default: 1)" },
		{ OPTION_INT, 'i', "iterations", &e.iterations,
		  .help = "number of iterations (default: 100)" },
		{ OPTION_FLAG, 'a', "all-cpus", &e.all, .help = "on all CPUs" },
		{ OPTION_STRING, 'C', "cpu", &e.cpus, .arg = "CPUS", .help = "on these CPUs" },
		{ OPTION_STRING, 'p', "pid", &e.pids, .arg = "PID", .help = "of these processes" },
		{ OPTION_STRING, 't', "tid", &e.tids, .arg = "TID", .help = "of these threads" },
		{ OPTION_STRING, 'u', "uid", &e.user, .arg = "USER",
		  .help = "of this user's processes" },
		{ OPTION_FLAG, 0, "per-thread", &e.per_thread,
		  .help = "a ring for each thread, not for each CPU" },
		OPT_END_ROW,
	};
	int code = bench_options(b, rows, &argc, argv);
	struct reason r = REASON_INIT;

	if (code)
		return bench_parsed(code);
	if (e.copies <= 0 || e.copies > 10000 || e.iterations <= 0) {
		say_error("%s", e.iterations <= 0 ? "--iterations: at least one is needed"
						  : "--nr-events: not from 1 to 10000");
		return EXIT_USAGE;
	}
	bench_begin(b);
	if (set_target(&e, &r) || measure(&e, &r))
		code = say_reason(&r);
	reason_release(&r);
	target_release(&e.target);
	return code;
}
