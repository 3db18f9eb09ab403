// SPDX-License-Identifier: GPL-2.0-or-later
/* The recorder's life, and its loop: the clock, the signals, the targets' end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "record/internal.h"
#include "record/offcpu.h"
#include "record/programs.h"

enum { DUMP_BYTES = 1024, DUMP_RING = 16 << 20 };

/*
 * Returns the wanted size of a ring, 0 for the usual one. A copy of the stack with each sample
 * fills the usual ring in 2 ms, and a machine can stand still for longer.
 */
static u64 wanted_ring(const struct event_set *set)
{
	vec_for_each(&set->list, it)
		if ((*it)->attr.sample_stack_user > DUMP_BYTES)
			return DUMP_RING;
	return 0;
}

int record_open(struct recorder *rec, struct reason *r)
{
	struct live_options o = {
		.ring_pages = rec->settings->ring_pages,
		.ring_bytes = wanted_ring(rec->set),
		.aux_pages = record_aux_event(rec->set) ? rec->settings->aux_pages : 0,
		.aux_overwrite = rec->settings->aux_snapshot || rec->settings->aux_sample,
		.times = true,
		.backend = rec->backend,
		.sys = rec->sys,
	};
	int err = live_open(rec->ctx, rec->set, rec->target, &o, &rec->live, r);

	/* a substitution may have changed an attr */
	if (!err)
		err = event_set_finish(rec->set, r);
	if (!err)
		err = record_filters_open(&rec->filters, rec->ctx, rec->set, rec->live, r);
	if (!err && rec->user_programs)
		err = record_programs_open(rec->ctx, rec->user_programs, rec->set, rec->live, r);
	if (!err && rec->settings->live_stacks)
		err = record_stacks_new(rec, &rec->stacks, r);
	if (!err && rec->settings->off_cpu)
		err = off_cpu_open(rec, &rec->off_cpu, r);
	return err;
}

int record_start(struct recorder *rec, struct reason *r)
{
	if (rec->settings->switch_output.size)
		rec->carried = carried_new();
	return record_begin_file(rec, r);
}

struct watch {
	struct record_reader rings; /* the rings that this thread reads */
	struct reader_pool *pool;   /* the others, or NULL */
	struct forecast forecast;
	struct record_cpus cpus;
	size_t range; /* index into settings->ranges: the current one, or the next */
	u64 started;
};

/* Times of the loop of rings. */
enum { ENABLE, DISABLE, END, SWITCH };

static int share_rings(struct watch *w, struct recorder *rec, struct reason *r)
{
	if (rec->settings->threads.count)
		return readers_start(rec, &w->rings, &w->pool, r);
	for (u32 i = 0; i < live_ring_count(rec->live); i++)
		vec_push(&w->rings.rings, i);
	return 0;
}

static int watch_init(struct watch *w, struct recorder *rec, struct reason *r)
{
	const struct record_settings *s = rec->settings;
	int err = share_rings(w, rec, r);
	struct loop *l = &w->rings.loop;

	reader_init(&w->rings, rec, rec->wake_fd);
	w->started = clock_now();
	forecast_update(rec, &w->forecast, w->started);
	if (s->ranges.count)
		loop_at(l, ENABLE, w->started + s->ranges.items[0].from);
	if (s->timeout)
		loop_at(l, END, w->started + s->timeout);
	if (s->switch_output.time)
		loop_at(l, SWITCH, w->started + s->switch_output.time);
	return err;
}

/* Reports whether --max-size is reached. */
static bool is_at_limit(struct recorder *rec)
{
	u64 most = rec->settings->max_size;

	if (most && data_offset(rec->writer) + data_written(rec->writer) >= most)
		rec->size_limit_reached = true;
	return rec->size_limit_reached;
}

/* Reports whether a setting or --control asks for the end. */
static bool ended_as_asked(struct recorder *rec, const struct watch *w)
{
	return is_at_limit(rec) || rec->stop_asked || loop_is_due(&w->rings.loop, END);
}

static bool should_end(struct recorder *rec, struct watch *w, bool alive)
{
	if (loop_ending_signal())
		return true;
	if (rec->workload ? workload_wait(rec->workload, false) : !alive)
		return true;
	rec->ended_as_asked = ended_as_asked(rec, w);
	return rec->ended_as_asked;
}

/* Enables and disables the events for the ranges of -D, one after the other. */
static int enable_when_due(struct recorder *rec, struct watch *w, struct reason *r)
{
	const struct record_settings *s = rec->settings;
	struct loop *l = &w->rings.loop;
	int err = 0;

	if (loop_is_due(l, ENABLE)) {
		u64 to = s->ranges.items[w->range].to;

		loop_at(l, ENABLE, LOOP_NEVER);
		loop_at(l, DISABLE, to ? w->started + to : LOOP_NEVER);
		err = live_enable(rec->live);
	} else if (loop_is_due(l, DISABLE)) {
		loop_at(l, DISABLE, LOOP_NEVER);
		if (++w->range < s->ranges.count)
			loop_at(l, ENABLE, w->started + s->ranges.items[w->range].from);
		err = record_pause(rec);
	}
	return err ? reason_errno(r, -err, "cannot switch the events") : 0;
}

static void wait_once(struct recorder *rec, struct watch *w)
{
	/* closed when its writer went away */
	reader_wait(&w->rings, rec->control ? rec->control->fd : -1);
	record_obey_control(rec);
}

static int start_events(struct recorder *rec, struct reason *r)
{
	bool on_exec = record_tracking_event(rec->set)->attr.flags & ATTR_ENABLE_ON_EXEC;
	int err = rec->off_cpu ? off_cpu_start(rec->off_cpu, r) : 0;

	if (err)
		return err;
	/*
	 * side-band of all CPUs has been enabled since it was opened; the rest starts now, or after
	 * the delay
	 */
	if (!rec->settings->delay && !on_exec)
		err = live_enable(rec->live);
	if (err)
		return reason_errno(r, -err, "cannot enable the events");
	return rec->workload ? workload_start(rec->workload, r) : 0;
}

static bool should_switch(struct recorder *rec, const struct watch *w)
{
	return loop_switch_signal() || rec->switch_asked ||
	       (rec->trigger && trigger_fired(rec->trigger)) || record_file_full(rec) ||
	       loop_is_due(&w->rings.loop, SWITCH);
}

/* Writes the contents of the rings as far as the file has room; nothing is written afterwards. */
static int drain_and_halt(struct recorder *rec, struct watch *w, struct reason *r)
{
	return readers_drain_and_halt(rec, &w->rings, w->pool, r);
}

static int switch_when_due(struct recorder *rec, struct watch *w, struct reason *r)
{
	int err;

	if (!rec->finish || !should_switch(rec, w))
		return 0;
	rec->switch_asked = false;
	err = drain_and_halt(rec, w, r);
	if (!err)
		err = record_switch_file(rec, r);
	if (!err && w->pool)
		readers_resume(w->pool);
	if (rec->settings->switch_output.time)
		loop_at(&w->rings.loop, SWITCH, clock_now() + rec->settings->switch_output.time);
	return err;
}

/*
 * Writes as many files as the rings' contents fill, once the events have ended. One that has
 * reached --max-size is the last: what a file begins with can be larger than that.
 */
static int switch_until_empty(struct recorder *rec, struct watch *w, struct reason *r)
{
	bool more;
	int err = 0;

	if (!rec->carried || !rec->finish || rec->size_limit_reached)
		return 0;
	do {
		err = drain_and_halt(rec, w, r);
		more = !err && rec->left && !is_at_limit(rec);
		if (more)
			err = record_switch_file(rec, r);
		if (!err && w->pool)
			readers_resume(w->pool);
	} while (!err && more);
	return err;
}

static int snapshot_when_asked(struct recorder *rec, struct watch *w, struct reason *r)
{
	if (!rec->settings->aux_snapshot ||
	    !((!rec->finish && loop_switch_signal()) || rec->snapshot_asked))
		return 0;
	rec->snapshot_asked = false;
	return reader_aux_snapshot(&w->rings, r);
}

static int run_loop(struct recorder *rec, struct watch *w, struct reason *r)
{
	bool alive = true;
	u64 since;
	int err;

	do {
		wait_once(rec, w);
		err = enable_when_due(rec, w, r);
		since = clock_now();
		if (!err)
			err = reader_turn(&w->rings, rec->settings->flush_bytes, r);
		w->rings.counts.emptying_ns += clock_now() - since;
		if (!err && rec->off_cpu)
			err = off_cpu_turn(rec->off_cpu, r);
		if (!err)
			err = snapshot_when_asked(rec, w, r);
		if (!err)
			err = switch_when_due(rec, w, r);
		if (err)
			return err;
		err = cpus_update(rec, &w->cpus, &w->rings, w->pool, clock_now(), r);
		if (err)
			return err;
		forecast_update(rec, &w->forecast, clock_now());
		alive = reader_alive(&w->rings) || (w->pool && readers_alive(w->pool));
		if (w->pool && readers_failed(w->pool))
			return 0; /* end_run() tells why */
	} while (!should_end(rec, w, alive));
	return 0;
}

/*
 * Ends the run: sums up what was counted and takes what is still in the rings when the events have
 * ended.
 */
static int end_run(struct recorder *rec, struct watch *w, int err, struct reason *r)
{
	w->rings.counts.ran_ns = clock_now() - w->started;
	live_disable(rec->live);
	if (!err)
		err = switch_until_empty(rec, w, r);
	if (w->pool) {
		int ended = readers_end(w->pool, err ? NULL : r);

		err = err ? err : ended;
	}
	if (!err && rec->settings->aux_snapshot_at_exit)
		err = reader_aux_snapshot(&w->rings, r);
	if (!err)
		err = reader_drain(&w->rings, r);
	if (rec->off_cpu)
		off_cpu_stop(rec->off_cpu);
	if (!err && rec->off_cpu)
		err = off_cpu_turn(rec->off_cpu, r);
	if (!err)
		err = record_write_lost_samples(rec, r);
	record_counts_add(&rec->counts, &w->rings.counts);
	if (rec->stacks) /* some samples that were read may not have reached a file */
		record_stacks_counts(rec->stacks, &rec->counts);
	return err ? err : data_flush(rec->writer, r);
}

int record_run(struct recorder *rec, struct reason *r)
{
	struct watch w = { 0 };
	u64 waited = record_waited_ns();
	int err = watch_init(&w, rec, r);

	if (!err)
		err = data_make_way(rec->writer, r);
	if (!err)
		err = start_events(rec, r);
	if (!err)
		err = data_begun(rec->writer, r);
	if (!err) {
		rec->running = true;
		err = run_loop(rec, &w, r);
	}
	w.rings.counts.waited_ns = record_waited_ns() - waited;
	err = end_run(rec, &w, err, r);
	reader_release(&w.rings);
	cpus_end(rec, &w.cpus);
	return err;
}

void record_close(struct recorder *rec)
{
	carried_free(rec->carried);
	rec->carried = NULL;
	record_stacks_free(rec->stacks);
	rec->stacks = NULL;
	off_cpu_close(rec->off_cpu);
	rec->off_cpu = NULL;
	trigger_free(rec->trigger);
	rec->trigger = NULL;
	record_filters_say_missed(&rec->filters);
	record_filters_close(&rec->filters);
	live_close(rec->live);
	rec->live = NULL;
	free(rec->parts);
	rec->parts = NULL;
	rec->wake_fd = -1;
	bpf_programs_release(&rec->programs);
	vec_release(&rec->losses);
	vec_release(&rec->counts.of_event);
	free(rec->timed);
	rec->timed = NULL;
	strlist_release(&rec->files);
}
