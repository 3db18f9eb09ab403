// SPDX-License-Identifier: GPL-2.0-or-later
/* Turns events of a session into calls of life.c. */
#include "tasks/tasks.h"

#include <errno.h>
#include <string.h>

#include "data/reader.h"
#include "tasks/internal.h"
#include "tracepoint/tracepoint.h"

static struct tasks_life *named(struct tasks *t, const struct tracer_hit *hit, u32 tid,
				unsigned comm, u64 time)
{
	struct tasks_life *l = tasks_life_of(t, tid);
	const u8 *whole = tracer_text16(hit, comm);
	const char *name;
	u32 len;

	if (whole && likely(!memcmp(whole, l->told, sizeof(l->told))))
		return l;
	name = tracer_text(hit, comm, &len);
	tasks_life_name(t, l, name, len, time);
	if (whole)
		memcpy(l->told, whole, sizeof(l->told));
	return l;
}

static void learn_letters(struct tasks *t, const struct tracer_hit *hit)
{
	const struct tracepoint_format *f;

	if (likely(t->bound))
		return;
	f = tracer_format(hit);
	t->bound = true;
	tasks_letters_parse(&t->letters, f ? f->print_fmt : NULL);
}

static const char *state_text(char letter, bool preempted, u64 state, char text[4])
{
	text[0] = letter;
	text[1] = preempted && state ? '+' : '\0';
	text[2] = '\0';
	return text;
}

enum { PREV_PID, PREV_STATE, NEXT_PID, PREV_COMM, NEXT_COMM, PREV_PRIO, NEXT_PRIO };

static int on_switch(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct tasks *t = arg;
	struct tasks_switch s = { hit, tracer_time(hit), tracer_cpu(hit) };
	u32 prev = (u32)tracer_u64(hit, PREV_PID), next = (u32)tracer_u64(hit, NEXT_PID);
	u64 state = tracer_u64(hit, PREV_STATE), contradictions = t->stats.contradictions;
	char letter, text[4];
	bool preempted;

	if (!tasks_cpu_at(t, s.cpu))
		return 0;
	learn_letters(t, hit);
	letter = tasks_letter(&t->letters, state, &preempted);
	s.state = state_text(letter, preempted, state, text);
	t->stats.switches++;
	if (prev) {
		s.prev = named(t, hit, prev, PREV_COMM, s.time);
		if (s.prev->pid == UINT32_MAX && tracer_tid(hit) == prev)
			s.prev->pid = tracer_pid(hit);
		s.prev->prio = (s32)tracer_s64(hit, PREV_PRIO);
	}
	tasks_switch_out(t, &s, letter, preempted);
	if (next) {
		s.next = named(t, hit, next, NEXT_COMM, s.time);
		s.next->prio = (s32)tracer_s64(hit, NEXT_PRIO);
	}
	tasks_switch_in(t, &s);
	/* it may contradict what was known of the CPU and of both tasks */
	t->stats.contradictions = MIN(t->stats.contradictions, contradictions + 1);
	return t->o.ops->switched ? t->o.ops->switched(t->o.arg, &s, r) : 0;
}

enum { PID, COMM, ORIG_CPU, DEST_CPU, DELAY = ORIG_CPU, TARGET_CPU = ORIG_CPU };

static int wake(struct tasks *t, const struct tracer_hit *hit, bool fresh, struct reason *r)
{
	struct tasks_wakeup w = { hit, NULL, fresh };
	u32 tid = (u32)tracer_u64(hit, PID), len;
	const char *name;
	u64 time = tracer_time(hit);

	if (!tid)
		return 0;
	t->stats.wakeups++;
	w.life = tasks_life_of(t, tid);
	if (fresh && w.life->seen)
		w.life = tasks_life_begin(t, tid, time);
	if (!w.life->seen) {
		name = tracer_text(hit, COMM, &len);
		tasks_life_name(t, w.life, name, len, time);
	}
	if (fresh) {
		w.life->begin = w.life->since = time;
		w.life->state = w.life->ahead.why = TASKS_READY;
		w.life->ahead.woken = time;
	}
	if (w.life->state != TASKS_RUNNING && !w.life->ahead.woken)
		w.life->waker = tracer_tid(hit);
	tasks_wake(t, w.life, time);
	if (tracer_has(hit, TARGET_CPU))
		tasks_send(t, w.life, (u32)tracer_u64(hit, TARGET_CPU), time);
	return t->o.ops->woken ? t->o.ops->woken(t->o.arg, &w, r) : 0;
}

static int on_waking(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct tasks *t = arg;

	t->waking = t->wakes = true;
	return wake(t, hit, false, r);
}

/* Handles a wake-up, unless sched_waking reported it earlier. */
static int on_wakeup(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct tasks *t = arg;

	t->wakes = true;
	return t->waking ? 0 : wake(t, hit, false, r);
}

static int on_wakeup_new(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	return wake(arg, hit, true, r);
}

static int on_migrate(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct tasks *t = arg;
	u64 time = tracer_time(hit);
	struct tasks_move m = { hit, tasks_life_of(t, (u32)tracer_u64(hit, PID)),
				(u32)tracer_u64(hit, ORIG_CPU), (u32)tracer_u64(hit, DEST_CPU) };

	if (time >= t->o.from && (!t->o.until || time <= t->o.until))
		m.life->migrations++;
	if (m.life->state != TASKS_RUNNING && (m.life->ahead.woken || m.life->state == TASKS_READY))
		m.life->ahead.moved = time;
	if (m.life->state != TASKS_RUNNING)
		tasks_send(t, m.life, m.to, time);
	return t->o.ops->moved ? t->o.ops->moved(t->o.arg, &m, r) : 0;
}

enum { RUNTIME = ORIG_CPU };

/* Handles a task that runs, though no switch to it was recorded. */
static __attribute__((noinline)) int infer(struct tasks *t, const struct tracer_hit *hit, u32 tid,
					   struct reason *r)
{
	struct tasks_switch s = { hit, tracer_time(hit), tracer_cpu(hit) };

	s.time -= MIN(tracer_u64(hit, RUNTIME), s.time);
	s.next = tasks_life_of(t, tid);
	if (!tasks_infer(t, &s))
		return 0;
	return t->o.ops->switched ? t->o.ops->switched(t->o.arg, &s, r) : 0;
}

/* Accounts run time that a wake-up on another CPU reports: infer() needs all of it. */
static __attribute__((noinline)) void account(struct tasks *t, const struct tracer_hit *hit,
					      u32 tid)
{
	struct tasks_life *l = tasks_now(t, tid);

	if (l && l->state != TASKS_RUNNING)
		l->ahead.accounted += tracer_u64(hit, RUNTIME);
}

static int on_runtime(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct tasks *t = arg;
	u32 tid = (u32)tracer_u64(hit, PID), cpu = tracer_cpu(hit);
	const struct tasks_life *current;

	if (!tid || cpu >= t->cpus.count)
		return 0;
	if (unlikely(tracer_tid(hit) != tid)) {
		account(t, hit, tid);
		return 0;
	}
	current = t->cpus.items[cpu].current;
	if (likely(current && current->tid == tid && !current->ended)) /* it adds nothing new */
		return 0;
	return infer(t, hit, tid, r);
}

static int on_iowait(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct tasks *t = arg;
	struct tasks_life *l = tasks_life_of(t, (u32)tracer_u64(hit, PID));

	(void)r;
	l->ahead.iowait += tracer_u64(hit, DELAY);
	return 0;
}

enum { ROW_SWITCH, ROW_WAKING, ROW_WAKEUP };

static const struct tracer_row rows[] = {
	[ROW_SWITCH] = { "sched:sched_switch", .fn = on_switch,
			 .fields = { [PREV_PID] = { "prev_pid" },
				     [PREV_STATE] = { "prev_state" },
				     [NEXT_PID] = { "next_pid" },
				     [PREV_COMM] = { "prev_comm", TRACER_TEXT },
				     [NEXT_COMM] = { "next_comm", TRACER_TEXT },
				     [PREV_PRIO] = { "prev_prio", .optional = true },
				     [NEXT_PRIO] = { "next_prio", .optional = true } } },
	[ROW_WAKING] = { "sched:sched_waking", .fn = on_waking, .optional = true,
			 .fields = { [PID] = { "pid" },
				     [COMM] = { "comm", TRACER_TEXT },
				     [TARGET_CPU] = { "target_cpu", .optional = true } } },
	[ROW_WAKEUP] = { "sched:sched_wakeup", .fn = on_wakeup, .optional = true,
			 .fields = { [PID] = { "pid" },
				     [COMM] = { "comm", TRACER_TEXT },
				     [TARGET_CPU] = { "target_cpu", .optional = true } } },
	{ "sched:sched_wakeup_new", .fn = on_wakeup_new, .optional = true,
	  .fields = { [PID] = { "pid" },
		      [COMM] = { "comm", TRACER_TEXT },
		      [TARGET_CPU] = { "target_cpu", .optional = true } } },
	{ "sched:sched_migrate_task", .fn = on_migrate, .optional = true,
	  .fields = { [PID] = { "pid" },
		      [COMM] = { "comm", TRACER_TEXT, .optional = true },
		      [ORIG_CPU] = { "orig_cpu" },
		      [DEST_CPU] = { "dest_cpu" } } },
	{ "sched:sched_stat_runtime", .fn = on_runtime, .optional = true,
	  .fields = { [PID] = { "pid" },
		      [COMM] = { "comm", TRACER_TEXT, .optional = true },
		      [RUNTIME] = { "runtime" } } },
	{ "sched:sched_stat_iowait", .fn = on_iowait, .optional = true,
	  .fields = { [PID] = { "pid" },
		      [COMM] = { "comm", TRACER_TEXT, .optional = true },
		      [DELAY] = { "delay" } } },
};

static void on_lost(void *arg, const struct tracer_gap *gap)
{
	struct tasks *t = arg;

	tasks_lose(t, gap);
	if (t->o.ops->lost)
		t->o.ops->lost(t->o.arg, gap);
}

static int on_point(void *arg, const struct session_point *p, struct reason *r)
{
	struct tasks *t = arg;
	struct tasks_cpu *c = tasks_cpu_at(t, p->cpu);
	int err = unlikely(t->o.ops->sample) ? t->o.ops->sample(t->o.arg, p, r) : 0;

	if (err)
		return err;
	if (unlikely(!t->origin))
		t->origin = p->time;
	t->now = p->time;
	if (c) {
		c->met = true;
		c->tid = p->tid;
	}
	return tracer_point(t->tracer, p, r);
}

static int on_sample(void *arg, unsigned worker, const struct session_sample *in, struct reason *r)
{
	struct session_point p = session_point_of(in);

	(void)worker;
	return on_point(arg, &p, r);
}

static void on_comm(struct tasks *t, const struct record *rec, u64 time)
{
	struct record_comm comm;
	struct tasks_life *l;

	if (record_get_comm(session_events(t->session), rec, &comm, NULL) || !comm.tid)
		return;
	l = tasks_life_of(t, comm.tid);
	l->pid = comm.pid;
	/*
	 * /proc shows kernel workers with their current work in the name; events have the real name
	 */
	if (!time || strncmp(comm.comm, "kworker/", 8))
		tasks_life_name(t, l, comm.comm, strnlen(comm.comm, 15), time);
}

static void on_task(struct tasks *t, const struct record *rec, u64 time)
{
	struct record_task task;
	struct tasks_life *l;

	if (record_get_task(session_events(t->session), rec, &task, NULL) || !task.tid)
		return;
	if (rec->type == PERF_RECORD_EXIT) {
		tasks_life_of(t, task.tid)->exiting = true;
		return;
	}
	l = time ? tasks_life_begin(t, task.tid, time) : tasks_life_of(t, task.tid);
	l->pid = task.pid;
	l->ppid = task.ptid;
	if (time && tasks_now(t, task.ptid))
		tasks_life_name(t, l, tasks_now(t, task.ptid)->name, 15, time);
}

static int on_record(void *arg, const struct record *rec, const struct order_key *key,
		     struct reason *r)
{
	struct tasks *t = arg;
	/*
	 * a record about a task from before the beginning may carry a time, if it was written late
	 */
	bool told = rec->misc & PERF_RECORD_MISC_FORK_EXEC && rec->type == PERF_RECORD_FORK;
	/* before the first event, the state of a task is unknown */
	u64 time = told || !t->origin ? 0 : key->time;

	(void)r;
	if (rec->type == PERF_RECORD_COMM)
		on_comm(t, rec, time);
	else if (rec->type == PERF_RECORD_LOST)
		tracer_record(t->tracer, rec, key);
	else
		on_task(t, rec, time);
	return 0;
}

int tasks_run(struct tasks *t, struct session *s, struct reason *r)
{
	struct session_ops ops = {
		.order = SESSION_ORDERED,
		.sample = on_sample,
		.point = on_point,
		.record = on_record,
		.want = { BIT64(PERF_RECORD_LOST) | BIT64(PERF_RECORD_COMM) |
			  BIT64(PERF_RECORD_FORK) | BIT64(PERF_RECORD_EXIT) },
		.no_tasks = !t->o.chains,
		.no_locations = !t->o.chains,
		.no_chains = !t->o.chains,
	};
	int err;

	t->session = s;
	if (t->o.formats)
		tracer_use_formats(t->tracer, t->o.formats);
	err = tracer_bind(t->tracer, s, r);
	t->waking = !err && tracer_has_event(t->tracer, ROW_WAKING);
	t->wakes = t->waking || (!err && tracer_has_event(t->tracer, ROW_WAKEUP));
	if (!err)
		err = session_run(s, &ops, t, r);
	if (err)
		return err;
	tasks_close(t);
	t->tracer_stats = *tracer_stats(t->tracer);
	err = tracer_finish(t->tracer, r);
	if (err == -ENOENT && t->o.optional && data_is_pipe(session_data(s))) {
		reason_release(r);
		err = 0;
	}
	return err;
}

struct tasks *tasks_new(const struct tasks_settings *o)
{
	struct tasks *t = xcalloc(1, sizeof(*t));

	t->o = *o;
	t->tracer = tracer_new(&(struct tracer_settings){
		.rows = rows,
		.row_count = ARRAY_SIZE(rows),
		.lost = on_lost,
		.arg = t,
		.record = o->record ? o->record : "record with: perf sched record" });
	tasks_letters_parse(&t->letters, NULL);
	strtab_add(&t->comms, "");
	return t;
}

void tasks_free(struct tasks *t)
{
	if (!t)
		return;
	tracer_free(t->tracer);
	vec_release(&t->lives);
	vec_release(&t->ended);
	vec_release(&t->delayed);
	vec_release(&t->spare);
	vec_release(&t->spare_rows);
	vec_release(&t->cpus);
	vec_release(&t->gaps);
	map64_release(&t->by_odd_tid);
	for (size_t i = 0; i < TID_PAGES; i++)
		free(t->by_tid[i]);
	strtab_release(&t->comms);
	arena_release(&t->memory);
	free(t);
}

bool tasks_check_sums(const struct tasks *t, struct context *ctx)
{
	u64 window = tasks_in_window(t, t->origin, t->now), wrong = t->wrong_sums;

	for (size_t i = 0; i < t->lives.count; i++) {
		const struct tasks_life *l = t->lives.items[i];

		wrong += !l->forgotten && !tasks_life_adds_up(t, l);
	}
	for (size_t i = 0; i < t->cpus.count; i++) {
		const struct tasks_cpu *c = &t->cpus.items[i];

		wrong += c->met && c->busy + c->idle + c->unknown != window;
	}
	if (wrong)
		condition_add(&ctx->conditions, CONDITION_WARNING, "tasks-sums", NULL, NULL, wrong,
			      NULL, "the times of tasks or CPUs do not add up");
	return !wrong;
}
