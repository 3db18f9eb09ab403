// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks and CPUs by the sched tracepoints: each rule on a recording made up for it, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sched_synth.h"
#include "tasks/tasks.h"

enum { R = 0, S = 1, D = 2, Z = 0x20, PREEMPTED = 0x100 };

/* A stay that has ended, as the callback saw it. */
struct seen {
	u32 tid;
	u64 out, woken, in, ran, at;
	char state[4];
};

struct made {
	struct sched_synth y;
	struct context ctx;
	struct session *session;
	struct tasks *tasks;
	struct tasks_settings o;
	VEC(struct seen) seen;
	char path[32];
};

static int on_switch(void *arg, const struct tasks_switch *s, struct reason *r)
{
	struct made *m = arg;
	struct seen n = { .at = s->time, .ran = s->ran };

	(void)r;
	if (s->prev) {
		n.tid = s->prev->tid;
		n.out = s->prev->wait.out;
		n.woken = s->prev->wait.woken;
		n.in = s->prev->wait.in;
	}
	snprintf(n.state, sizeof(n.state), "%s", s->state);
	vec_push(&m->seen, n);
	return 0;
}

static void made_init(struct made *m, bool swap)
{
	*m = (struct made){ .path = "/tmp/tasks-XXXXXX" };
	sched_synth_init(&m->y, swap);
	m->ctx.workers = 1;
	m->ctx.buildid_dir = m->ctx.symfs = "";
}

static void run_with(struct made *m, const struct tasks_ops *ops)
{
	struct session_options o = { .input = m->path, .force = true };
	struct reason r = REASON_INIT;
	int fd = mkstemp(m->path);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(synth_write(&m->y.s, m->path), 0);
	o.symbols.symfs = o.symbols.buildid_dir = "";
	assert_int_equal(session_open(&m->ctx, &o, &m->session, &r), 0);
	m->o.ops = ops;
	m->o.arg = m;
	m->o.formats = m->y.formats;
	m->tasks = tasks_new(&m->o);
	assert_int_equal(tasks_run(m->tasks, m->session, &r), 0);
	assert_true(tasks_check_sums(m->tasks, &m->ctx));
}

static void run(struct made *m)
{
	static const struct tasks_ops ops = { .switched = on_switch };

	run_with(m, &ops);
}

static void made_release(struct made *m)
{
	tasks_free(m->tasks);
	session_free(m->session);
	condition_list_release(&m->ctx.conditions);
	sched_synth_release(&m->y);
	vec_release(&m->seen);
	unlink(m->path);
}

static const struct tasks_life *life(const struct made *m, u32 tid, u32 n)
{
	for (size_t i = 0; i < tasks_life_count(m->tasks); i++) {
		const struct tasks_life *l = tasks_life_by_number(m->tasks, i);

		if (l->tid == tid && !n--)
			return l;
	}
	fail_msg("no life of %u", tid);
	return NULL;
}

static u64 sum(const struct tasks_life *l, enum tasks_state state)
{
	u64 ns = 0;

	for (const struct tasks_row *row = l->rows; row; row = row->next)
		ns += row->sums.ns[state];
	return ns;
}

#define assert_sums(life, run, ready, preempted, sleep, blocked, unknown)                          \
	do {                                                                                       \
		const struct tasks_life *l_ = (life);                                              \
		assert_int_equal(sum(l_, TASKS_RUNNING), run);                                     \
		assert_int_equal(sum(l_, TASKS_READY), ready);                                     \
		assert_int_equal(sum(l_, TASKS_PREEMPTED), preempted);                             \
		assert_int_equal(sum(l_, TASKS_SLEEPING), sleep);                                  \
		assert_int_equal(sum(l_, TASKS_BLOCKED), blocked);                                 \
		assert_int_equal(sum(l_, TASKS_UNKNOWN), unknown);                                 \
	} while (0)

#define assert_cpu(m, n, b, i, u)                                                                  \
	do {                                                                                       \
		size_t count_;                                                                     \
		const struct tasks_cpu *c_ = tasks_cpus((m)->tasks, &count_);                      \
		assert_true(count_ > (n));                                                         \
		assert_int_equal(c_[n].busy, b);                                                   \
		assert_int_equal(c_[n].idle, i);                                                   \
		assert_int_equal(c_[n].unknown, u);                                                \
	} while (0)

/* Checks sleep, wake-up, delay and run, and what ran before the first event and after the last. */
static void test_cycle(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct made m;

		made_init(&m, swap);
		sched_wake(&m.y, 1, 100, 0, 7); /* the begin */
		sched_switch(&m.y, 0, 200, 5, S, 0);
		sched_wake(&m.y, 1, 300, 0, 5);
		sched_switch(&m.y, 0, 310, 0, R, 5);
		sched_switch(&m.y, 0, 400, 5, D, 6);
		sched_wake(&m.y, 0, 450, 6, 5);
		sched_switch(&m.y, 0, 500, 6, PREEMPTED, 5);
		run(&m);
		assert_sums(life(&m, 5, 0), 100 + 90, 10 + 50, 0, 100, 50, 0);
		/* 6 came without a wake-up: it was ready from the begin */
		assert_sums(life(&m, 6, 0), 100, 300, 0, 0, 0, 0);
		assert_cpu(&m, 0, 290, 110, 0);
		assert_int_equal(m.seen.count, 4);
		assert_int_equal(m.seen.items[0].ran, 100);
		assert_true(m.seen.items[2].out == 200 && m.seen.items[2].woken == 300);
		assert_true(m.seen.items[2].in == 310 && m.seen.items[2].ran == 90);
		assert_string_equal(m.seen.items[2].state, "D");
		assert_string_equal(m.seen.items[3].state, "R+");
		assert_int_equal(tasks_stats(m.tasks)->contradictions, 0);
		made_release(&m);
	}
}

static void test_preempted(void **state)
{
	struct made m;

	(void)state;
	made_init(&m, false);
	sched_switch(&m.y, 0, 100, 5, PREEMPTED, 6);
	sched_wake(&m.y, 0, 150, 6, 5); /* the task is ready: this says nothing */
	sched_switch(&m.y, 0, 200, 6, S, 5);
	sched_wake(&m.y, 0, 250, 5, 5); /* the task runs */
	sched_switch(&m.y, 0, 300, 5, R, 6);
	run(&m);
	assert_sums(life(&m, 5, 0), 100, 0, 100, 0, 0, 0);
	assert_true(m.seen.items[2].woken == 100 && m.seen.items[2].out == 100);
	made_release(&m);
}

/* Checks a wake-up that comes before the switch that it answers. */
static void test_early_waking(void **state)
{
	struct made m;

	(void)state;
	made_init(&m, false);
	sched_switch(&m.y, 0, 100, 0, R, 5);
	sched_wake(&m.y, 1, 190, 0, 5);
	sched_switch(&m.y, 0, 200, 5, S, 0);
	sched_switch(&m.y, 0, 230, 0, R, 5);
	/* here another one follows: the early one was for nothing */
	sched_wake(&m.y, 1, 290, 0, 5);
	sched_switch(&m.y, 0, 300, 5, S, 0);
	sched_wake(&m.y, 1, 380, 0, 5);
	sched_switch(&m.y, 0, 400, 0, R, 5);
	run(&m);
	assert_sums(life(&m, 5, 0), 170, 30 + 20, 0, 80, 0, 0);
	assert_int_equal(tasks_stats(m.tasks)->unwoken, 0);
	made_release(&m);
}

static void test_no_wakeup(void **state)
{
	struct made m;

	(void)state;
	made_init(&m, false);
	sched_switch(&m.y, 0, 100, 5, S, 0);
	sched_switch(&m.y, 0, 200, 0, R, 5);
	sched_wake(&m.y, 0, 250, 5, 6);
	run(&m);
	assert_sums(life(&m, 5, 0), 50, 0, 0, 100, 0, 0);
	assert_int_equal(tasks_stats(m.tasks)->unwoken, 1);
	assert_sums(life(&m, 6, 0), 0, 0, 0, 0, 0, 150); /* asleep: how, was not seen */
	made_release(&m);
}

/* Checks fork, exec, exit, and the same tid again. */
static void test_lives(void **state)
{
	struct made m;
	const struct tasks_life *l;

	(void)state;
	made_init(&m, false);
	sched_switch(&m.y, 0, 100, 0, R, 5);
	synth_fork(&m.y.s, 9, 5, 150);
	sched_of_task(&m.y, NEW_EVENT, 0, 160, 5, 9, 0, 0);
	sched_switch(&m.y, 0, 200, 5, S, 9);
	synth_exec(&m.y.s, 9, 9, "t9", 260);
	synth_exit(&m.y.s, 9, 9, 290);
	sched_switch(&m.y, 0, 300, 9, Z, 0);
	synth_fork(&m.y.s, 9, 5, 400); /* its wakeup_new was not recorded */
	sched_switch(&m.y, 0, 450, 0, R, 9);
	sched_switch(&m.y, 0, 500, 9, S, 0);
	sched_wake(&m.y, 0, 600, 0, 5);
	run(&m);
	l = life(&m, 9, 0);
	assert_true(l->ended && l->end == 300 && l->begin == 160 && l->ppid == 5);
	assert_sums(l, 100, 40, 0, 0, 0, 0);
	l = life(&m, 9, 1);
	assert_true(!l->ended && l->begin == 400);
	assert_sums(l, 50, 50, 0, 100, 0, 0);
	made_release(&m);
}

/*
 * Checks that a name that came in between is not kept when a switch gives the earlier name again.
 */
static void test_name_comes_back(void **state)
{
	struct made m;

	(void)state;
	made_init(&m, false);
	sched_switch(&m.y, 0, 100, 0, R, 5);
	synth_comm(&m.y.s, 5, 5, "renamed", 150);
	sched_switch(&m.y, 0, 200, 5, S, 0);
	sched_wake(&m.y, 0, 600, 0, 5);
	run(&m);
	assert_string_equal(life(&m, 5, 0)->name, "t5");
	made_release(&m);
}

/* Checks that each name has what was done under it. */
static void test_names(void **state)
{
	struct made m;
	const struct tasks_row *row;

	(void)state;
	made_init(&m, false);
	synth_comm(&m.y.s, 5, 5, "sh", 0);
	sched_switch(&m.y, 0, 100, 0, R, 6);
	synth_fork(&m.y.s, 5, 6, 110);
	synth_comm(&m.y.s, 5, 5, "sh", 111);
	sched_switch(&m.y, 0, 120, 6, S, 0);
	synth_comm(&m.y.s, 6, 6, "new", 150);
	sched_wake(&m.y, 0, 170, 0, 6);
	run(&m);
	row = life(&m, 6, 0)->rows;
	assert_string_equal(tasks_comm(m.tasks, row->comm), "t6");
	assert_true(row->sums.ns[TASKS_RUNNING] == 20 && row->sums.ns[TASKS_SLEEPING] == 30);
	row = row->next;
	assert_string_equal(tasks_comm(m.tasks, row->comm), "new");
	assert_int_equal(row->sums.ns[TASKS_SLEEPING], 20);
	made_release(&m);
}

/* Checks a CPU that loses records: tasks that ran there, or were asleep, may have done anything. */
static void test_lost(void **state)
{
	struct made m;

	(void)state;
	made_init(&m, false);
	sched_switch(&m.y, 0, 100, 0, R, 5);
	sched_switch(&m.y, 1, 100, 0, R, 6);
	sched_wake(&m.y, 1, 110, 6, 7);
	sched_switch(&m.y, 1, 120, 6, S, 7);
	sched_wake(&m.y, 0, 150, 5, 8);
	sched_lost(&m.y, 0, 300, 40); /* CPU 0, from 150 to 300 */
	sched_switch(&m.y, 0, 400, 9, S, 5);
	sched_switch(&m.y, 1, 450, 7, S, 6);
	sched_switch(&m.y, 0, 500, 5, S, 0);
	run(&m);
	assert_cpu(&m, 0, 50 + 200, 0, 150);
	assert_cpu(&m, 1, 400, 0, 0);
	assert_sums(life(&m, 5, 0), 50 + 100, 0, 0, 0, 0, 250);
	/* ran elsewhere all the time; asleep before */
	assert_sums(life(&m, 7, 0), 330, 10, 0, 50, 0, 10);
	assert_sums(life(&m, 6, 0), 20 + 50, 0, 0, 30, 0, 300);
	assert_sums(life(&m, 9, 0), 100, 0, 0, 100, 0, 200);
	assert_int_equal(m.seen.items[3].ran, 0);
	assert_int_equal(tasks_stats(m.tasks)->contradictions, 0);
	assert_int_equal(tasks_tracer_stats(m.tasks)->lost, 40);
	made_release(&m);
}

/* Switches that are missing without a word: known from what contradicts them. */
static void test_contradictions(void **state)
{
	struct made m;

	(void)state;
	made_init(&m, false);
	sched_switch(&m.y, 0, 100, 5, S, 0);
	sched_wake(&m.y, 1, 150, 0, 5);
	sched_switch(&m.y, 0, 200, 5, S, 0); /* how it came was not seen */
	sched_switch(&m.y, 0, 300, 0, R, 6);
	sched_switch(&m.y, 1, 400, 0, R, 6); /* how it left CPU 0 neither */
	sched_switch(&m.y, 1, 500, 6, S, 0);
	run(&m);
	assert_cpu(&m, 0, 0, 100, 200 + 100);
	assert_cpu(&m, 1, 100, 300, 0);
	assert_sums(life(&m, 5, 0), 0, 0, 0, 50 + 300, 0, 50);
	assert_sums(life(&m, 6, 0), 100, 200, 0, 0, 0, 100);
	assert_true(tasks_stats(m.tasks)->contradictions >= 2);
	made_release(&m);
}

/* Checks an idle CPU that did not report the switch but the time that the task ran. */
static void test_inferred(void **state)
{
	struct made m;

	(void)state;
	made_init(&m, false);
	sched_switch(&m.y, 0, 100, 5, S, 0);
	sched_wake(&m.y, 1, 150, 0, 5);
	sched_of_task(&m.y, RUNTIME_EVENT, 0, 195, 5, 5, 0, 35);
	sched_switch(&m.y, 0, 200, 5, S, 0);
	sched_wake(&m.y, 1, 300, 0, 6);
	run(&m);
	assert_sums(life(&m, 5, 0), 40, 10, 0, 50 + 100, 0, 0);
	assert_cpu(&m, 0, 40, 160, 0);
	assert_true(tasks_stats(m.tasks)->inferred == 1 &&
		    tasks_stats(m.tasks)->contradictions == 0);
	assert_int_equal(m.seen.items[2].ran, 40);
	made_release(&m);
}

/*
 * Does the same with another task there, whose end is unknown, and a remote CPU that reported a
 * part of the run time.
 */
static void test_inferred_busy(void **state)
{
	struct made m;

	(void)state;
	made_init(&m, false);
	sched_switch(&m.y, 0, 100, 5, S, 6);
	sched_wake(&m.y, 1, 150, 0, 5);
	sched_of_task(&m.y, RUNTIME_EVENT, 1, 180, 9, 5, 0, 10);
	sched_of_task(&m.y, RUNTIME_EVENT, 0, 195, 5, 5, 0, 25);
	sched_switch(&m.y, 0, 200, 5, S, 0);
	sched_wake(&m.y, 1, 300, 0, 6);
	run(&m);
	assert_sums(life(&m, 5, 0), 40, 10, 0, 50 + 100, 0, 0);
	assert_cpu(&m, 0, 40, 100, 60);
	assert_true(tasks_stats(m.tasks)->inferred == 1);
	assert_true(life(&m, 5, 0)->wait.in == 160 && life(&m, 5, 0)->wait.woken == 150);
	made_release(&m);
}

static void test_window(void **state)
{
	struct made m;

	(void)state;
	made_init(&m, false);
	m.o.from = 150;
	m.o.until = 450;
	sched_switch(&m.y, 0, 100, 0, R, 5);
	sched_switch(&m.y, 0, 200, 5, S, 0);
	sched_wake(&m.y, 0, 400, 0, 5);
	sched_switch(&m.y, 0, 500, 0, R, 5);
	run(&m);
	assert_sums(life(&m, 5, 0), 50, 50, 0, 200, 0, 0);
	assert_cpu(&m, 0, 50, 250, 0);
	made_release(&m);
}

/* Checks a CPU without any switch, where the samples tell who was there. */
static void test_no_switch(void **state)
{
	struct made m;

	(void)state;
	made_init(&m, false);
	sched_switch(&m.y, 0, 100, 0, R, 5);
	sched_wake(&m.y, 1, 200, 8, 5);
	sched_wake(&m.y, 2, 300, 0, 5);
	run(&m);
	assert_cpu(&m, 1, 200, 0, 0);
	assert_cpu(&m, 2, 0, 200, 0);
	assert_sums(life(&m, 8, 0), 200, 0, 0, 0, 0, 0);
	made_release(&m);
}

static void test_iowait(void **state)
{
	struct made m;

	(void)state;
	made_init(&m, false);
	sched_switch(&m.y, 0, 100, 5, D, 0);
	sched_wake(&m.y, 0, 300, 0, 5);
	sched_of_task(&m.y, IOWAIT_EVENT, 0, 301, 0, 5, 0, 150);
	sched_switch(&m.y, 0, 310, 0, R, 5);
	sched_wake(&m.y, 0, 350, 5, 6);
	run(&m);
	assert_sums(life(&m, 5, 0), 40, 10, 0, 0, 200, 0);
	assert_int_equal(life(&m, 5, 0)->rows->iowait, 150);
	made_release(&m);
}

static void test_letters(void **state)
{
	static const char old[] =
		"\"%s\", REC->prev_state & (2048-1) ? __print_flags(REC->prev_state & (2048-1), "
		"\"|\", { 1, \"S\"} , { 2, \"D\" }, { 16, \"Z\" }, { 32, \"X\" }, { 1024, \"N\" "
		"}) : \"R\"";
	struct tasks_letters l;
	bool preempted;

	(void)state;
	tasks_letters_parse(&l, NULL);
	assert_int_equal(tasks_letter(&l, 0, &preempted), 'R');
	assert_true(preempted);
	assert_int_equal(tasks_letter(&l, 0x20, &preempted), 'Z');
	assert_false(preempted);
	assert_int_equal(tasks_letter(&l, 0x80, &preempted), 'I');
	assert_int_equal(tasks_letter(&l, 0x101, &preempted), 'R');
	assert_true(preempted);
	tasks_letters_parse(&l, old);
	assert_int_equal(l.count, 5);
	assert_int_equal(tasks_letter(&l, 16, &preempted), 'Z');
	assert_int_equal(tasks_letter(&l, 2, &preempted), 'D');
	assert_int_equal(tasks_letter(&l, 512, &preempted), '?');
	assert_int_equal(tasks_letter(&l, 2049, &preempted), 'R');
	tasks_letters_parse(&l, "\"\", __print_flags(x, \"|\", { 0x1 \"S }");
	assert_int_equal(tasks_letter(&l, 2, &preempted), 'D');
}

/* ---- lives that are forgotten ---- */

enum {
	SHORT_LIVES = 5000,
	KEPT_TID = 1777,
	FIRST_TID = 1000,
	STAYS_AT_LEAST = 500,
	LEFT_AT_MOST = 1500
};

static u64 forgotten[SHORT_LIVES], ran; /* ns that each had run; of all of them */
static u32 forgotten_count;

/* Forgets each life once, with its sums, and never one whose slot has been reused. */
static bool on_forget(void *arg, const struct tasks_life *l)
{
	(void)arg;
	assert_true(l->ended && l->rows && l->tid >= FIRST_TID && l->tid < FIRST_TID + SHORT_LIVES);
	if (l->tid == KEPT_TID)
		return false;
	assert_int_equal(forgotten[l->tid - FIRST_TID], 0);
	forgotten[l->tid - FIRST_TID] = sum(l, TASKS_RUNNING);
	ran += sum(l, TASKS_RUNNING);
	forgotten_count++;
	return true;
}

static void short_lives(struct made *m)
{
	u64 time = 1000;

	made_init(m, false);
	sched_switch(&m->y, 0, time, 0, R, 7);
	for (u32 i = 0; i < SHORT_LIVES; i++, time += 100) {
		sched_wake(&m->y, 0, time + 10, 7, FIRST_TID + i);
		sched_switch(&m->y, 0, time + 20, 7, S, FIRST_TID + i);
		sched_switch(&m->y, 0, time + 70, FIRST_TID + i, Z, 7);
	}
	sched_switch(&m->y, 0, time, 7, S, 0);
}

/* Checks that only the lives that ended last and one that had to stay are left of many. */
static void test_forgotten(void **state)
{
	static const struct tasks_ops ops = { .switched = on_switch, .forget = on_forget };
	size_t left = 0;
	struct made m;

	(void)state;
	short_lives(&m);
	run_with(&m, &ops);
	assert_in_range(tasks_life_count(m.tasks), STAYS_AT_LEAST, LEFT_AT_MOST);
	for (size_t i = 0; i < tasks_life_count(m.tasks); i++) {
		const struct tasks_life *l = tasks_life_by_number(m.tasks, i);

		assert_int_equal(l->number, i);
		if (l->forgotten || !l->ended)
			continue;
		assert_int_equal(sum(l, TASKS_RUNNING), 50);
		assert_true(l->tid == KEPT_TID || l->tid >= FIRST_TID + forgotten_count);
		left++;
	}
	assert_int_equal(left + forgotten_count, SHORT_LIVES);
	assert_int_equal(ran, 50 * forgotten_count);
	assert_null(tasks_now(m.tasks, FIRST_TID));
	assert_int_equal(tasks_now(m.tasks, KEPT_TID)->tid, KEPT_TID);
	assert_int_equal(tasks_stats(m.tasks)->contradictions, 0);
	made_release(&m);
	/* where nobody says that they may go, all are there */
	short_lives(&m);
	run(&m);
	assert_int_equal(tasks_life_count(m.tasks), SHORT_LIVES + 1);
	made_release(&m);
}

enum { FIRST_REFUSED = 3000 };

static u32 asked;

/* Refuses to forget the first lives, even when it is asked again. */
static bool on_forget_late(void *arg, const struct tasks_life *l)
{
	return ++asked > FIRST_REFUSED && on_forget(arg, l);
}

/* Checks that a life that has to stay when its turn comes goes later. */
static void test_forgotten_late(void **state)
{
	static const struct tasks_ops ops = { .switched = on_switch, .forget = on_forget_late };
	u32 present = 0;
	struct made m;

	(void)state;
	memset(forgotten, 0, sizeof(forgotten));
	forgotten_count = 0;
	short_lives(&m);
	run_with(&m, &ops);
	for (size_t i = 0; i < tasks_life_count(m.tasks); i++)
		present += !tasks_life_by_number(m.tasks, i)->forgotten;
	assert_in_range(present, STAYS_AT_LEAST, LEFT_AT_MOST);
	assert_int_equal(present, SHORT_LIVES - forgotten_count + 1);
	assert_int_equal(tasks_now(m.tasks, KEPT_TID)->tid, KEPT_TID);
	assert_int_equal(tasks_stats(m.tasks)->contradictions, 0);
	made_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cycle),          cmocka_unit_test(test_preempted),
		cmocka_unit_test(test_early_waking),   cmocka_unit_test(test_no_wakeup),
		cmocka_unit_test(test_lives),          cmocka_unit_test(test_name_comes_back),
		cmocka_unit_test(test_names),          cmocka_unit_test(test_lost),
		cmocka_unit_test(test_contradictions), cmocka_unit_test(test_inferred),
		cmocka_unit_test(test_inferred_busy),  cmocka_unit_test(test_window),
		cmocka_unit_test(test_no_switch),      cmocka_unit_test(test_iowait),
		cmocka_unit_test(test_letters),        cmocka_unit_test(test_forgotten),
		cmocka_unit_test(test_forgotten_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
