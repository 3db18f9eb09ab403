// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of -s and -S, to be read. */
#include "base/guard.h"
#include "base/text.h"
#include "builtin/trace/internal.h"

static void print_errnos(struct trace *t, const struct call_stats *s)
{
	struct strbuf *b = out_buf(&t->out);

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
			out_f(&t->out, "     %10.3f - %10s ms %10" PRIu64 " |", (double)from / 1e6,
			      "", s->buckets[i]);
		else
			out_f(&t->out, "     %10.3f - %10.3f ms %10" PRIu64 " |",
			      (double)from / 1e6, (double)until / 1e6, s->buckets[i]);
		strbuf_pad(out_buf(&t->out), '#', stars);
		strbuf_pad(out_buf(&t->out), ' ', BAR - stars);
		out_str(&t->out, "|\n");
	}
}

static void print_table(struct trace *t, struct stats_table *table)
{
	size_t shown = 0;

	if (!t->o.syscalls) {
		out_str(&t->out, "\n");
		return;
	}
	out_str(&t->out,
		"\n   syscall            calls  errors  total       min       avg       max       "
		"stddev\n"
		"                                     (msec)    (msec)    (msec)    (msec)        "
		"(%)\n"
		"   --------------- --------  ------ -------- --------- --------- ---------     "
		"------\n");
	stats_sort(table);
	vec_for_each(&table->list, s) {
		if (t->o.max_summary && shown++ >= t->o.max_summary)
			break;
		strbuf_clear(&t->args);
		stats_label(t, s->index, &t->args);
		out_f(&t->out,
		      "   %-15s %8" PRIu64 " %6" PRIu64 " %9.3f %9.3f %9.3f %9.3f %9.2f%%\n",
		      strbuf_cstr(&t->args), s->calls, s->errors, (double)s->total / 1e6,
		      (double)s->min / 1e6, stats_average(s) / 1e6, (double)s->max / 1e6,
		      stats_deviation(s));
		if (t->o.errno_summary)
			print_errnos(t, s);
		if (t->o.hist)
			print_hist(t, s);
	}
	out_str(&t->out, "\n\n");
}

static int by_events(const void *a, const void *b)
{
	const struct trace_task *x = *(struct trace_task *const *)a,
				*y = *(struct trace_task *const *)b;

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
	strbuf_printable_names(b, from);
	if (!task->cgroup_name)
		strbuf_f(b, " (%u)", task->tid);
	strbuf_f(b, ", %" PRIu64 " events, %.1f%%", task->events,
		 t->events ? (double)task->events / (double)t->events * 100.0 : 0.0);
	if (task->faults_major)
		strbuf_f(b, ", %" PRIu64 " majfaults", task->faults_major);
	if (task->faults_minor)
		strbuf_f(b, ", %" PRIu64 " minfaults", task->faults_minor);
	if (t->o.sched)
		strbuf_f(b, ", %.3f msec", (double)task->runtime / 1e6);
	strbuf_char(b, '\n');
}

static void print_total(struct trace *t)
{
	struct stats_table all = { 0 };
	u64 runtime = 0;

	vec_for_each(&t->task_list, task) {
		stats_merge(&all, &(*task)->stats);
		runtime += (*task)->runtime;
	}
	if (t->o.json || t->o.separator) {
		summary_values(t, NULL, &all, runtime);
	} else {
		out_f(&t->out, " total, %" PRIu64 " events", t->events);
		if (t->o.sched)
			out_f(&t->out, ", %.3f msec", (double)runtime / 1e6);
		out_str(&t->out, "\n");
		print_table(t, &all);
	}
	stats_release(&all);
}

/* Reports whether a task was only seen to start, or has only calls that are left out. */
static bool did_nothing(const struct trace_task *task)
{
	return !task->events && !task->faults_major && !task->faults_minor && !task->runtime &&
	       !task->stats.list.count;
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
		if ((t->o.summary_mode == SUMMARY_CGROUP && !(*it)->cgroup) || did_nothing(*it))
			continue;
		if (!text) {
			summary_values(t, *it, &(*it)->stats, (*it)->runtime);
			continue;
		}
		task_head(t, *it);
		print_table(t, &(*it)->stats);
	}
}
