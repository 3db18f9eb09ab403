// SPDX-License-Identifier: GPL-2.0-or-later
/* perf sched timehist: every stay of a task on a CPU, with what it waited for before. */
#include "builtin/sched/timehist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/say.h"

static bool timehist_in_window(const struct timehist *th, u64 time)
{
	return !th->a.choice.times.list.count || time_ranges_have(&th->a.choice.times, time);
}

/* Adds idle time to the chain that led to it. */
static void add_idle_chain(struct timehist_cpu *c, u64 ns)
{
	if (!c->chain)
		return;
	vec_for_each(&c->chains, it)
		if (!strcmp(it->text, c->chain)) {
			it->time += ns;
			it->count++;
			return;
		}
	vec_push(&c->chains, (struct idle_chain){ xstrdup(c->chain), ns, 1 });
}

static void note_idle(struct timehist *th, const struct tasks_switch *s)
{
	struct timehist_cpu *c = timehist_cpu(th, s->cpu);
	struct strbuf b = STRBUF_INIT;

	if (!s->prev) {
		c->last = NULL;
		c->idle_out = s->time;
		return;
	}
	if (s->next)
		return;
	c->last = s->prev;
	c->busy_before = c->idle_out ? s->time - MIN(c->idle_out, s->time) : 0;
	c->idle_in = s->time;
	if (th->idle && th->frames) {
		free(c->chain);
		timehist_put_chain(th, tracer_hit_sample(s->hit), &b);
		c->chain = b.len ? strbuf_detach(&b) : NULL;
		strbuf_release(&b);
	}
}

/* Adds to the summary what is within --time: run times of tasks and idle times of CPUs. */
static void on_interval(void *arg, const struct tasks_interval *i)
{
	struct timehist *th = arg;
	struct timehist_cpu *c;

	if (i->state != TASKS_RUNNING || !sched_wants_cpu(&th->a, i->cpu))
		return;
	if (i->life) {
		if (!th->idle && timehist_wants(th, i->life))
			stays_add_part(timehist_stays(th, i->life), i->from, i->to);
		return;
	}
	c = timehist_cpu(th, i->cpu);
	stays_add(&c->idle, i->to - i->from);
	if (th->idle && c->last)
		stays_add(timehist_stays(th, c->last), i->to - i->from);
	add_idle_chain(c, i->to - i->from);
}

static int on_switch(void *arg, const struct tasks_switch *s, struct reason *r)
{
	struct timehist *th = arg;
	bool shown = timehist_in_window(th, s->time) && sched_wants_cpu(&th->a, s->cpu) &&
		     timehist_wants(th, s->prev) && (!th->idle || !s->prev || !s->next);

	(void)r;
	if (s->inferred) /* a line would be out of order */
		shown = false;
	if (shown && s->prev && !th->idle &&
	    (s->unseen || timehist_stays(th, s->prev)->to != s->time))
		stays_close_unknown(timehist_stays(th, s->prev), s->time);
	if (shown && !(th->idle && s->prev))
		th->switches++;
	if (shown && !th->summary_only)
		timehist_add_switch(th, s);
	if (sched_wants_cpu(&th->a, s->cpu) && !(s->inferred && s->unseen))
		note_idle(th, s);
	return 0;
}

static int on_wake(void *arg, const struct tasks_wakeup *w, struct reason *r)
{
	struct timehist *th = arg;
	const struct tasks_life *waker = tasks_now(th->a.tasks, tracer_tid(w->hit));

	(void)r;
	if (th->summary_only || th->idle || !timehist_in_window(th, tracer_time(w->hit)) ||
	    !sched_wants_cpu(&th->a, tracer_cpu(w->hit)))
		return 0;
	if (!timehist_wants(th, waker) && !timehist_wants(th, w->life))
		return 0;
	timehist_add_wakeup(th, w);
	return 0;
}

static int on_move(void *arg, const struct tasks_move *m, struct reason *r)
{
	struct timehist *th = arg;
	const struct tasks_life *mover = tasks_now(th->a.tasks, tracer_tid(m->hit));

	(void)r;
	if (th->summary_only || th->idle || !timehist_in_window(th, tracer_time(m->hit)) ||
	    !sched_wants_cpu(&th->a, tracer_cpu(m->hit)))
		return 0;
	if (!timehist_wants(th, mover) && !timehist_wants(th, m->life))
		return 0;
	timehist_add_move(th, m);
	return 0;
}

static void on_lost(void *arg, const struct tracer_gap *gap)
{
	struct timehist *th = arg;

	if (!th->summary_only && timehist_in_window(th, gap->until))
		timehist_add_loss(th, gap);
}

static bool on_forget(void *arg, const struct tasks_life *l)
{
	struct timehist *th = arg;

	if (l->number < th->stays.count)
		th->stays.items[l->number] = (struct stays){ 0 };
	return true;
}

static void put_line(const void *arg, const void *facts, struct strbuf *b)
{
	timehist_put_line(arg, facts, b);
}

static int begin(void *arg, struct session *session, struct reason *r)
{
	struct timehist *th = arg;

	(void)r;
	th->session = session;
	th->cpu_count = sched_cpus_of(session);
	th->comm_width = 30;
	if (th->chains)
		th->frames = sched_chains_new(session);
	if (th->chains && !th->frames && !th->s->ctx->quiet)
		say_note("samples do not have callchains: 'perf sched record -g' records them");
	if (!th->summary_only)
		timehist_put_header(th, out_buf(th->a.out));
	th->lines = session_lines_new(session, th->a.out, put_line, th);
	return 0;
}

static void print(void *arg, struct tasks *t, struct out *out)
{
	struct timehist *th = arg;

	session_lines_end(th->lines);
	if (th->with_summary || th->summary_only)
		timehist_put_summary(th, t, out);
	if (!th->a.cpus)
		sched_put_sums(t, th->s->ctx, out);
	sched_say_absent_numbers(th->s->ctx, t, true, th->pids, th->pid_count);
	sched_say_absent_numbers(th->s->ctx, t, false, th->tids, th->tid_count);
}

static void release(void *arg)
{
	struct timehist *th = arg;

	if (th->lines)
		session_lines_end(th->lines);
	session_lines_free(th->lines);
	sched_chains_free(th->frames);
	th->frames = NULL;
}

static int check(struct timehist *th, struct reason *r)
{
	int err = 0;

	if (th->summary_only && (th->wakeups || th->next)) {
		reason_set(r, EINVAL, "-s prints no lines, and -%c adds to lines",
			   th->wakeups ? 'w' : 'n');
		reason_hint(r, "-S prints the lines and the summary");
		return -EINVAL;
	}
	if (th->pids_text)
		err = parse_task_numbers("--pid", th->pids_text, &th->pids, &th->pid_count, r);
	if (!err && th->tids_text)
		err = parse_task_numbers("--tid", th->tids_text, &th->tids, &th->tid_count, r);
	if (!err && th->prio_text) {
		if (!strcmp(th->prio_text, "-1"))
			err = parse_task_numbers("--prio", "-1", &th->prios, &th->prio_count, r);
		else if (parse_cpu_list(th->prio_text, 139, &th->prios, &th->prio_count)) {
			err = reason_set(
				r, EINVAL,
				"--prio: '%s' is not a list of priorities such as 0-99,120",
				th->prio_text);
			reason_hint(r, "0-99 is real time, 100-139 the others, -1 alone deadline");
		}
	}
	return err;
}

static void release_all(struct timehist *th)
{
	free(th->pids);
	free(th->tids);
	free(th->prios);
	vec_release(&th->stays);
	vec_for_each(&th->cpus, c) {
		vec_for_each(&c->chains, it)
			free(it->text);
		vec_release(&c->chains);
		free(c->chain);
	}
	vec_release(&th->cpus);
	strbuf_release(&th->chain);
}

int sched_timehist(struct sched *s, int argc, const char **argv)
{
	static const struct sched_use use = { "sched timehist",
					      { "perf sched timehist [<options>]" } };
	struct timehist th = { .s = s, .chains = true, .max_stack = 5 };
	struct symbol_options *sym = &s->a.open.symbols;
	const struct option_row own[] = {
		{ OPTION_STRING, 'k', "vmlinux", &sym->vmlinux, .arg = "FILE",
		  .help = "the kernel's image" },
		{ OPTION_STRING, 0, "kallsyms", &sym->kallsyms, .arg = "FILE",
		  .help = "a copy of /proc/kallsyms" },
		{ OPTION_FLAG, 'g', "call-graph", &th.chains,
		  .help = "show call chains, if there are any (default)" },
		{ OPTION_UINT, 0, "max-stack", &th.max_stack,
		  .help = "functions of a chain (default 5)" },
		{ OPTION_STRING, 0, "symfs", &sym->symfs, .arg = "DIR",
		  .help = "look for objects below this directory" },
		{ OPTION_FLAG, 's', "summary", &th.summary_only, .help = "only the summary" },
		{ OPTION_FLAG, 'S', "with-summary", &th.with_summary,
		  .help = "the summary after the lines" },
		{ OPTION_FLAG, 'w', "wakeups", &th.wakeups, .help = "show who woke whom" },
		{ OPTION_FLAG, 'n', "next", &th.next, .help = "show the task that came next" },
		{ OPTION_FLAG, 'M', "migrations", &th.migrations,
		  .help = "show moves to other CPUs" },
		{ OPTION_FLAG, 'V', "cpu-visual", &th.visual, .help = "a column for each CPU" },
		{ OPTION_FLAG, 'I', "idle-hist", &th.idle, .help = "only idle times" },
		{ OPTION_STRING, 0, "time", &th.a.time, .arg = "FROM,TO",
		  .help = "only this span of time" },
		{ OPTION_FLAG, 0, "state", &th.state, .help = "show the state at the switch" },
		{ OPTION_FLAG, 0, "show-prio", &th.show_prio, .help = "show priorities" },
		{ OPTION_STRING, 0, "prio", &th.prio_text, .arg = "PRIO",
		  .help = "only these priorities: 0-99,120" },
		{ OPTION_STRING, 'p', "pid", &th.pids_text, .arg = "PID[,PID]...",
		  .help = "only these processes" },
		{ OPTION_FLAG, 'P', "pre-migrations", &th.pre_migrations,
		  .help = "show how long a task was ready before it was moved" },
		{ OPTION_STRING, 't', "tid", &th.tids_text, .arg = "TID[,TID]...",
		  .help = "only these threads" },
		{ OPTION_STRING, 'C', "cpu", &th.a.cpus, .arg = "CPUS", .help = "only these CPUs" },
	};
	option_rows rows = VEC_INIT;
	struct reason r = REASON_INIT;
	int code;

	option_rows_add(&rows, own, ARRAY_SIZE(own));
	sched_common_rows(s, &rows);
	code = sched_parse(s, &use, &rows, argc, argv);
	if (!code && check(&th, &r)) {
		say_reason(&r);
		code = EXIT_USAGE;
	}
	th.a.ops = (struct tasks_ops){ .switched = on_switch,
				       .woken = th.wakeups ? on_wake : NULL,
				       .interval = th.summary_only || th.with_summary ? on_interval
										      : NULL,
				       .moved = th.migrations ? on_move : NULL,
				       .lost = on_lost };
	/* else tasks have their own lines, or are checked when everything has been read */
	if (!th.summary_only && !th.with_summary && !th.idle && !th.pids && !th.tids &&
	    !s->ctx->verbose)
		th.a.ops.forget = on_forget;
	th.a.only_running = true;
	th.a.arg = &th;
	th.a.chains = th.chains;
	th.a.begin = begin;
	th.a.print = print;
	th.a.release = release;
	if (!code)
		code = sched_analyse(s, &th.a);
	release_all(&th);
	return code < 0 ? 0 : code;
}
