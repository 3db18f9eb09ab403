// SPDX-License-Identifier: GPL-2.0-or-later
/* latency --use-bpf: a program at each of two points; the sums are made in the kernel. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/perf_abi.h"
#include "bpf/bpf.h"
#include "event/parse.h"
#include "builtin/ftrace/internal.h"
#include "probe/pmu.h"
#include "probe/temporary.h"
#include "record/record.h"
#include "sys/tracefs.h"

enum { POINTS = 2 };

/* The two points between which time is measured. */
struct points {
	struct probe_events probes; /* at the entry and the return of a function */
	int fds[POINTS];
	const char *programs[POINTS];
};

/* ---- two events ---- */

static int open_event(const char *name, int *fd, struct reason *r)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.size = ATTR_SIZE_VER7,
					.sample_period = 1,
					.sample_type = PERF_SAMPLE_RAW };
	char *dir = tracefs_find(NULL, r), *system;
	const char *colon = strchr(name, ':');
	int err;

	if (!dir)
		return -ENOENT;
	system = xstrndup(name, colon ? (size_t)(colon - name) : 0);
	err = colon ? tracefs_id(NULL, dir, system, colon + 1, &attr.config) : -ENOENT;
	if (err) {
		err = reason_set(r, ENOENT, "this kernel has no event '%s'", name);
		if (!colon || !event_suggest_probe(system, colon + 1, r))
			reason_hint(r, "'perf list tracepoint' lists them, as SYSTEM:NAME");
	}
	free(system);
	free(dir);
	if (err)
		return err;
	*fd = sys_perf_event_open(&attr, -1, 0, -1, 0);
	return *fd < 0 ? reason_errno(r, -*fd, "cannot open the event '%s'", name) : 0;
}

static int open_events(const char *text, struct points *p, struct reason *r)
{
	struct strlist names = { 0 };
	int err = 0;

	strlist_split(&names, text, ",");
	for (size_t i = 0; !err && i < POINTS; i++)
		err = open_event(names.list.items[i], &p->fds[i], r);
	p->programs[0] = "event_begin";
	p->programs[1] = "event_end";
	strlist_release(&names);
	return err;
}

/* ---- entry and return of a function ---- */

/*
 * Returns the definition of "FUNC", "FILE:FUNC" with a slash in FILE, or FUNC of --exec FILE. The
 * caller frees it.
 */
static char *definition(const struct ftrace *f, bool is_return)
{
	const char *function = f->functions.list.items[0], *colon = strrchr(function, ':');
	const char *suffix = is_return ? "%return" : "";

	if (f->exec)
		return xasprintf("%s %s%s", f->exec, function, suffix);
	if (colon && memchr(function, '/', (size_t)(colon - function)))
		return xasprintf("%.*s %s%s", (int)(colon - function), function, colon + 1, suffix);
	return xasprintf("%s%s", function, suffix);
}

static int open_probe(const struct probe_event *e, int *fd, struct reason *r)
{
	struct perf_event_attr attr = { .size = ATTR_SIZE_VER7, .sample_period = 1 };
	struct probe_pmu pmu;

	if (!probe_pmu_of(NULL, e, &pmu)) {
		reason_set(r, ENOTSUP,
			   e->path ? "this kernel cannot probe functions of programs"
				   : "this kernel cannot probe its own functions");
		reason_hint(r, "it is built without CONFIG_%s_EVENTS",
			    e->path ? "UPROBE" : "KPROBE");
		return -ENOTSUP;
	}
	attr.type = pmu.type;
	attr.config = pmu.config;
	attr.config1 = (u64)(uintptr_t)pmu.text;
	attr.config2 = pmu.offset;
	*fd = sys_perf_event_open(&attr, -1, 0, -1, 0);
	return *fd < 0 ? reason_errno(r, -*fd, "cannot probe '%s'", e->place ? e->place : pmu.text)
		       : 0;
}

static int open_function(const struct ftrace *f, struct points *p, struct reason *r)
{
	struct probe_temporary *t = probe_temporary_new(f->ctx, NULL);
	int err = 0;

	for (int i = 0; !err && i < POINTS; i++) {
		char *text = definition(f, i == 1);
		size_t before = p->probes.list.count;

		err = probe_temporary_resolve(t, text, &p->probes, r);
		if (!err && p->probes.list.count != before + 1)
			err = reason_set(r, EINVAL,
					 "'%s' matches %zu functions, and latency measures one",
					 text, p->probes.list.count - before);
		free(text);
	}
	for (int i = 0; !err && i < POINTS; i++)
		err = open_probe(&p->probes.list.items[i], &p->fds[i], r);
	if (!err) {
		bool user = p->probes.list.items[0].path;

		p->programs[0] = user ? "user_begin" : "kernel_begin";
		p->programs[1] = user ? "user_end" : "kernel_end";
	}
	probe_temporary_free(t);
	return err;
}

/* ---- the programs ---- */

static int fill(struct bpf_run *bpf, const char *map, const u32 *keys, size_t count,
		struct reason *r)
{
	u8 one = 1;
	int err = 0;

	for (size_t i = 0; !err && i < count; i++)
		err = bpf_map_write(bpf_run_map(bpf, map), &keys[i], &one);
	return err ? reason_errno(r, -err, "cannot fill the map of %s", map) : 0;
}

static void settle(const struct ftrace_run *run, struct bpf_run *bpf,
		   const struct ftrace_histogram *h, const struct points *p)
{
	struct latency_settings *s = bpf_run_variable(bpf, "settings", sizeof(*s));
	struct latency_counts *counts = bpf_run_variable(bpf, "counts", sizeof(*counts));
	bool by_process = run->f->pids ||
			  (run->workload.pid > 0 && !run->target.system_wide && !run->f->tids);

	s->scale = h->scale;
	s->self = (u32)getpid();
	s->some_cpus = run->target.cpu_count > 0;
	s->some_tasks = run->f->tids != NULL;
	s->some_processes = by_process;
	s->nests = !run->f->events;
	counts->sums.min = UINT64_MAX;
	bpf_run_enable(bpf, "process_fork", by_process);
	bpf_run_enable(bpf, "task_exec", s->some_tasks);
	bpf_run_enable(bpf, "task_exit", true);
	for (int i = 0; i < POINTS; i++)
		bpf_run_enable(bpf, p->programs[i], true);
}

/*
 * Fills the maps of what is measured. A process is measured by its number, whatever its threads
 * are.
 */
static int fill_targets(struct ftrace_run *run, struct bpf_run *bpf, struct reason *r)
{
	u32 pid = (u32)run->workload.pid;
	struct strlist pids = { 0 };
	u64 number;
	int err = fill(bpf, "cpus", run->target.cpus, run->target.cpu_count, r);

	for (size_t i = 0; !err && run->f->tids && i < run->target.tid_count; i++)
		err = fill(bpf, "tasks", (const u32 *)&run->target.tids[i], 1, r);
	if (run->f->tids) {
		run->target.goes_on = bpf_tasks_go_on;
		run->target.goes_on_map = bpf_run_map(bpf, "tasks");
	}
	if (run->f->pids)
		strlist_split(&pids, run->f->pids, ",");
	vec_for_each(&pids.list, text)
		if (!err && !parse_count(*text, &number))
			err = fill(bpf, "processes", &(u32){ (u32)number }, 1, r);
	strlist_release(&pids);
	return err || !pid || run->f->pids ? err : fill(bpf, "processes", &pid, 1, r);
}

static int attach(struct bpf_run *bpf, const struct points *p, struct reason *r)
{
	int err = bpf_run_attach_one(bpf, "task_exit", r);

	if (!err && bpf_run_program(bpf, "process_fork") >= 0)
		err = bpf_run_attach_one(bpf, "process_fork", r);
	if (!err && bpf_run_program(bpf, "task_exec") >= 0)
		err = bpf_run_attach_one(bpf, "task_exec", r);
	for (int i = POINTS; !err && i--;) /* the end first, so no start is left open */
		err = bpf_run_attach_event(bpf, p->programs[i], p->fds[i], r);
	return err;
}

static void warn(const struct ftrace_run *run, const struct latency_counts *c)
{
	struct condition_list *l = &run->f->ctx->conditions;

	if (c->no_room)
		condition_add(l, CONDITION_WARNING, "latency-room", NULL, NULL, c->no_room, NULL,
			      "calls are not measured because too many were running at once");
	if (c->too_deep)
		condition_add(l, CONDITION_WARNING, "latency-depth", NULL, NULL, c->too_deep, NULL,
			      "calls nested deeper than %d are not measured", LATENCY_DEPTH);
}

static int measure(struct ftrace_run *run, struct bpf_run *bpf, struct ftrace_histogram *h,
		   struct reason *r)
{
	struct latency_counts *counts = bpf_run_variable(bpf, "counts", sizeof(*counts));
	struct workload *w = run->workload.pid > 0 ? &run->workload : NULL;
	int err;

	if (!counts)
		return reason_set(r, EIO, "a BPF program's state cannot be reached");
	__atomic_store_n(&counts->enabled, 1, __ATOMIC_SEQ_CST);
	err = w ? workload_start(w, r) : 0;
	if (!err)
		loop_wait_target(&run->target, w, run->wake_fd, UINT64_MAX);
	__atomic_store_n(&counts->enabled, 0, __ATOMIC_SEQ_CST);
	bpf_run_detach(bpf);
	h->sums = counts->sums;
	memcpy(h->slots, counts->slots, sizeof(h->slots));
	warn(run, counts);
	bpf_run_say_missed(run->f->ctx, bpf);
	return err;
}

int ftrace_latency_bpf(struct ftrace_run *run, struct ftrace_histogram *h, struct reason *r)
{
	struct points p = { .fds = { -1, -1 } };
	struct bpf_run *bpf = NULL;
	int err = bpf_usable("--use-bpf", r);

	if (!err && !run->target.system_wide)
		err = bpf_sees_tasks("--use-bpf", r);
	if (!err)
		err = run->f->events ? open_events(run->f->events, &p, r)
				     : open_function(run->f, &p, r);
	if (!err) {
		bpf = bpf_run_open("latency", r);
		err = bpf ? 0 : -ENOTSUP;
	}
	if (!err) {
		settle(run, bpf, h, &p);
		err = bpf_run_load(run->f->ctx, bpf, r);
	}
	if (!err)
		err = fill_targets(run, bpf, r);
	if (!err)
		err = attach(bpf, &p, r);
	if (!err)
		err = measure(run, bpf, h, r);
	bpf_run_close(bpf);
	for (int i = 0; i < POINTS; i++)
		if (p.fds[i] >= 0)
			close(p.fds[i]);
	probe_events_release(&p.probes);
	return err;
}
