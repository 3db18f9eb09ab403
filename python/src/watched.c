// SPDX-License-Identifier: GPL-2.0-or-later
/* Events that are open, as a run of samples. */
#include "base/clock.h"
#include "watched.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/perf_abi.h"
#include "base/text.h"
#include "event/parse.h"
#include "event/tracing_data.h"
#include "live/loop.h"
#include "record/record.h"
#include "sys/topology.h"
#include "watch/watch.h"

enum { DEFAULT_FREQ = 4000 };

struct watched {
	struct event_set set;
	struct target target;
	struct record_settings settings;
	struct live *live;
	struct session *session;
	struct watch *watch;
	struct tracepoint_formats *formats; /* NULL: no tracepoints, or tracefs cannot be read */
	u64 refresh;
	atomic_bool stop;
	_Atomic u64 lost;
	bool ending;
};

static int set_cpus(struct target *t, const char *text, struct reason *r)
{
	u32 *possible, most = 1U << 16;
	size_t count;
	int err;

	if (!sys_cpus(NULL, "possible", &possible, &count, r)) {
		most = count ? possible[count - 1] : most;
		free(possible);
	}
	reason_release(r);
	err = parse_cpu_list(text, most, &t->cpus, &t->cpu_count);
	return err ? reason_set(r, -err, "'%s' is not a list of CPUs such as 0-2,5, up to %u", text,
				most)
		   : 0;
}

static int configure(struct watched *w, const struct watched_options *o, struct reason *r)
{
	struct record_settings *q = &w->settings;
	struct target *t = &w->target;
	u64 most;
	int err = 0;

	q->period = o->period;
	q->period_given = o->period != 0;
	q->freq_given = o->freq != 0;
	q->freq = o->period ? 0 : o->freq ? o->freq : DEFAULT_FREQ;
	if (!o->freq && q->freq && !record_max_freq(&most, NULL))
		q->freq = MIN(q->freq, most);
	q->output = "-";
	q->synth = SYNTH_ALL;
	q->time = q->cpu = true;
	t->inherit = true;
	if (o->chains)
		err = record_parse_call_graph(q, o->chains, r);
	q->live_stacks = q->call_graph == CALL_GRAPH_DWARF;
	if (!err && o->cpus)
		err = set_cpus(t, o->cpus, r);
	if (!err && o->pids)
		err = target_add_pids(t, o->pids, r);
	t->system_wide = !o->pids && !o->cpus;
	return err ? err : record_configure(&w->set, q, t, false, r);
}

int watched_open(struct run *run, const struct watched_options *o, struct reason *r)
{
	const struct symbol_options symbols = { .symfs = run->ctx.symfs,
						.buildid_dir = run->ctx.buildid_dir };
	const struct event_parser parser = { .command = "record" };
	const struct live_options open = { 0 };
	struct watched *w = run->watched = xcalloc(1, sizeof(*w));
	int err = 0;

	w->refresh = o->refresh;
	event_set_init(&w->set);
	if (o->events)
		err = event_parse(&parser, &w->set, o->events, r);
	else
		record_add_default_event(&run->ctx, NULL, &w->set);
	if (!err)
		err = configure(w, o, r);
	if (!err)
		err = live_open(&run->ctx, &w->set, &w->target, &open, &w->live, r);
	if (!err)
		err = event_set_finish(&w->set, r);
	if (err)
		return err;
	/* without them samples of tracepoints have no fields, but all else */
	w->formats = tracing_data_formats(&w->set, NULL);
	run->session = w->session = session_new_live(&run->ctx, &w->set, &symbols);
	return 0;
}

/*
 * Starts watching. Tasks are enabled before /proc is read, so no mapping is missed; CPUs when
 * everything is ready.
 */
int watched_start(struct run *run, const struct session_ops *ops, void *arg, struct reason *r)
{
	struct watched *w = run->watched;
	/* samples name tasks and objects for as long as the program keeps them */
	const struct feed_settings feed = {
		.ops = ops, .arg = arg, .overload = FEED_SPILL, .remembers = true
	};
	bool tasks = w->target.tid_count;
	int err;

	w->watch = watch_new(w->live, w->session, &feed);
	err = tasks ? live_enable(w->live) : 0;
	if (!err)
		err = watch_begin(w->watch, record_tracking_event(&w->set), &w->target, NULL, r);
	if (!err)
		err = watch_start(w->watch, r);
	if (!err && !tasks)
		err = live_enable(w->live);
	return err && !r->text ? reason_errno(r, -err, "cannot enable the events") : err;
}

int watched_step(struct watched *w, struct reason *r)
{
	const struct session_stats *st;
	int err;

	if (!w->ending && (atomic_load(&w->stop) || !watch_alive(w->watch))) {
		watch_stop(w->watch);
		w->ending = true;
	}
	err = watch_step(w->watch, w->ending ? 0 : clock_now() + w->refresh, r);
	st = session_stats(w->session);
	atomic_store(&w->lost, st->lost_events + st->lost_samples);
	return err;
}

void watched_end(struct watched *w)
{
	watch_free(w->watch);
	w->watch = NULL;
	live_close(w->live);
	w->live = NULL;
}

void watched_stop(struct watched *w)
{
	atomic_store(&w->stop, true);
}

u64 watched_lost(const struct watched *w)
{
	return atomic_load(&w->lost);
}

const struct tracepoint_formats *watched_formats(const struct watched *w)
{
	return w->formats;
}

void watched_free(struct watched *w)
{
	if (!w)
		return;
	watch_free(w->watch);
	live_close(w->live);
	tracepoint_formats_free(w->formats);
	event_set_release(&w->set);
	target_release(&w->target);
	record_settings_release(&w->settings);
	free(w);
}
