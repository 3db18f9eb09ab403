// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables for programs: a line for each call of a task, as JSON or separated (RFC 4180). */
#include "base/json.h"
#include "base/text.h"
#include "builtin/trace/internal.h"

/*
 * Adds {"ENOENT": 2} and, for histograms, pairs of a bucket's lower bound in ns and its number of
 * calls.
 */
static void json_errnos(struct trace *t, const struct call_stats *s)
{
	struct strbuf *b = out_buf(&t->out);
	const char *between = "";

	strbuf_str(b, ", \"errnos\": {");
	vec_for_each(&s->errnos, e) {
		strbuf_f(b, "%s\"", between);
		syscall_print_errno((int)e->err, b);
		strbuf_f(b, "\": %" PRIu64, e->count);
		between = ", ";
	}
	strbuf_char(b, '}');
}

static u64 bucket_begin(u32 i)
{
	return i ? 128ULL << i : 0;
}

static void json_hist(struct trace *t, const struct call_stats *s)
{
	struct strbuf *b = out_buf(&t->out);
	const char *between = "";

	strbuf_str(b, ", \"hist\": [");
	for (u32 i = 0; i < TRACE_BUCKETS; i++)
		if (s->buckets[i]) {
			strbuf_f(b, "%s[%" PRIu64 ", %" PRIu64 "]", between, bucket_begin(i),
				 s->buckets[i]);
			between = ", ";
		}
	strbuf_char(b, ']');
}

static void json_row(struct trace *t, const struct trace_task *task, const struct call_stats *s,
		     u64 runtime)
{
	struct strbuf *b = out_buf(&t->out);

	strbuf_char(b, '{');
	if (task && task->cgroup_name) {
		strbuf_str(b, "\"cgroup\": ");
		json_text(b, task->cgroup_name);
		strbuf_str(b, ", ");
	} else if (task) {
		strbuf_str(b, "\"comm\": ");
		json_text(b, task->comm);
		strbuf_f(b, ", \"pid\": %u, \"tid\": %u, ", task->pid, task->tid);
	}
	if (stats_abi(t, s->index))
		strbuf_f(b, "\"abi\": \"%s\", ", stats_abi(t, s->index));
	strbuf_f(b,
		 "\"syscall\": \"%s\", \"calls\": %" PRIu64 ", \"errors\": %" PRIu64
		 ", \"total\": %" PRIu64 ", \"min\": %" PRIu64 ", \"avg\": %.0f, \"max\": %" PRIu64
		 ", \"stddev\": %.2f",
		 stats_name(t, s->index), s->calls, s->errors, s->total, s->min, stats_average(s),
		 s->max, stats_deviation(s));
	if (t->o.errno_summary)
		json_errnos(t, s);
	if (t->o.hist)
		json_hist(t, s);
	if (t->o.sched)
		strbuf_f(b, ", \"runtime\": %" PRIu64, runtime);
	strbuf_str(b, "}\n");
}

/* Adds "ENOENT:2 EACCES:1", and likewise for buckets: a single field, whatever the separator is. */
static void put_errnos(struct trace *t, const struct call_stats *s)
{
	const char *between = "";

	strbuf_clear(&t->args);
	vec_for_each(&s->errnos, e) {
		strbuf_str(&t->args, between);
		syscall_print_errno((int)e->err, &t->args);
		strbuf_f(&t->args, ":%" PRIu64, e->count);
		between = " ";
	}
	strbuf_str(out_buf(&t->out), t->o.separator);
	line_field(t, strbuf_cstr(&t->args));
}

static void put_hist(struct trace *t, const struct call_stats *s)
{
	const char *between = "";

	strbuf_clear(&t->args);
	for (u32 i = 0; i < TRACE_BUCKETS; i++)
		if (s->buckets[i]) {
			strbuf_f(&t->args, "%s%" PRIu64 ":%" PRIu64, between, bucket_begin(i),
				 s->buckets[i]);
			between = " ";
		}
	strbuf_str(out_buf(&t->out), t->o.separator);
	line_field(t, strbuf_cstr(&t->args));
}

static void separated_row(struct trace *t, const struct trace_task *task,
			  const struct call_stats *s, u64 runtime)
{
	struct strbuf *b = out_buf(&t->out);
	const char *sep = t->o.separator;

	if (task) {
		line_field(t, task->cgroup_name ? task->cgroup_name : task->comm);
		strbuf_str(b, sep);
	}
	if (task && !task->cgroup_name)
		strbuf_f(b, "%u%s%u%s", task->pid, sep, task->tid, sep);
	strbuf_clear(&t->args);
	stats_label(t, s->index, &t->args);
	line_field(t, strbuf_cstr(&t->args));
	strbuf_f(b, "%s%" PRIu64 "%s%" PRIu64 "%s%" PRIu64 "%s%" PRIu64 "%s%.0f%s%" PRIu64 "%s%.2f",
		 sep, s->calls, sep, s->errors, sep, s->total, sep, s->min, sep, stats_average(s),
		 sep, s->max, sep, stats_deviation(s));
	if (t->o.errno_summary)
		put_errnos(t, s);
	if (t->o.hist)
		put_hist(t, s);
	if (t->o.sched)
		strbuf_f(b, "%s%" PRIu64, sep, runtime);
	strbuf_char(b, '\n');
}

void summary_values(struct trace *t, const struct trace_task *task, struct stats_table *table,
		    u64 runtime)
{
	size_t shown = 0;

	stats_sort(table);
	vec_for_each(&table->list, s) {
		if (t->o.max_summary && shown++ >= t->o.max_summary)
			break;
		if (t->o.json)
			json_row(t, task, s, runtime);
		else
			separated_row(t, task, s, runtime);
		out_done(&t->out);
	}
}
