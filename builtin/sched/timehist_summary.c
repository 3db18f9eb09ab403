// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables at the end of perf sched timehist. */
#include "builtin/sched/timehist.h"

#include <math.h>
#include <stdlib.h>

struct totals {
	u64 tasks, run;
};

struct task_times {
	u64 run, sleep, blocked, iowait, preempted, delay, unknown;
};

static struct task_times times_of(const struct tasks_life *l)
{
	struct task_times t = { 0 };

	for (const struct tasks_row *row = l->rows; row; row = row->next) {
		t.run += row->sums.ns[TASKS_RUNNING];
		t.sleep += row->sums.ns[TASKS_SLEEPING];
		t.blocked += row->sums.ns[TASKS_BLOCKED];
		t.preempted += row->sums.ns[TASKS_PREEMPTED];
		t.delay += row->sums.ns[TASKS_READY];
		t.unknown += row->sums.ns[TASKS_UNKNOWN];
		t.iowait += row->iowait;
	}
	return t;
}

static u64 stays_count(const struct stays *s)
{
	return s->count + s->unknown;
}

/* Returns the standard deviation of the mean in percent of it, as perf stat does. */
static double relative_error(const struct stays *s)
{
	double variance;

	if (s->count < 2 || s->mean <= 0)
		return 0;
	variance = s->squares / (double)(s->count - 1) / (double)s->count;
	return 100 * sqrt(variance) / s->mean;
}

static void put_head(struct timehist *th, const struct tasks_life *l, u64 count, struct strbuf *b)
{
	struct strbuf name = STRBUF_INIT;

	timehist_put_name(th, l, &name);
	strbuf_pad(b, ' ', (int)th->comm_width - (int)name.len);
	strbuf_str(b, strbuf_cstr(&name));
	strbuf_release(&name);
	strbuf_f(b, "   %5d  %9" PRIu64 " ", l->ppid == UINT32_MAX ? -1 : (int)l->ppid, count);
}

static void put_run_row(struct timehist *th, const struct tasks_life *l, const struct stays *s,
			struct strbuf *b)
{
	put_head(th, l, stays_count(s), b);
	sched_put_ms(b, s->sum + s->seen, 8);
	if (!s->count && s->unknown) {
		strbuf_f(b, "%10s %10s  %10s  %5s   %5" PRIu64 "\n", "-", "-", "-", "-",
			 l->migrations);
		return;
	}
	sched_put_ms(b, s->least, 6);
	strbuf_char(b, ' ');
	sched_put_ms(b, (u64)s->mean, 6);
	strbuf_char(b, ' ');
	sched_put_ms(b, s->most, 6);
	strbuf_f(b, "  %5.2f   %5" PRIu64 "\n", relative_error(s), l->migrations);
}

static void put_wait_row(struct timehist *th, const struct tasks_life *l, const struct stays *s,
			 struct strbuf *b)
{
	struct task_times t = times_of(l);

	put_head(th, l, stays_count(s), b);
	sched_put_ms(b, t.run, 8);
	sched_put_ms(b, t.sleep, 6);
	strbuf_char(b, ' ');
	sched_put_ms(b, t.blocked, 6);
	strbuf_char(b, ' ');
	sched_put_ms(b, t.iowait, 6);
	strbuf_char(b, ' ');
	sched_put_ms(b, t.preempted, 6);
	strbuf_char(b, ' ');
	sched_put_ms(b, t.delay, 6);
	strbuf_char(b, ' ');
	sched_put_ms(b, t.unknown, 6);
	strbuf_char(b, '\n');
}

static int by_tid(const void *x, const void *y)
{
	const struct tasks_life *a = *(struct tasks_life *const *)x,
				*b = *(struct tasks_life *const *)y;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Prints the tasks that ended, or the others. Returns how many. */
static u64 put_rows(struct timehist *th, struct tasks *t, bool ended, struct totals *sum,
		    struct out *out)
{
	struct strbuf *b = out_buf(out);
	VEC(struct tasks_life *) list = VEC_INIT;
	u64 count;

	for (size_t i = 0; i < tasks_life_count(t); i++) {
		struct tasks_life *l = tasks_life_by_number(t, i);

		if (l->ended == ended && timehist_wants(th, l) &&
		    stays_count(timehist_stays(th, l)))
			vec_push(&list, l);
	}
	vec_sort(&list, by_tid);
	vec_for_each(&list, l) {
		const struct stays *s = timehist_stays(th, *l);

		if (th->state && !th->idle)
			put_wait_row(th, *l, s, b);
		else
			put_run_row(th, *l, s, b);
		sum->tasks++;
		sum->run += s->sum + s->seen;
		out_done(out);
	}
	count = list.count;
	vec_release(&list);
	return count;
}

static void put_summary_header(const struct timehist *th, struct strbuf *b)
{
	if (th->idle)
		strbuf_f(b,
			 "\nIdle-time summary\n%*s  parent  sched-out  "
			 "  idle-time   min-idle    avg-idle    max-idle  stddev  migrations\n",
			 (int)th->comm_width, "comm");
	else if (th->state)
		strbuf_f(b,
			 "\nWait-time summary\n%*s  parent   sched-in  "
			 "   run-time      sleep     blocked      iowait     preempt       delay   "
			 "  unknown\n",
			 (int)th->comm_width, "comm");
	else
		strbuf_f(b,
			 "\nRuntime summary\n%*s  parent   sched-in  "
			 "   run-time    min-run     avg-run     max-run  stddev  migrations\n",
			 (int)th->comm_width, "comm");
	strbuf_f(b, "%*s            (count)  ", (int)th->comm_width, "");
	if (th->state && !th->idle)
		strbuf_str(
			b,
			"     (msec)     (msec)      (msec)      (msec)      (msec)      (msec)   "
			"   (msec)\n");
	else
		strbuf_str(b, "     (msec)     (msec)      (msec)      (msec)       %\n");
	strbuf_pad(b, '-', th->state && !th->idle ? 140 : 117);
	strbuf_char(b, '\n');
}

static void put_idle(const struct timehist *th, struct tasks *t, struct strbuf *b)
{
	const struct tasks_stats *st = tasks_stats(t);
	u64 window = st->last > st->first ? st->last - st->first : 0;
	const struct tasks_cpu *cpus;
	size_t count;

	strbuf_str(b, "\nIdle stats:\n");
	if (sched_has_some_tasks(t)) {
		strbuf_str(b, "    not known, since most switches do not follow from "
			      "those before: " SCHED_WERE_ALL_RECORDED "\n");
		return;
	}
	cpus = tasks_cpus(t, &count);
	for (u32 i = 0; i < MAX(count, (size_t)th->cpu_count); i++) {
		const struct tasks_cpu *c = i < count ? &cpus[i] : NULL;

		if (!sched_wants_cpu(&th->a, i))
			continue;
		if (!c || !c->met) {
			strbuf_f(b, "    CPU %2u has no events\n", i);
			continue;
		}
		if (window && c->idle == window) {
			strbuf_f(b, "    CPU %2u idle entire time window\n", i);
			continue;
		}
		strbuf_f(b, "    CPU %2u idle for ", i);
		sched_put_ms(b, c->idle, 6);
		strbuf_f(b, " msec  (%6.2f%%)\n",
			 window ? 100.0 * (double)c->idle / (double)window : 0);
	}
}

static int by_time(const void *x, const void *y)
{
	const struct idle_chain *a = x, *b = y;

	return (a->time < b->time) - (a->time > b->time);
}

static void put_idle_chains(struct timehist *th, struct out *out)
{
	struct strbuf *b = out_buf(out);

	strbuf_str(b, "\nIdle stats by callchain:\n");
	for (size_t i = 0; i < th->cpus.count; i++) {
		struct timehist_cpu *c = &th->cpus.items[i];

		strbuf_f(b, "  CPU %2zu:", i);
		sched_put_ms(b, c->idle.sum, 6);
		strbuf_f(b, " msec\n  %16s  %8s  %s\n  ", "Idle time (msec)", "Count",
			 "Callchains");
		strbuf_pad(b, '-', 16);
		strbuf_str(b, "  --------  ");
		strbuf_pad(b, '-', 50);
		strbuf_char(b, '\n');
		vec_sort(&c->chains, by_time);
		vec_for_each(&c->chains, it) {
			strbuf_str(b, "  ");
			sched_put_ms(b, it->time, 12);
			strbuf_f(b, " %8" PRIu64 "  %s\n", it->count, it->text);
			out_done(out);
		}
		strbuf_char(b, '\n');
	}
}

void timehist_put_summary(struct timehist *th, struct tasks *t, struct out *out)
{
	const struct tasks_stats *st = tasks_stats(t);
	struct strbuf *b = out_buf(out);
	struct totals sum = { 0 };

	vec_for_each(&th->stays, it)
		stays_close(it);
	put_summary_header(th, b);
	if (!put_rows(th, t, false, &sum, out))
		strbuf_str(b, "<no still running tasks>\n");
	strbuf_str(b, "\nTerminated tasks:\n");
	if (!put_rows(th, t, true, &sum, out))
		strbuf_str(b, "<no terminated tasks>\n");
	/* where only some tasks were recorded, the CPUs' idle time says nothing */
	if (!timehist_wants(th, NULL) && !th->idle)
		return;
	put_idle(th, t, b);
	if (th->idle && th->frames && !sched_has_some_tasks(t))
		put_idle_chains(th, out);
	strbuf_f(b,
		 "\n    Total number of unique tasks: %" PRIu64
		 "\nTotal number of context switches: %" PRIu64
		 "\n           Total run time (msec): ",
		 sum.tasks, th->switches);
	sched_put_ms(b, sum.run, 2);
	strbuf_str(b, "\n    Total scheduling time (msec): ");
	sched_put_ms(b, st->last > st->first ? st->last - st->first : 0, 2);
	strbuf_f(b, " (x %u)\n", th->cpu_count);
}
