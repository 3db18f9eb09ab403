// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits measured by a BPF program: long ones are written as they end, the others as sums. */
#include "record/internal.h"
#include "record/offcpu.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "bpf/bpf.h"
#include "bpf/offcpu.h"
#include "cli/say.h"

struct off_cpu {
	struct recorder *rec;
	const struct event *event;
	struct off_cpu_switches *switches; /* NULL: by BPF */
	struct bpf_run *run;
	struct bpf_ring *ring;
	struct off_cpu_callers *callers; /* NULL: chains are as frame pointers have them */
	struct off_cpu_text text;
	struct strbuf batch;
	struct offcpu_counts counts; /* as of off_cpu_stop() */
	bool stopped;
};

static void set_cpus(struct offcpu_settings *s, const struct target *t)
{
	s->some_cpus = t->cpus != NULL;
	for (size_t i = 0; i < t->cpu_count; i++)
		if (t->cpus[i] < OFFCPU_CPU_WORDS * 64)
			s->cpus[t->cpus[i] / 64] |= BIT64(t->cpus[i] % 64);
}

static int fill_settings(struct off_cpu *o, struct reason *r)
{
	const struct recorder *rec = o->rec;
	const struct target *t = rec->target;
	struct offcpu_settings *s = bpf_run_variable(o->run, "settings", sizeof(*s));

	if (!s)
		return reason_set(r, EINVAL, "--off-cpu: the BPF program does not match this perf");
	s->threshold = rec->settings->off_cpu_threshold;
	s->all_tasks = !t->tid_count;
	s->inherit = t->inherit;
	s->kernel_frames = !rec->settings->user_callchains;
	s->user_frames = !rec->settings->kernel_callchains;
	s->own_tgid = (u32)getpid();
	s->tops = o->callers != NULL;
	set_cpus(s, t);
	return 0;
}

static int track(struct off_cpu *o, struct reason *r)
{
	const struct target *t = o->rec->target;
	int map = bpf_run_map(o->run, "tracked");
	u8 one = 1;

	for (size_t i = 0; i < t->tid_count; i++) {
		u32 tid = (u32)t->tids[i];
		int err = bpf_map_write(map, &tid, &one);

		if (err)
			return reason_errno(r, -err, "--off-cpu: cannot follow task %u", tid);
	}
	return 0;
}

int off_cpu_open(struct recorder *rec, struct off_cpu **out, struct reason *r)
{
	struct off_cpu *o = xcalloc(1, sizeof(*o));
	int err = -ENOENT;

	*out = o;
	o->rec = rec;
	vec_for_each(&rec->set->list, it)
		if (event_is_wait(*it))
			o->event = *it;
	if (rec->settings->off_cpu_by_switches) {
		o->switches = off_cpu_switches_new(rec);
		return 0;
	}
	o->callers = off_cpu_callers_new(rec);
	o->run = bpf_run_open("offcpu", r);
	if (o->run)
		err = fill_settings(o, r);
	if (!err)
		err = bpf_run_load(rec->ctx, o->run, r);
	if (!err)
		err = track(o, r);
	if (!err) {
		o->ring = bpf_ring_open(bpf_run_map(o->run, "events"), r);
		err = o->ring ? 0 : -EINVAL;
	}
	return err;
}

int off_cpu_start(struct off_cpu *o, struct reason *r)
{
	return o->switches ? 0 : bpf_run_attach(o->run, r);
}

static void put_wait(struct off_cpu *o, const struct offcpu_place *p, const struct offcpu_top *top,
		     u64 time, u64 ns, u32 cpu, u64 cgroup)
{
	struct off_cpu_wait w = {
		.pid = p->tgid,
		.tid = p->tid,
		.cpu = cpu,
		.time = time,
		.ns = ns,
		.cgroup = cgroup,
		.kernel = p->frames,
		.kernel_count = MIN(p->kernel_count, (u32)OFFCPU_KERNEL),
		.user = p->frames + OFFCPU_KERNEL,
		.user_count = MIN(p->user_count, (u32)OFFCPU_USER),
	};

	off_cpu_callers_add(o->callers, &w, top);
	off_cpu_put_sample(o->event, &w, &o->text, &o->batch);
	o->rec->counts.samples++;
	if (o->rec->counts_events)
		record_count_sample(&o->rec->counts, o->event);
}

static int take_wait(void *arg, const void *data, size_t size)
{
	const struct offcpu_wait *w = data;

	if (size >= sizeof(*w))
		put_wait(arg, &w->place, &w->top, w->end, w->end - w->begin, w->cpu, w->cgroup);
	return 0;
}

static int write_batch(struct off_cpu *o, struct reason *r)
{
	int err = o->batch.len ? data_write(o->rec->writer, o->batch.s, o->batch.len, r) : 0;

	strbuf_clear(&o->batch);
	return err;
}

int off_cpu_turn(struct off_cpu *o, struct reason *r)
{
	if (o->switches)
		return 0;
	off_cpu_callers_turn(o->callers);
	bpf_ring_drain(o->ring, take_wait, o);
	return write_batch(o, r);
}

void off_cpu_stop(struct off_cpu *o)
{
	const struct offcpu_counts *counts;

	if (o->switches)
		return;
	counts = bpf_run_variable(o->run, "counts", sizeof(*counts));
	bpf_run_detach(o->run);
	off_cpu_callers_stop(o->callers);
	if (counts)
		o->counts = *counts;
	o->stopped = true;
}

struct sum_walk {
	struct off_cpu *o;
	int map;
};

static int take_sum(void *arg, const void *key, void *value)
{
	struct sum_walk *w = arg;
	const struct offcpu_sum *sum = value;

	/* sums added between the two calls are lost; after off_cpu_stop() there are none */
	put_wait(w->o, key, &sum->top, sum->time, sum->ns, 0, 0);
	return bpf_map_remove(w->map, key) && !w->o->stopped ? -1 : 0;
}

static void say_what_is_missing(struct off_cpu *o)
{
	struct condition_list *l = &o->rec->ctx->conditions;

	bpf_run_say_missed(o->rec->ctx, o->run);
	if (!o->counts.waits && loop_ran_workload(o->rec->workload))
		say_nothing_seen(o->rec->ctx, "--off-cpu: the command was not seen to wait");
	if (o->counts.no_memory)
		condition_add(
			l, CONDITION_WARNING, "off-cpu-memory", NULL, NULL, o->counts.no_memory,
			NULL,
			"waits are not recorded, since the kernel had no memory to note when they "
			"began");
	if (o->counts.sums_full)
		condition_add(
			l, CONDITION_WARNING, "off-cpu-full", NULL, NULL, o->counts.sums_full, NULL,
			"waits of %.3f ms are not recorded, since there was no room left for the "
			"places where they began",
			(double)o->counts.sums_full_ns / 1e6);
	if (o->counts.untracked)
		condition_add(
			l, CONDITION_WARNING, "off-cpu-tasks", NULL, NULL, o->counts.untracked,
			NULL,
			"tasks were started while too many were followed: their waits are not "
			"recorded");
}

int off_cpu_sums(struct off_cpu *o, struct reason *r)
{
	struct sum_walk w = { .o = o };
	struct offcpu_counts *counts;

	if (o->switches)
		return off_cpu_switches_sums(o->switches, r);
	counts = bpf_run_variable(o->run, "counts", sizeof(*counts));
	if (counts)
		counts->kept = 0;
	w.map = bpf_run_map(o->run, "sums");
	bpf_map_each(w.map, sizeof(struct offcpu_place), sizeof(struct offcpu_sum), take_sum, &w);
	if (o->stopped)
		say_what_is_missing(o);
	return write_batch(o, r);
}

void off_cpu_close(struct off_cpu *o)
{
	if (!o)
		return;
	off_cpu_switches_free(o->switches);
	off_cpu_callers_free(o->callers);
	bpf_ring_close(o->ring);
	bpf_run_close(o->run);
	strbuf_release(&o->batch);
	free(o);
}
