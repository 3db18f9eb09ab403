// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf sched latency --bpf: the kernel counts how long tasks wait for a CPU, and perf prints the
 * histograms at the end and at intervals.
 *
 * Rows of the map belong to a round. A print begins the next round, so no row is added to while it
 * is read and removed, and no delay is lost in between.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/live_cpus.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "bpf/bpf.h"
#include "bpf/runq.h"
#include "builtin/sched/latency.h"
#include "cli/say.h"
#include "record/record.h"
#include "synth/synth.h"

struct measuring {
	struct latency *l;
	struct bpf_run *run;
	struct runq_counts *counts;
	struct workload workload;
	struct strtab names;
	struct map64 cgroups; /* id -> names */
	int wake_fd;
	u64 begun, next; /* ns of CLOCK_MONOTONIC */
	u32 round;       /* the round that is read */
};

static const char *name_of(struct latency *l, u32 comm)
{
	return strtab_get(l->a.arg, comm);
}

/* ---- names of cgroups ---- */

/* Reads the names of cgroups. Cgroups that are gone keep theirs. */
static void read_cgroups(struct measuring *m)
{
	struct event ev = { .attr.flags = ATTR_CGROUP };
	struct strbuf b = STRBUF_INIT;
	struct reason r = REASON_INIT;
	struct record_header h;
	bool added;
	u64 id;

	if (synth_cgroups(&b, &ev, &r))
		reason_release(&r); /* they are shown by number */
	for (size_t at = 0; at + sizeof(h) + sizeof(id) < b.len; at += h.size) {
		const char *path = b.s + at + sizeof(h) + sizeof(id);

		memcpy(&h, b.s + at, sizeof(h));
		memcpy(&id, b.s + at + sizeof(h), sizeof(id));
		*map64_put(&m->cgroups, id, &added) = strtab_add(&m->names, path);
	}
	strbuf_release(&b);
}

static u32 cgroup_name(struct measuring *m, u64 id)
{
	u64 *known = map64_get(&m->cgroups, id);
	char number[32];

	if (known)
		return (u32)*known;
	snprintf(number, sizeof(number), "cgroup %" PRIu64, id);
	return strtab_add(&m->names, number);
}

/* ---- from the map to rows ---- */

_Static_assert((int)RUNQ_SLOTS == (int)HISTOGRAM_SLOTS, "slots are copied");

static void take_histogram(struct histogram *h, const struct runq_row *row)
{
	memcpy(h->slots, row->slots, sizeof(h->slots));
	h->count = row->count;
	h->sum = row->sum;
	h->least = row->least;
	h->most = row->most;
}

static void take_task(struct measuring *m, const struct runq_key *key, const struct runq_row *row)
{
	bool task = m->l->hist_mode == HIST_TASK;
	struct delays d = { .tid = (u32)key->id,
			    .merged = 1,
			    .count = row->count,
			    .total = row->sum,
			    .most = row->most };

	d.comm = task ? strtab_add_n(&m->names, key->comm, strnlen(key->comm, sizeof(key->comm)))
		      : cgroup_name(m, key->id);
	d.hist = xcalloc(1, sizeof(*d.hist));
	take_histogram(d.hist, row);
	vec_push(&m->l->rows, d);
}

static int take_row(void *arg, const void *key_bytes, void *value)
{
	struct measuring *m = arg;
	const struct runq_key *key = key_bytes;
	const struct runq_row *row = value;

	if (key->round != m->round)
		return 0;
	if (!row->count)
		; /* made, and ended before it was added to */
	else if (m->l->hist_mode == HIST_ALL)
		take_histogram(&m->l->all, row);
	else if (m->l->hist_mode == HIST_CPU && key->id < RUNQ_CPU_WORDS * 64)
		take_histogram(latency_cpu(m->l, (u32)key->id), row);
	else
		take_task(m, key, row);
	bpf_map_remove(bpf_run_map(m->run, "rows"), key_bytes);
	return 0;
}

static int print(struct measuring *m, struct reason *r)
{
	const struct timespec in_flight = { .tv_nsec = 1000000 };
	struct latency *l = m->l;
	struct out *out = &l->s->a.out;
	int err;

	m->round = m->counts->round;
	__atomic_store_n(&m->counts->round, m->round + 1, __ATOMIC_SEQ_CST);
	nanosleep(&in_flight, NULL); /* programs that had read the old number */
	if (l->hist_mode == HIST_CGROUP)
		read_cgroups(m);
	latency_clear(l);
	err = bpf_map_each(bpf_run_map(m->run, "rows"), sizeof(struct runq_key),
			   sizeof(struct runq_row), take_row, m);
	if (err)
		return reason_errno(r, -err, "cannot read the delays in the kernel");
	if (l->hist_mode == HIST_TASK && !l->by_task)
		latency_merge(l);
	latency_order(l);
	if (l->interval)
		out_f(out, "\n# after %.1f s\n", (double)(clock_now() - m->begun) / 1e9);
	latency_put_histograms(l, out);
	out_flush(out);
	return 0;
}

/* ---- the run ---- */

static int settle(struct measuring *m, struct reason *r)
{
	static const enum runq_mode modes[] = { [HIST_ALL] = RUNQ_ALL,
						[HIST_TASK] = RUNQ_TASK,
						[HIST_CPU] = RUNQ_CPU,
						[HIST_CGROUP] = RUNQ_CGROUP };
	struct runq_settings *s = bpf_run_variable(m->run, "settings", sizeof(*s));
	const struct sample_choice *c = &m->l->a.choice;

	if (!s)
		return reason_set(r, ENOENT, "the BPF program has no settings");
	s->mode = modes[m->l->hist_mode];
	s->some_cpus = c->cpus != NULL;
	for (size_t i = 0; i < c->cpu_count; i++)
		if (c->cpus[i] / 64 < RUNQ_CPU_WORDS)
			s->cpus[c->cpus[i] / 64] |= BIT64(c->cpus[i] % 64);
	return 0;
}

static int load(struct measuring *m, struct reason *r)
{
	int err;

	m->run = bpf_run_open("runq", r);
	if (!m->run)
		return -ENOTSUP;
	err = settle(m, r);
	if (!err)
		err = bpf_run_load(m->l->s->ctx, m->run, r);
	if (!err)
		err = bpf_run_attach(m->run, r);
	if (!err)
		m->counts = bpf_run_variable(m->run, "counts", sizeof(*m->counts));
	return err || m->counts ? err
				: reason_set(r, EIO, "a BPF program's state cannot be reached");
}

static void say_lost(const struct measuring *m)
{
	struct condition_list *l = &m->l->s->ctx->conditions;

	bpf_run_say_missed(m->l->s->ctx, m->run);
	if (m->counts->no_row)
		condition_add(
			l, CONDITION_WARNING, "sched-bpf-rows", NULL, NULL, m->counts->no_row,
			"a shorter --interval, or another --hist-mode, has fewer rows",
			"delays are not counted: there was no room for their rows in the kernel");
	if (m->counts->no_start)
		condition_add(
			l, CONDITION_WARNING, "sched-bpf-starts", NULL, NULL, m->counts->no_start,
			NULL,
			"delays are not counted: the kernel had no memory to note when they began");
	if (m->counts->unseen)
		condition_add(
			l, CONDITION_NOTE, "sched-bpf-unseen", NULL, NULL, m->counts->unseen, NULL,
			"delays end where the run time says that the task began to run, since the "
			"kernel "
			"did not report the switch");
}

/* Reports whether the last printed table shows a delay. */
static bool shows_delays(const struct latency *l)
{
	if (l->all.count)
		return true;
	vec_for_each(&l->rows, d)
		if (!delays_are_empty(d))
			return true;
	return false;
}

static int measure(struct measuring *m, struct reason *r)
{
	struct workload *w = m->workload.pid > 0 ? &m->workload : NULL;
	u64 interval = m->l->interval;
	int err;

	m->begun = clock_now();
	m->next = interval ? m->begun + interval : UINT64_MAX;
	__atomic_store_n(&m->counts->enabled, 1, __ATOMIC_SEQ_CST);
	if (!w && !interval)
		say_note("delays are counted until it is interrupted (Ctrl+C)");
	err = w ? workload_start(w, r) : 0;
	while (!err && !loop_wait_end(w, m->wake_fd, m->next)) {
		err = print(m, r);
		m->next += interval;
	}
	__atomic_store_n(&m->counts->enabled, 0, __ATOMIC_SEQ_CST);
	if (!err)
		err = print(m, r);
	if (!err && !interval && !shows_delays(m->l))
		say_empty_table(m->l->s->ctx, "no task was seen to wait for a CPU",
				m->l->a.choice.cpus != NULL);
	if (!err)
		say_lost(m);
	return err;
}

static int run(struct measuring *m, int argc, const char **argv, struct reason *r)
{
	int err = bpf_usable("--bpf", r);

	if (!err)
		err = loop_signals(m->l->s->ctx, 0, &m->wake_fd, r);
	if (!err && argc)
		err = workload_prepare(&m->workload, argv, r);
	if (!err)
		err = load(m, r);
	if (!err)
		err = measure(m, r);
	if (m->workload.pid > 0)
		loop_finish_workload(&m->workload);
	m->l->s->ctx->ended_by = loop_ending_signal();
	bpf_run_close(m->run);
	return err;
}

int latency_run_live(struct latency *l, int argc, const char **argv)
{
	struct measuring m = { .l = l };
	struct reason r = REASON_INIT;
	int code = sample_choice_cpus(&l->a.choice, l->a.cpus, &r);

	if (code || live_cpus_check(&l->a.choice, &r)) {
		say_reason(&r);
		sample_choice_release(&l->a.choice);
		return EXIT_USAGE;
	}
	strtab_add(&m.names, "");
	l->a.arg = &m.names;
	l->name = name_of;
	l->histogram = true;
	out_init(&l->s->a.out, STDOUT_FILENO);
	code = run(&m, argc, argv, &r);
	code = analysis_end(&l->s->a, code, &r);
	sample_choice_release(&l->a.choice);
	map64_release(&m.cgroups);
	strtab_release(&m.names);
	return code;
}
