// SPDX-License-Identifier: GPL-2.0-or-later
/* The source of calls that copies what their arguments point to: util/bpf/trace.bpf.c. */
#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "sys/cgroup.h"
#include "sys/sys.h"
#include "trace/internal.h"

enum { RING_BYTES = 32 << 20 };

struct trace_source_bpf {
	struct bpf_run *run;
	struct bpf_ring *ring;
	struct trace_counts *counts;
	u64 until; /* of the drain that is under way */
	/* a record that is younger than what was drained up to */
	struct held {
		u8 *bytes;
		size_t size;
	} *held;
	VEC(struct held) queue;
	size_t first; /* of queue: those before were taken */
};

/* ---- settings ---- */

static void plan_call(const struct syscall_book *b, const struct syscall *c, bool wanted, const struct trace *t,
		      struct trace_plan *p)
{
	struct syscall_copy copies[SYSCALL_ARGS];

	memset(p, 0, sizeof(*p));
	p->enabled = wanted;
	p->ends = c->result == RESULT_NONE;
	p->exec = !strcmp(c->name, "execve") ? 1 : !strcmp(c->name, "execveat") ? 2 : 0;
	if (t->o.summary)
		return;
	syscall_copy_plan(b, c, copies);
	for (u32 i = 0; i < c->arg_count; i++) {
		struct trace_copy *to = &p->list[p->count];

		if (copies[i].how == COPY_NONE)
			continue;
		p->count++;
		to->arg = (u8)i;
		to->how = copies[i].how;
		to->when = (copies[i].entry ? TRACE_ENTRY : 0) | (copies[i].exit ? TRACE_EXIT : 0);
		to->length = copies[i].length;
		to->size = copies[i].size;
		to->word = syscall_book_arch(b)->bits / 8;
		p->copies |= to->when;
	}
}

static int write_plans(struct trace *t, const struct syscall_book *b, u32 base)
{
	int map = bpf_run_map(t->bpf->run, "plans"), err = 0;

	for (u32 nr = 0; !err && nr < TRACE_NUMBERS && nr <= syscall_most(b); nr++) {
		const struct syscall *c = syscall_find(b, nr);
		struct trace_plan plan;
		u32 index = base + nr;

		if (!c)
			continue;
		plan_call(b, c, trace_wants(t, nr, base), t, &plan);
		err = bpf_map_write(map, &index, &plan);
	}
	return err;
}

static void set_cpus(const struct trace *t, struct trace_settings *s)
{
	if (!t->o.cpus)
		return;
	s->by_cpu = 1;
	for (size_t i = 0; i < t->target.cpu_count; i++)
		if (t->target.cpus[i] < 1024)
			s->cpus[t->target.cpus[i] / 64] |= BIT64(t->target.cpus[i] % 64);
}

static bool is_all(const struct trace *t)
{
	return t->o.all || (!t->o.pids && !t->o.tids && (!t->has_command || t->o.cpus));
}

static int set_user(const char *user, struct trace_settings *s, struct reason *r)
{
	const struct passwd *known = getpwnam(user);
	u64 uid;

	s->by_uid = 1;
	if (known)
		s->uid = known->pw_uid;
	else if (!parse_u64(user, &uid) && uid < UINT32_MAX)
		s->uid = (u32)uid;
	else
		return reason_set(r, EINVAL, "-u: there is no user '%s'", user);
	return 0;
}

static int fill_settings(struct trace *t, struct trace_settings *s, struct reason *r)
{
	*s = (struct trace_settings){
		.own_tgid = (u32)getpid(), .all = is_all(t), .by_cgroup = t->o.cgroup != NULL,
		.inherit = t->o.inherit, .failures_only = t->o.failures && !t->o.with_summary, .count_only = t->o.summary,
		.by_tid = t->o.tids != NULL, .buffer_limit = t->o.text_limit,
		.least_duration = t->o.with_summary ? 0 : t->o.least_duration, 
		.summary_by = t->o.summary_mode == SUMMARY_TOTAL    ? TRACE_BY_TOTAL
			      : t->o.summary_mode == SUMMARY_CGROUP ? TRACE_BY_CGROUP
								    : TRACE_BY_TASK,
	};
	set_cpus(t, s);
	return t->o.user ? set_user(t->o.user, s, r) : 0;
}

static int set_cgroup(struct trace *t, struct reason *r)
{
	u32 zero = 0, fd;
	int at, err;

	if (!t->o.cgroup)
		return 0;
	at = cgroup_open(NULL, t->o.cgroup, r);
	if (at < 0)
		return at;
	fd = (u32)at;
	err = bpf_map_write(bpf_run_map(t->bpf->run, "cgroup"), &zero, &fd);
	close(at);
	return err ? reason_errno(r, -err, "-G: naming the cgroup '%s' to the BPF programs", t->o.cgroup) : 0;
}

/* ---- who displays us ---- */

static bool stat_of(u32 pid, u32 *parent, u32 *session)
{
	char *line = sys_read_line(NULL, "/proc/%u/stat", pid), *end = line ? strrchr(line, ')') : NULL;
	char state;
	u32 group;
	bool ok = end && sscanf(end + 1, " %c %u %u %u", &state, parent, &group, session) == 4;

	free(line);
	return ok;
}

static void exclude(struct trace *t, u32 pid, u32 state)
{
	bpf_map_write(bpf_run_map(t->bpf->run, "excluded"), &pid, &state);
}

/*
 * What shows our output (a terminal emulator, tmux, sshd) makes calls for each of our lines,
 * which would make lines again.  It is the first ancestor of another session.
 */
static void exclude_display(struct trace *t)
{
	u32 own, session, parent, pid = (u32)getpid();

	if (!is_all(t) || !stat_of(pid, &parent, &own))
		return;
	session = own;
	while (session == own) {
		pid = parent;
		if (pid <= 1 || !stat_of(pid, &parent, &session))
			return;
	}
	exclude(t, pid, TRACE_RUNNING);
}

static void exclude_asked(struct trace *t)
{
	for (size_t i = 0; i < t->left_out_count; i++)
		exclude(t, t->left_out[i], TRACE_RUNNING);
}

/* ---- open, start, end ---- */

int trace_bpf_open(struct trace *t, struct reason *r)
{
	struct trace_source_bpf *b = xcalloc(1, sizeof(*b));
	struct trace_settings *s;
	u64 bytes = t->settings.ring_pages ? t->settings.ring_pages * (u64)sysconf(_SC_PAGESIZE) : RING_BYTES;
	int err = 0;

	t->bpf = b;
	b->run = bpf_run_open("trace", r);
	if (!b->run)
		return r->err ? -r->err : -ENOTSUP;
	s = bpf_run_variable(b->run, "settings", sizeof(*s));
	if (!s)
		return reason_set(r, EINVAL, "the BPF programs of perf trace do not fit this perf");
	err = fill_settings(t, s, r);
	if (!err)
		err = bpf_run_map_entries(b->run, "events", (u32)MIN(bytes, 1ULL << 30));
	if (!err)
		err = bpf_run_load(b->run, r);
	if (err && t->ctx->verbose > 1)
		fprintf(stderr, "%s", bpf_run_log(b->run));
	if (err)
		return err;
	b->counts = bpf_run_variable(b->run, "counts", sizeof(*b->counts));
	b->ring = bpf_ring_open(bpf_run_map(b->run, "events"), r);
	if (!b->ring || !b->counts)
		return r->err ? -r->err : -EINVAL;
	err = write_plans(t, t->native, 0);
	if (!err && t->compat)
		err = write_plans(t, t->compat, TRACE_NUMBERS);
	if (!err)
		err = set_cgroup(t, r);
	exclude_asked(t);
	exclude_display(t);
	if (is_all(t) && t->workload.pid) /* it is perf itself until its exec */
		exclude(t, (u32)t->workload.pid, TRACE_BEFORE_EXEC);
	b->counts->many = t->set.list.count || t->o.faults		? TRACE_SEND_ENTRIES
			  : is_all(t) || t->target.tid_count > 1 ? TRACE_SEND_WAITING
								  : TRACE_SEND_CALLS;
	return err;
}

int trace_bpf_targets(struct trace *t, u32 state, struct reason *r)
{
	int map = bpf_run_map(t->bpf->run, "targets");

	for (size_t i = 0; i < t->target.tid_count; i++) {
		u32 tid = (u32)t->target.tids[i], tgid = tid;
		struct strbuf text = STRBUF_INIT;
		char path[64];
		const char *at;
		int err;

		snprintf(path, sizeof(path), "/proc/%u/status", tid);
		if (!t->o.tids && !sys_read(NULL, &text, path)) {
			at = strstr(strbuf_cstr(&text), "\nTgid:");
			if (at)
				tgid = (u32)strtoul(at + strlen("\nTgid:"), NULL, 10);
		}
		strbuf_release(&text);
		err = bpf_map_write(map, &tgid, &state);
		if (err)
			return reason_errno(r, -err, "naming the task %u to the BPF programs", tid);
	}
	return 0;
}

int trace_bpf_start(struct trace *t, struct reason *r)
{
	return bpf_run_attach(t->bpf->run, r);
}

void trace_bpf_pause(struct trace *t, bool pause)
{
	t->bpf->counts->paused = pause;
}

struct looking {
	int map;
	bool alive;
};

/* One that ended before the programs were attached has left nobody to take it out. */
static int look_for(void *arg, const void *key, void *value)
{
	struct looking *l = arg;
	u32 id;

	(void)value;
	memcpy(&id, key, sizeof(id));
	if (kill((pid_t)id, 0) && errno == ESRCH)
		bpf_map_remove(l->map, &id);
	else
		l->alive = true;
	return 0;
}

bool trace_bpf_alive(struct trace *t)
{
	struct looking l = { bpf_run_map(t->bpf->run, "targets"), is_all(t) };

	if (!l.alive)
		bpf_map_each(l.map, sizeof(u32), sizeof(u32), look_for, &l);
	return l.alive;
}

void trace_bpf_stop(struct trace *t)
{
	bpf_run_detach(t->bpf->run);
}

void trace_bpf_close(struct trace *t)
{
	struct trace_source_bpf *b = t->bpf;

	if (!b)
		return;
	bpf_ring_close(b->ring);
	bpf_run_close(b->run);
	for (size_t i = b->first; i < b->queue.count; i++)
		free(b->queue.items[i].bytes);
	vec_release(&b->queue);
	free(b);
	t->bpf = NULL;
}

/* ---- records ---- */

static u64 time_of(const struct trace_call *c)
{
	return c->flags & (TRACE_HAS_EXIT | TRACE_ENDED) ? c->exit_time : c->entry_time;
}

static int take(void *arg, const void *data, size_t size)
{
	struct trace *t = arg;
	const struct trace_call *c = data;
	struct trace_source_bpf *b = t->bpf;

	if (size < sizeof(*c) || c->size > size - sizeof(*c))
		return 0;
	if (time_of(c) > b->until) {
		vec_push(&b->queue, (struct held){ xmemdup(data, size), size });
		return 0;
	}
	trace_take_call(t, c, (const u8 *)data + sizeof(*c));
	return t->done ? -ECANCELED : 0;
}

/* The place of records that were taken is used again, also where the queue is never empty. */
static void close_gap(struct trace_source_bpf *b)
{
	if (b->first < 1024 || b->first < b->queue.count / 2)
		return;
	b->queue.count -= b->first;
	memmove(b->queue.items, b->queue.items + b->first, b->queue.count * sizeof(*b->queue.items));
	b->first = 0;
}

static s64 take_held(struct trace *t, u64 until)
{
	struct trace_source_bpf *b = t->bpf;
	s64 n = 0;

	while (b->first < b->queue.count) {
		struct held *h = &b->queue.items[b->first];
		const struct trace_call *c = (const struct trace_call *)h->bytes;

		if (time_of(c) > until) {
			close_gap(b);
			return n;
		}
		trace_take_call(t, c, h->bytes + sizeof(*c));
		free(h->bytes);
		b->first++;
		n++;
	}
	b->first = b->queue.count = 0;
	return n;
}

s64 trace_bpf_drain(struct trace *t, u64 until)
{
	s64 n = take_held(t, until), more;

	t->bpf->until = t->bpf->queue.count ? 0 : until; /* behind those that wait */
	more = bpf_ring_drain(t->bpf->ring, take, t);
	for (u32 cpu = 0; cpu < 256; cpu++)
		if (!bpf_ring_used(t->bpf->ring))
			trace_say_loss(t, cpu, t->bpf->counts->lost_by_cpu[cpu]);
	return n + MAX(more, 0);
}

/* ---- -s: what was counted in the kernel ---- */

struct adding {
	struct trace *t;
	size_t cpus;
};

static struct trace_task *task_of(struct trace *t, u64 who, u32 pid, const char *comm)
{
	struct trace_task *task = trace_task_get(t, pid, (u32)(t->o.summary_mode == SUMMARY_TOTAL ? 0 : who), comm);

	task->cgroup = t->o.summary_mode == SUMMARY_CGROUP ? who : 0;
	return task;
}

static int add_sum(void *arg, const void *key_bytes, void *value)
{
	struct adding *a = arg;
	struct trace_sum_key key;
	struct call_stats *s = NULL;
	struct trace_task *task = NULL;

	memcpy(&key, key_bytes, sizeof(key));
	for (size_t cpu = 0; cpu < a->cpus; cpu++) {
		const struct trace_sum *v =
			(const struct trace_sum *)((u8 *)value + cpu * bpf_percpu_size(sizeof(struct trace_sum)));

		if (!v->calls)
			continue;
		if (!task) {
			task = task_of(a->t, key.who, v->pid, v->comm);
			s = stats_get(&task->stats, key.index);
		}
		s->min = s->calls ? MIN(s->min, v->min) : v->min;
		s->max = MAX(s->max, v->max);
		s->calls += v->calls;
		s->errors += v->errors;
		s->total += v->total;
		s->squares += (double)v->squares_high * 18446744073709551616.0 + (double)v->squares_low;
		for (u32 i = 0; i < TRACE_BUCKETS; i++)
			s->buckets[i] += v->buckets[i];
		task->events += 2 * v->calls;
		a->t->events += 2 * v->calls;
	}
	return 0;
}

static int add_errno(void *arg, const void *key_bytes, void *value)
{
	struct adding *a = arg;
	struct trace_errno_key key;
	struct call_stats *s;
	u64 *slot;

	memcpy(&key, key_bytes, sizeof(key));
	slot = map64_get(&a->t->tasks, a->t->o.summary_mode == SUMMARY_TOTAL ? 0 : (u32)key.who);
	if (!slot)
		return 0;
	s = stats_get(&((struct trace_task *)(uintptr_t)*slot)->stats, key.index);
	vec_push(&s->errnos, (struct errno_count){ key.err, *(u64 *)value });
	return 0;
}

void trace_bpf_sums(struct trace *t)
{
	struct adding a = { t, bpf_percpu_count() };

	bpf_map_each(bpf_run_map(t->bpf->run, "sums"), sizeof(struct trace_sum_key),
		     a.cpus * bpf_percpu_size(sizeof(struct trace_sum)), add_sum, &a);
	bpf_map_each(bpf_run_map(t->bpf->run, "errnos"), sizeof(struct trace_errno_key), sizeof(u64), add_errno, &a);
	t->lost += t->bpf->counts->lost;
}
