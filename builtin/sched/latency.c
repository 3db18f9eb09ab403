// SPDX-License-Identifier: GPL-2.0-or-later
/* perf sched latency: how long tasks waited for a CPU after they could have run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/sched/latency.h"
#include "cli/say.h"

static struct delays *row_of(struct latency *l, const struct tasks_row *row)
{
	struct delays *d;

	while (unlikely(l->rows.count <= row->number))
		vec_push_zero(&l->rows);
	d = &l->rows.items[row->number];
	if (!d->merged)
		*d = (struct delays){ .comm = row->comm,
				      .tid = row->life->tid,
				      .merged = 1,
				      .serial = row->serial,
				      .most_serial = row->serial };
	d->comm = row->comm;
	return d;
}

static void count_in_histogram(struct latency *l, struct delays *d, u32 cpu, u64 delay)
{
	if (l->hist_mode == HIST_ALL) {
		l->all.linear = l->linear;
		histogram_add(&l->all, delay);
	} else if (l->hist_mode == HIST_TASK) {
		if (!d->hist)
			d->hist = xcalloc(1, sizeof(*d->hist));
		d->hist->linear = l->linear;
		histogram_add(d->hist, delay);
	} else {
		latency_cpu(l, cpu)->linear = l->linear;
		histogram_add(latency_cpu(l, cpu), delay);
	}
}

static bool in_window(const struct latency *l, u64 time)
{
	return !l->a.choice.times.list.count || time_ranges_have(&l->a.choice.times, time);
}

static int on_switch(void *arg, const struct tasks_switch *s, struct reason *r)
{
	struct latency *l = arg;
	struct tasks_life *n = s->next;
	struct delays *d;
	u64 delay;

	(void)r;
	if (!n || !in_window(l, s->time) || !sched_wants_cpu(&l->a, s->cpu))
		return 0;
	d = row_of(l, n->row);
	if (!n->wait.woken) {
		d->since_begin++;
		return 0;
	}
	delay = s->time - MIN(n->wait.woken, s->time);
	d->count++;
	d->total += delay;
	if (delay > d->most || !d->most_to) {
		d->most = delay;
		d->most_from = n->wait.woken;
		d->most_to = s->time;
	}
	if (l->histogram)
		count_in_histogram(l, d, s->cpu, delay);
	return 0;
}

static void on_interval(void *arg, const struct tasks_interval *i)
{
	struct latency *l = arg;

	if (i->state == TASKS_RUNNING && i->row && sched_wants_cpu(&l->a, i->cpu))
		row_of(l, i->row)->runtime += i->to - i->from;
}

/* Sets a task's row aside when the task is forgotten; rows by name need only the sums. */
static bool on_forget(void *arg, const struct tasks_life *life)
{
	struct latency *l = arg;

	for (const struct tasks_row *row = life->rows; row; row = row->next)
		if (row->number < l->rows.count)
			latency_set_aside(l, &l->rows.items[row->number]);
	return true;
}

static void print(void *arg, struct tasks *t, struct out *out)
{
	struct latency *l = arg;

	if (!l->by_task)
		latency_merge(l);
	latency_order(l);
	latency_put_table(l, out);
	sched_put_losses(t, out);
	latency_put_histograms(l, out);
	if (!l->a.cpus)
		sched_put_sums(t, l->s->ctx, out);
	out_str(out, "\n");
}

static const char *name_of(struct latency *l, u32 comm)
{
	return tasks_comm(l->a.tasks, comm);
}

static int run_file(struct latency *l)
{
	l->a.ops = (struct tasks_ops){ .switched = on_switch, .interval = on_interval };
	if (!l->by_task && !l->s->ctx->verbose) /* else each task has a line */
		l->a.ops.forget = on_forget;
	l->a.only_running = true;
	l->a.arg = l;
	l->a.print = print;
	l->name = name_of;
	return sched_analyse(l->s, &l->a);
}

/* Returns what is wrong with the combination of options, or NULL. */
static const char *misfit(const struct latency *l)
{
	bool of_rows = l->hist_mode == HIST_TASK || l->hist_mode == HIST_CGROUP;

	if (!l->bpf && l->interval_given)
		return "--interval needs --bpf";
	if (!l->bpf && l->hist_mode == HIST_CGROUP)
		return "--hist-mode=cgroup needs --bpf: a recording does not say in which cgroup "
		       "a task waited";
	if (l->bpf && (l->s->a.open.input || l->a.time || l->s->dump))
		return "--bpf measures what happens now: --input, --time and --dump-raw-trace are "
		       "for recordings";
	if (l->bpf && (l->sort_given || l->by_task) && !of_rows)
		return "with --bpf, --sort and --pids need --hist-mode=task or --hist-mode=cgroup";
	if (l->bpf && l->by_task && l->hist_mode == HIST_CGROUP)
		return "--pids needs --hist-mode=task";
	if (l->bpf && l->linear)
		return "--hist-mode=linear does not work with --bpf, which counts by powers of two";
	if (l->bpf && l->sort_given && strstr(l->sort, "runtime"))
		return "--sort=runtime does not work with --bpf, which knows no run times";
	if (l->interval_given && !l->interval)
		return "--interval must be more than 0";
	return NULL;
}

static void add_rows(struct latency *l, option_rows *rows)
{
	const struct option_row own[] = {
		{ OPTION_STRING, 's', "sort", &l->sort, .arg = "KEY[,KEY]...",
		  .given = &l->sort_given, .help = "sort by avg, max, switch, runtime, pid" },
		{ OPTION_STRING, 'C', "CPU", &l->a.cpus, .arg = "CPUS",
		  .help = "only what ran on these CPUs" },
		{ OPTION_FLAG, 'p', "pids", &l->by_task,
		  .help = "a row for each task, not for each name" },
		{ OPTION_FLAG, 'H', "histogram", &l->histogram,
		  .help = "show how the delays are distributed" },
		{ OPTION_STRING, 0, "hist-mode", &l->mode, .arg = "MODE",
		  .help = "histograms of 'all' delays, by 'task', 'cpu' or, with --bpf, 'cgroup'; "
			  "'log' slots or 'linear' ones" },
		{ OPTION_STRING, 0, "time", &l->a.time, .arg = "FROM,TO",
		  .help = "only this span of time" },
		{ OPTION_FLAG, 0, "bpf", &l->bpf,
		  .help = "measure what happens now, without a recording" },
		{ OPTION_DURATION, 'I', "interval", &l->interval, .arg = "SECONDS",
		  .unit = 1000000000, .given = &l->interval_given,
		  .help = "with --bpf: print the histograms at this interval" },
	};

	option_rows_add(rows, own, ARRAY_SIZE(own));
	sched_common_rows(l->s, rows);
}

int sched_latency(struct sched *s, int argc, const char **argv)
{
	int words = 0;
	struct sched_use use = {
		"sched latency",
		{ "perf sched latency [<options>]",
		  "perf sched latency --bpf [<options>] [<command>]" },
		.words = &words,
	};
	struct latency l = { .sort = "avg, max, switch, runtime", .s = s };
	option_rows rows = VEC_INIT;
	struct reason r = REASON_INIT;
	const char *error;
	int code;

	add_rows(&l, &rows);
	code = sched_parse(s, &use, &rows, argc, argv);
	if (code)
		return code < 0 ? 0 : code;
	if (latency_parse_keys(&l, &r) || latency_parse_mode(&l, &r)) {
		say_reason(&r);
		return EXIT_USAGE;
	}
	error = misfit(&l);
	if (error)
		say_error("%s", error);
	else if (words && !l.bpf)
		say_error("'%s' is one argument too many: only --bpf runs a command", argv[0]);
	if (error || (words && !l.bpf))
		return EXIT_USAGE;
	code = l.bpf ? latency_run_live(&l, words, argv) : run_file(&l);
	latency_clear(&l);
	return code;
}
