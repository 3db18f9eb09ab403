// SPDX-License-Identifier: GPL-2.0-or-later
/* perf sched latency: how long tasks waited for a CPU after they could have run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/say.h"
#include "sched/histogram.h"
#include "sched/internal.h"

/* The waits of one row of util/tasks, or of all with its name. */
struct delays {
	u32 comm, tid; /* tid of the first */
	u32 merged;    /* rows of util/tasks in it */
	u64 runtime, count, total, most, most_from, most_to;
	u64 since_begin; /* waits that began before the recording */
	struct histogram *hist; /* --hist-mode=task */
};

struct latency {
	struct sched_analysis a;
	const char *sort, *mode;
	bool by_task, histogram;
	int (*keys[8])(const struct delays *, const struct delays *);
	size_t key_count;
	enum { HIST_ALL, HIST_TASK, HIST_CPU } hist_mode;

	VEC(struct delays) rows;
	struct histogram all;
	VEC(struct histogram) cpus;
	struct sched *s;
};

static struct delays *row_of(struct latency *l, const struct tasks_row *row)
{
	struct delays *d;

	while (unlikely(l->rows.count <= row->number))
		vec_push_zero(&l->rows);
	d = &l->rows.items[row->number];
	if (!d->merged)
		*d = (struct delays){ .comm = row->comm, .tid = row->life->tid, .merged = 1 };
	d->comm = row->comm;
	return d;
}

static void count_in_histogram(struct latency *l, struct delays *d, u32 cpu, u64 delay)
{
	if (l->hist_mode == HIST_ALL) {
		histogram_add(&l->all, delay);
	} else if (l->hist_mode == HIST_TASK) {
		if (!d->hist)
			d->hist = xcalloc(1, sizeof(*d->hist));
		histogram_add(d->hist, delay);
	} else {
		while (l->cpus.count <= cpu)
			vec_push_zero(&l->cpus);
		histogram_add(&l->cpus.items[cpu], delay);
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

/* ---- keys ---- */

static int order(u64 a, u64 b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static int by_avg(const struct delays *a, const struct delays *b)
{
	return order(a->count ? a->total / a->count : 0, b->count ? b->total / b->count : 0);
}

static int by_max(const struct delays *a, const struct delays *b)
{
	return order(a->most, b->most);
}

static int by_switch(const struct delays *a, const struct delays *b)
{
	return order(a->count, b->count);
}

static int by_runtime(const struct delays *a, const struct delays *b)
{
	return order(a->runtime, b->runtime);
}

static int by_pid(const struct delays *a, const struct delays *b)
{
	return order(a->tid, b->tid);
}

static int add_key(struct latency *l, const char *name, struct reason *r)
{
	static const struct {
		const char *name;
		int (*cmp)(const struct delays *, const struct delays *);
	} keys[] = { { "avg", by_avg }, { "max", by_max }, { "switch", by_switch },
		     { "runtime", by_runtime }, { "pid", by_pid } };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(keys[i].name, name))
			continue;
		if (l->key_count < ARRAY_SIZE(l->keys))
			l->keys[l->key_count++] = keys[i].cmp;
		return 0;
	}
	reason_set(r, EINVAL, "--sort: no key '%s'", name);
	reason_hint(r, "the keys are avg, max, switch, runtime and pid");
	return -EINVAL;
}

static int parse_keys(struct latency *l, struct reason *r)
{
	struct strlist names = { 0 };
	int err = 0;

	strlist_split(&names, l->sort, ", ");
	for (size_t i = 0; !err && i < names.list.count; i++)
		err = add_key(l, names.list.items[i], r);
	if (!err && !names.list.count)
		err = reason_set(r, EINVAL, "--sort: no key is given");
	strlist_release(&names);
	return err;
}

static int parse_mode(struct latency *l, struct reason *r)
{
	static const char *const modes[] = { "all", "task", "cpu" };

	if (!l->mode)
		return 0;
	l->histogram = true;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (!strcmp(modes[i], l->mode)) {
			l->hist_mode = i;
			return 0;
		}
	return reason_set(r, EINVAL, "--hist-mode is 'all', 'task' or 'cpu', not '%s'", l->mode);
}

/* ---- the table ---- */

static bool is_empty(const struct delays *d)
{
	return !d->merged || (!d->count && !d->runtime && !d->since_begin);
}

/* Rows of one name become one, at the place of the first; the others are left empty. */
static void merge(struct latency *l)
{
	struct map64 first = { 0 };
	bool added;

	vec_for_each(&l->rows, d) {
		u64 *slot;
		struct delays *into;

		if (is_empty(d))
			continue;
		slot = map64_put(&first, d->comm, &added);
		if (added) {
			*slot = (u64)(d - l->rows.items);
			continue;
		}
		into = &l->rows.items[*slot];
		into->merged++;
		into->runtime += d->runtime;
		into->count += d->count;
		into->total += d->total;
		into->since_begin += d->since_begin;
		if (d->most > into->most || !into->most_to) {
			into->most = d->most;
			into->most_from = d->most_from;
			into->most_to = d->most_to;
		}
		if (d->hist && into->hist)
			histogram_merge(into->hist, d->hist);
		if (into->hist)
			free(d->hist);
		else
			into->hist = d->hist;
		*d = (struct delays){ 0 };
	}
	map64_release(&first);
}

static int compare(const void *x, const void *y, void *arg)
{
	const struct delays *a = x, *b = y;
	const struct latency *l = arg;

	if (is_empty(a) || is_empty(b))
		return is_empty(a) - is_empty(b);
	for (size_t i = 0; i < l->key_count; i++) {
		int cmp = l->keys[i](a, b);

		if (cmp)
			return cmp;
	}
	return a->tid < b->tid ? -1 : a->tid > b->tid ? 1 : (a->comm > b->comm) - (a->comm < b->comm);
}

static void put_name(struct tasks *t, const struct delays *d, struct strbuf *b)
{
	strbuf_printable(b, tasks_comm(t, d->comm));
	if (d->merged > 1)
		strbuf_f(b, ":(%u)", d->merged);
	else
		strbuf_f(b, ":%u", d->tid);
}

static void put_line(struct tasks *t, const struct delays *d, struct strbuf *b)
{
	size_t from = b->len;

	strbuf_str(b, "  ");
	put_name(t, d, b);
	strbuf_char(b, ' ');
	strbuf_pad(b, ' ', 24 - (int)(b->len - from));
	strbuf_f(b, "|%11.3f ms |%9" PRIu64 " | avg:%8.3f ms | max:%8.3f ms | max start: ",
		 (double)d->runtime / 1e6, d->count,
		 d->count ? (double)(d->total / d->count) / 1e6 : 0, (double)d->most / 1e6);
	sched_put_seconds(b, d->most_from, 12);
	strbuf_str(b, " s | max end: ");
	sched_put_seconds(b, d->most_to, 12);
	strbuf_str(b, " s\n");
}

static void put_rule(struct strbuf *b, int length)
{
	strbuf_char(b, ' ');
	strbuf_pad(b, '-', length);
	strbuf_char(b, '\n');
}

static void put_table(struct latency *l, struct tasks *t, struct out *out)
{
	struct strbuf *b = out_buf(out);
	u64 runtime = 0, count = 0;

	strbuf_char(b, '\n');
	put_rule(b, 139);
	strbuf_str(b, "  Task                  |   Runtime ms  | Switches | Avg delay ms    | Max delay ms    | "
		      "Max delay start           | Max delay end          |\n");
	put_rule(b, 139);
	vec_for_each(&l->rows, d) {
		if (is_empty(d))
			break;
		put_line(t, d, b);
		runtime += d->runtime;
		count += d->count;
		out_done(out);
	}
	put_rule(b, 113);
	strbuf_f(b, "  TOTAL:                |%11.3f ms |%9" PRIu64 " |\n", (double)runtime / 1e6, count);
	put_rule(b, 51);
}

static void put_histograms(struct latency *l, struct tasks *t, struct out *out)
{
	struct strbuf *b = out_buf(out);

	if (!l->histogram)
		return;
	if (l->hist_mode == HIST_ALL) {
		strbuf_str(b, "\n  Delays of all tasks\n");
		histogram_put(&l->all, b);
	}
	vec_for_each(&l->rows, d)
		if (l->hist_mode == HIST_TASK && d->hist) {
			strbuf_str(b, "\n  Delays of ");
			put_name(t, d, b);
			strbuf_char(b, '\n');
			histogram_put(d->hist, b);
			out_done(out);
		}
	for (size_t i = 0; i < l->cpus.count; i++)
		if (l->cpus.items[i].count) {
			strbuf_f(b, "\n  Delays on CPU %zu\n", i);
			histogram_put(&l->cpus.items[i], b);
		}
}

static void print(void *arg, struct tasks *t, struct out *out)
{
	struct latency *l = arg;

	if (!l->by_task)
		merge(l);
	if (l->rows.count)
		qsort_r(l->rows.items, l->rows.count, sizeof(*l->rows.items), compare, l);
	put_table(l, t, out);
	sched_put_losses(t, out);
	put_histograms(l, t, out);
	if (!l->a.cpus)
		sched_put_sums(t, l->s->ctx, out);
	out_str(out, "\n");
}

int sched_latency(struct sched *s, int argc, const char **argv)
{
	static const struct sched_use use = { "sched latency", { "perf sched latency [<options>]" } };
	struct latency l = { .sort = "avg, max, switch, runtime", .s = s };
	const struct option_row own[] = {
		{ OPTION_STRING, 's', "sort", &l.sort, .arg = "KEY[,KEY]...",
		  .help = "sort by avg, max, switch, runtime, pid" },
		{ OPTION_STRING, 'C', "CPU", &l.a.cpus, .arg = "CPUS", .help = "only what ran on these CPUs" },
		{ OPTION_FLAG, 'p', "pids", &l.by_task, .help = "a row for each task, not for each name" },
		{ OPTION_FLAG, 'H', "histogram", &l.histogram, .help = "show how the delays are spread" },
		{ OPTION_STRING, 0, "hist-mode", &l.mode, .arg = "MODE",
		  .help = "histograms of 'all' delays, by 'task' or by 'cpu'" },
		{ OPTION_STRING, 0, "time", &l.a.time, .arg = "FROM,TO", .help = "only this span of time" },
	};
	option_rows rows = VEC_INIT;
	struct reason r = REASON_INIT;
	int code;

	option_rows_add(&rows, own, ARRAY_SIZE(own));
	sched_common_rows(s, &rows);
	code = sched_parse(s, &use, &rows, argc, argv);
	if (code)
		return code < 0 ? 0 : code;
	if (parse_keys(&l, &r) || parse_mode(&l, &r)) {
		say_reason(&r);
		return EXIT_USAGE;
	}
	l.a.ops = (struct tasks_ops){ .switched = on_switch, .interval = on_interval };
	l.a.arg = &l;
	l.a.print = print;
	code = sched_analyse(s, &l.a);
	vec_for_each(&l.rows, d)
		free(d->hist);
	vec_release(&l.rows);
	vec_release(&l.cpus);
	return code;
}
