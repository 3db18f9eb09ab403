// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat: one invocation from its options to its exit code. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/stat/internal.h"
#include "builtin/stat/versus.h"
#include "cli/config.h"
#include "cli/options.h"

/*
 * Reports whether the topology must be read, which takes several files for each CPU. By CPU it is
 * needed, as an event may count the core of each.
 */
static bool needs_topology(const struct stat_request *ask)
{
	return (ask->by != STAT_BY_ALL && ask->by != STAT_BY_THREAD) || ask->cpus || ask->iostat;
}

/* Settles what is counted and where the results go. */
static int prepare(struct stat_session *q, struct reason *r)
{
	int err;

	if (needs_topology(&q->ask))
		cpu_topology_read(&q->events.sys, &q->out.topology, NULL);
	err = stat_read_caches(q, r);
	if (!err)
		err = stat_choose_target(q, r);
	if (!err)
		err = stat_choose_events(q, r);
	if (!err && (!q->target.system_wide || q->by_user || q->ask.rivals.list.count))
		err = stat_check_uncore(&q->events, r);
	if (!err && q->ask.control)
		err = control_open(&q->control, q->ask.control, r);
	if (!err && q->ask.rivals.list.count)
		err = versus_prepare(q, r);
	if (!err && q->versus)
		err = versus_choose_events(q, r);
	/* which --pre may make */
	if (!err && q->argv && !q->ask.pre) {
		err = workload_check(q->argv, r);
		q->exit_code = !err ? 0 : err == -ENOENT ? 127 : 126;
	}
	if (!err)
		err = stat_open_output(&q->out, r);
	stat_choose_style(&q->out, &q->events.set);
	q->out.usage = stat_counts_command(q) ? &q->usage : NULL;
	return err;
}

static int measure(struct stat_session *q, struct reason *r)
{
	int err = prepare(q, r);

	if (!err && q->ask.iostat && !strcmp(q->ask.iostat, "list")) {
		err = stat_start_output(&q->out, r);
		if (!err)
			iostat_list(&q->out);
	} else if (!err) {
		err = q->versus ? versus_run(q, r) : stat_run_all(q, r);
	}
	stat_thaw(q);
	if (err)
		stat_record_end(q, true, NULL);
	return err ? err : stat_check_output(&q->out, r);
}

static int failure_code(const struct stat_session *q, const struct reason *r)
{
	return q->exit_code ? q->exit_code : r->wrong_use ? EXIT_USAGE : 1;
}

static int exit_code(struct stat_session *q)
{
	q->ctx->ended_by = stat_ended_by(q);
	if (q->ctx->ended_by)
		return 128 + q->ctx->ended_by;
	if (q->versus)
		return versus_exit_code(q);
	return q->argv && !q->cut_short ? workload_exit_code(&q->workload) : 0;
}

void stat_ask_from_config(const struct context *ctx, struct stat_request *ask)
{
	ask->big_num = config_bool(ctx, "stat.big-num", true);
	ask->csv_summary = !config_bool(ctx, "stat.no-csv-summary", false);
}

static void init(struct stat_session *q, struct context *ctx, const struct stat_host *host)
{
	*q = (struct stat_session){
		.ctx = ctx, .host = host, .ask = STAT_REQUEST_INIT, .control = CONTROL_INIT
	};
	stat_ask_from_config(ctx, &q->ask);
	q->out.ask = &q->ask;
	q->out.events = &q->events;
	q->out.fd = -1;
	if (host->sys)
		q->events.sys = *host->sys;
	q->events.parser = (struct event_parser){ .command = "stat",
						  .counting = true,
						  .sys = &q->events.sys,
						  .resolve = host->resolve,
						  .resolve_arg = host->resolve_arg,
						  .guests = ctx->count_guests,
						  .no_host = ctx->skip_host };
	event_set_init(&q->events.set);
	event_set_init(&q->here_set);
}

static void release(struct stat_session *q)
{
	stat_bpf_close(q);
	offline_release(&q->cpus);
	live_close(q->here);
	live_close_in_background(q->live);
	event_set_release(&q->here_set);
	control_close(&q->control);
	target_release(&q->target);
	stat_printer_release(&q->out);
	event_set_release(&q->events.set);
	iostat_release(&q->events);
	metric_set_release(&q->events.metrics);
	strlist_release(&q->ask.metric_names);
	strlist_release(&q->ask.rivals);
	versus_free(q->versus);
	vec_release(&q->ask.ranges);
	vec_release(&q->times.list);
	free(q->events.core_pmu);
}

int stat_count(struct context *ctx, const struct stat_host *host, int argc, const char **argv,
	       bool *warn, struct reason *r)
{
	struct stat_session q;
	const char **full = xmemdup(argv, (size_t)argc * sizeof(*argv));
	int code;

	init(&q, ctx, host);
	q.ask.full_argc = argc;
	q.ask.full_argv = full;
	q.ask.record = argc > 1 && !strcmp(argv[1], "record");
	if (q.ask.record) {
		argv++;
		argc--;
	}
	code = stat_parse_options(&q, &argc, argv);
	if (!code) {
		ctx->verbose = q.ask.verbose;
		code = measure(&q, r) ? failure_code(&q, r) : exit_code(&q);
		*warn = !q.ask.quiet;
		if (q.versus)
			versus_warn(&q);
		else if (stat_for_people(&q.ask))
			stat_warn(&q);
		stat_warn_ended(&q);
		if (!stat_for_people(&q.ask))
			stat_keep_privileged(&q);
	} else if (code < 0) {
		code = 0;
	}
	release(&q);
	/* programs that read the results get no advice, only the warning that counts are missing */
	*warn |= q.lost_by_bpf && !q.ask.quiet;
	free(full);
	return code;
}
