// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of -s and -S. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "trace/internal.h"

struct call_stats *stats_get(struct stats_table *t, u32 index)
{
	bool added;
	u64 *slot = map64_put(&t->by_index, index, &added);

	if (added) {
		*slot = t->list.count;
		vec_push_zero(&t->list)->index = index;
	}
	return &t->list.items[*slot];
}

static void add_errno(struct call_stats *s, u32 err, u64 count)
{
	vec_for_each(&s->errnos, e)
		if (e->err == err) {
			e->count += count;
			return;
		}
	vec_push(&s->errnos, (struct errno_count){ err, count });
}

static u32 bucket_of(u64 ns)
{
	u32 b = 0;

	for (ns >>= 8; ns && b < TRACE_BUCKETS - 1; b++)
		ns >>= 1;
	return b;
}

static u64 timed_calls(const struct call_stats *s)
{
	return s->calls - s->unseen;
}

static double average(const struct call_stats *s)
{
	return timed_calls(s) ? (double)s->total / (double)timed_calls(s) : 0;
}

static void add_time(struct call_stats *s, u64 duration)
{
	if (!timed_calls(s) || duration < s->min)
		s->min = duration;
	s->max = MAX(s->max, duration);
	s->total += duration;
	s->squares += (double)duration * (double)duration;
	s->buckets[bucket_of(duration)]++;
}

void stats_add(struct stats_table *t, u32 index, bool timed, u64 duration, s64 result)
{
	struct call_stats *s = stats_get(t, index);

	if (timed)
		add_time(s, duration);
	s->unseen += !timed;
	s->calls++;
	if (syscall_failed(result)) {
		s->errors++;
		add_errno(s, (u32)-result, 1);
	}
}

void stats_release(struct stats_table *t)
{
	vec_for_each(&t->list, s)
		vec_release(&s->errnos);
	vec_release(&t->list);
	map64_release(&t->by_index);
}

static int by_total(const void *a, const void *b)
{
	const struct call_stats *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static int by_errno(const void *a, const void *b)
{
	const struct errno_count *x = a, *y = b;

	return x->err < y->err ? -1 : x->err > y->err;
}

static const char *name_of(const struct trace *t, u32 index)
{
	const struct syscall_book *b = index >= TRACE_NUMBERS && t->compat ? t->compat : t->native;
	const struct syscall *c = syscall_find(b, index % TRACE_NUMBERS);

	return c ? c->name : "?";
}

/* Of the mean, as 6.1 says it: the standard error in percent. */
static double deviation(const struct call_stats *s)
{
	double n = (double)timed_calls(s), mean = average(s), variance;

	if (n < 2 || mean <= 0)
		return 0;
	variance = (s->squares - n * mean * mean) / (n - 1);
	return variance > 0 ? 100.0 * sqrt(variance / n) / mean : 0;
}

static void print_errnos(struct trace *t, struct call_stats *s)
{
	struct strbuf *b = out_buf(&t->out);

	vec_sort(&s->errnos, by_errno);
	vec_for_each(&s->errnos, e) {
		strbuf_str(b, "\t\t\t\t");
		syscall_print_errno((int)e->err, b);
		strbuf_f(b, ": %" PRIu64 "\n", e->count);
	}
}

static void print_hist(struct trace *t, const struct call_stats *s)
{
	enum { BAR = 40 };
	u32 first = TRACE_BUCKETS, last = 0;
	u64 most = 0;

	for (u32 i = 0; i < TRACE_BUCKETS; i++)
		if (s->buckets[i]) {
			first = MIN(first, i);
			last = i;
			most = MAX(most, s->buckets[i]);
		}
	for (u32 i = first; i <= last && i < TRACE_BUCKETS; i++) {
		u64 from = i ? 128ULL << i : 0, until = 256ULL << i;
		int stars = (int)(s->buckets[i] * BAR / most);

		if (i == TRACE_BUCKETS - 1)
			out_f(&t->out, "     %10.3f - %10s ms %10" PRIu64 " |", (double)from / 1e6, "", s->buckets[i]);
		else
			out_f(&t->out, "     %10.3f - %10.3f ms %10" PRIu64 " |", (double)from / 1e6, (double)until / 1e6,
			      s->buckets[i]);
		strbuf_pad(out_buf(&t->out), '#', stars);
		strbuf_pad(out_buf(&t->out), ' ', BAR - stars);
		out_str(&t->out, "|\n");
	}
}

/* --json: {"ENOENT": 2}; pairs of the least ns of a bucket and how many calls are in it. */
static void json_errnos(struct trace *t, struct call_stats *s)
{
	struct strbuf *b = out_buf(&t->out);
	const char *between = "";

	if (!t->o.errno_summary)
		return;
	vec_sort(&s->errnos, by_errno);
	strbuf_str(b, ", \"errnos\": {");
	vec_for_each(&s->errnos, e) {
		strbuf_f(b, "%s\"", between);
		syscall_print_errno((int)e->err, b);
		strbuf_f(b, "\": %" PRIu64, e->count);
		between = ", ";
	}
	strbuf_char(b, '}');
}

static void json_hist(struct trace *t, const struct call_stats *s)
{
	struct strbuf *b = out_buf(&t->out);
	const char *between = "";

	if (!t->o.hist)
		return;
	strbuf_str(b, ", \"hist\": [");
	for (u32 i = 0; i < TRACE_BUCKETS; i++)
		if (s->buckets[i]) {
			strbuf_f(b, "%s[%llu, %" PRIu64 "]", between, i ? 128ULL << i : 0ULL, s->buckets[i]);
			between = ", ";
		}
	strbuf_char(b, ']');
}

static void print_table(struct trace *t, struct stats_table *table)
{
	size_t shown = 0;

	out_str(&t->out, "\n   syscall            calls  errors  total       min       avg       max       stddev\n"
			 "                                     (msec)    (msec)    (msec)    (msec)        (%)\n"
			 "   --------------- --------  ------ -------- --------- --------- ---------     ------\n");
	map64_release(&table->by_index); /* the order changes */
	vec_sort(&table->list, by_total);
	vec_for_each(&table->list, s) {
		if (t->o.max_summary && shown++ >= t->o.max_summary)
			break;
		out_f(&t->out, "   %-15s %8" PRIu64 " %6" PRIu64 " %9.3f %9.3f %9.3f %9.3f %9.2f%%\n", name_of(t, s->index),
		      s->calls, s->errors, (double)s->total / 1e6, (double)s->min / 1e6,
		      average(s) / 1e6, (double)s->max / 1e6, deviation(s));
		if (t->o.errno_summary)
			print_errnos(t, s);
		if (t->o.hist)
			print_hist(t, s);
	}
	out_str(&t->out, "\n\n");
}

/* One line of a table for each call: for programs. */
static void print_values(struct trace *t, const struct trace_task *task, struct stats_table *table)
{
	struct strbuf *b = out_buf(&t->out);
	const char *sep = t->o.separator;

	vec_sort(&table->list, by_total);
	vec_for_each(&table->list, s) {
		double avg = average(s);

		if (t->o.json) {
			strbuf_str(b, "{");
			if (task && task->cgroup_name) {
				strbuf_str(b, "\"cgroup\": ");
				json_text(b, task->cgroup_name);
				strbuf_str(b, ", ");
			} else if (task) {
				strbuf_str(b, "\"comm\": ");
				json_text(b, task->comm);
				strbuf_f(b, ", \"pid\": %u, \"tid\": %u, ", task->pid, task->tid);
			}
			strbuf_f(b, "\"syscall\": \"%s\", \"calls\": %" PRIu64 ", \"errors\": %" PRIu64 ", \"total\": %" PRIu64
				    ", \"min\": %" PRIu64 ", \"avg\": %.0f, \"max\": %" PRIu64 ", \"stddev\": %.2f",
				 name_of(t, s->index), s->calls, s->errors, s->total, s->min, avg, s->max, deviation(s));
			json_errnos(t, s);
			json_hist(t, s);
			strbuf_str(b, "}\n");
		} else {
			if (task) {
				size_t from = b->len;

				strbuf_str(b, task->cgroup_name ? task->cgroup_name : task->comm);
				strbuf_printable_from(b, from);
				strbuf_str(b, sep);
			}
			if (task && !task->cgroup_name)
				strbuf_f(b, "%u%s%u%s", task->pid, sep, task->tid, sep);
			strbuf_f(b, "%s%s%" PRIu64 "%s%" PRIu64 "%s%" PRIu64 "%s%" PRIu64 "%s%.0f%s%" PRIu64 "%s%.2f\n",
				 name_of(t, s->index), sep, s->calls, sep, s->errors, sep, s->total, sep, s->min, sep, avg,
				 sep, s->max, sep, deviation(s));
		}
	}
}

static int by_events(const void *a, const void *b)
{
	const struct trace_task *x = *(struct trace_task *const *)a, *y = *(struct trace_task *const *)b;

	if (x->events != y->events)
		return x->events > y->events ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void task_head(struct trace *t, const struct trace_task *task)
{
	struct strbuf *b = out_buf(&t->out);
	size_t from;

	strbuf_char(b, ' ');
	from = b->len;
	strbuf_str(b, task->cgroup_name ? task->cgroup_name : task->comm);
	strbuf_printable_from(b, from);
	if (!task->cgroup_name)
		strbuf_f(b, " (%u)", task->tid);
	strbuf_f(b, ", %" PRIu64 " events, %.1f%%", task->events,
		 t->events ? (double)task->events / (double)t->events * 100.0 : 0.0);
	if (task->faults_major)
		strbuf_f(b, ", %" PRIu64 " majfaults", task->faults_major);
	if (task->faults_minor)
		strbuf_f(b, ", %" PRIu64 " minfaults", task->faults_minor);
	if (t->o.sched)
		strbuf_f(b, ", %.3f msec", task->runtime);
	strbuf_char(b, '\n');
}

static void merge(struct stats_table *to, const struct stats_table *from)
{
	vec_for_each(&from->list, s) {
		struct call_stats *d = stats_get(to, s->index);

		if (timed_calls(s))
			d->min = timed_calls(d) ? MIN(d->min, s->min) : s->min;
		d->unseen += s->unseen;
		d->max = MAX(d->max, s->max);
		d->calls += s->calls;
		d->errors += s->errors;
		d->total += s->total;
		d->squares += s->squares;
		for (u32 i = 0; i < TRACE_BUCKETS; i++)
			d->buckets[i] += s->buckets[i];
		vec_for_each(&s->errnos, e)
			add_errno(d, e->err, e->count);
	}
}

static void print_total(struct trace *t)
{
	struct stats_table all = { 0 };

	vec_for_each(&t->task_list, task)
		merge(&all, &(*task)->stats);
	if (t->o.json || t->o.separator) {
		print_values(t, NULL, &all);
	} else {
		out_f(&t->out, " total, %" PRIu64 " events\n", t->events);
		print_table(t, &all);
	}
	stats_release(&all);
}

void trace_summary(struct trace *t)
{
	bool text = !t->o.json && !t->o.separator;

	if (text)
		out_str(&t->out, "\n Summary of events:\n\n");
	if (t->o.summary_mode == SUMMARY_TOTAL) {
		print_total(t);
		return;
	}
	if (t->o.summary_mode == SUMMARY_CGROUP)
		trace_name_cgroups(t);
	vec_sort(&t->task_list, by_events);
	vec_for_each(&t->task_list, it) {
		if (!text) {
			print_values(t, *it, &(*it)->stats);
			continue;
		}
		task_head(t, *it);
		print_table(t, &(*it)->stats);
	}
}
