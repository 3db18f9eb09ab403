// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat: conditions that make the results doubtful. */
#include <stdlib.h>
#include <string.h>

#include "base/privileges.h"
#include "base/strbuf.h"
#include "builtin/stat/internal.h"
#include "sys/obstacles.h"

/* Below this share of the time a count is mostly extrapolated. */
static const double least_share = 0.05;

struct shares {
	double enabled, running;
	bool supported;
};

static struct shares shares_of(const struct stat_table *t, const struct event *ev)
{
	struct shares sum = { 0 };

	for (size_t d = 0; d < t->domains->list.count; d++) {
		struct stat_reading r;

		stat_read(t, d, ev, &r);
		sum.enabled += r.enabled;
		sum.running += r.running;
		sum.supported |= r.supported;
	}
	return sum;
}

static void add_idle_group(struct stat_session *q, const struct event *leader)
{
	const struct obstacle_row *watchdog = &obstacle_rows[OBSTACLE_NMI_WATCHDOG];
	const char *hint = "count fewer events, or let the group be split: '{...}:W'";
	char *cure = NULL;

	if (nmi_watchdog_holds_counter(&q->events.sys))
		hint = cure = xasprintf("%s: %s", watchdog->cause, watchdog->cure);
	condition_add(&q->ctx->conditions, CONDITION_WARNING, "stat-idle-group", leader->name, NULL,
		      1, hint,
		      "the group led by '%s' never ran: its %u events do not fit into the "
		      "counters at the same time",
		      leader->name, leader->members);
	free(cure);
}

static void add_extrapolated(struct stat_session *q, const struct event *ev, double share)
{
	condition_add(&q->ctx->conditions, CONDITION_WARNING, "stat-share", ev->name, NULL, 1,
		      "count fewer events at once",
		      "'%s' ran %.1f%% of the time: its count is mostly extrapolated", ev->name,
		      100 * share);
}

/* Warns about options that changed nothing, because another one is missing. */
static void add_idle_options(struct stat_session *q)
{
	struct condition_list *l = &q->ctx->conditions;

	if (q->ask.append && !q->ask.output)
		condition_add(l, CONDITION_WARNING, "stat-append", NULL, NULL, 1, NULL,
			      "--append is ignored without -o");
	if (q->ask.summary && !q->ask.interval)
		condition_add(l, CONDITION_WARNING, "stat-summary", NULL, NULL, 1, NULL,
			      "--summary is ignored without -I");
}

static bool any_metric(const struct stat_table *t)
{
	const char *units[STAT_METRICS_MAX];

	vec_for_each(&t->set->list, it)
		if (stat_metric_units(t, *it, units))
			return true;
	return false;
}

static bool all_hardware_lacks(const struct stat_table *t)
{
	bool any = false;

	vec_for_each(&t->set->list, it) {
		u32 type = (*it)->attr.type;

		if ((*it)->tool || (type != PERF_TYPE_HARDWARE && type != PERF_TYPE_HW_CACHE &&
				    type != PERF_TYPE_RAW))
			continue;
		if (shares_of(t, *it).supported)
			return false;
		any = true;
	}
	return any;
}

/* Explains why rows are empty, in one line for all of them. */
static void add_missing(struct stat_session *q)
{
	struct condition_list *l = &q->ctx->conditions;

	vec_for_each(&q->out.table.set->list, it) {
		const struct perf_event_attr *a = &(*it)->attr;

		if (!(*it)->tool && a->type == PERF_TYPE_SOFTWARE &&
		    a->flags & ATTR_EXCLUDE_KERNEL && happens_in_kernel(a) &&
		    shares_of(&q->out.table, *it).supported)
			condition_add(
				l, CONDITION_WARNING, "stat-user-side", (*it)->name, NULL, 1, NULL,
				"'%s' counts nothing: it happens in the kernel, which ':u' leaves "
				"out",
				(*it)->name);
	}

	if (q->ask.metric_only && !any_metric(&q->out.table))
		condition_add(l, CONDITION_WARNING, "stat-no-metrics", NULL, NULL, 1,
			      "add -M METRIC ('perf list metric'), or leave out --metric-only",
			      "--metric-only: the events counted have no metric");
	if (all_hardware_lacks(&q->out.table) && !hardware_pmu_present(&q->events.sys))
		condition_add(l, CONDITION_WARNING, "stat-no-pmu", NULL, NULL, 1, NULL,
			      "<not supported>: %s", explain_no_hardware_pmu(&q->events.sys));
}

/* Reports metrics of groups that were left out, one line for all with the same reason. */
static void add_left_out(struct stat_session *q)
{
	const struct metric_set *m = &q->events.metrics;

	vec_for_each(&m->left_out, it) {
		struct strbuf names = STRBUF_INIT;
		bool before = false;
		size_t count = 0;

		vec_for_each(&m->left_out, other) {
			if (strcmp(other->why, it->why))
				continue;
			before |= other < it;
			strbuf_f(&names, "%s'%s'", count++ ? ", " : "", other->name);
		}
		if (!before)
			condition_add(&q->ctx->conditions, CONDITION_WARNING, "stat-left-out",
				      it->name, NULL, 1, NULL,
				      "metric%s %s cannot be measured here: %s",
				      count > 1 ? "s" : "", strbuf_cstr(&names), it->why);
		strbuf_release(&names);
	}
}

/*
 * Warns if the events saw less than an eighth of the CPU time: if a wrapper starts the program,
 * nothing else shows that the kernel ended them.  What the kernel does for a process that ends
 * is not seen, either: two thirds of the time of a server that is large and starts a child for
 * each request.
 */
void stat_warn_ended(struct stat_session *q)
{
	static const u64 least = 10000000;

	if (q->used > q->seen + least && q->seen < q->used / 8 && !q->warned_of_program)
		condition_add(
			&q->ctx->conditions, CONDITION_WARNING, PRIVILEGED_PROGRAM, NULL, NULL, 1,
			ENDED_EVENTS_HINT,
			"the events saw %.1f of the %.1f msec that the command and its children "
			"ran: the kernel "
			"ends the events of a program that runs with rights which its caller does "
			"not have "
			"(set-user-ID, set-group-ID, capabilities), or that may not be read",
			(double)q->seen / 1e6, (double)q->used / 1e6);
}

/*
 * Keeps among the conditions only the one that says why nothing was measured; others are not worth
 * a line among rows for programs.
 */
void stat_keep_privileged(struct stat_session *q)
{
	struct condition_list kept = { VEC_INIT };

	vec_for_each(&q->ctx->conditions.list, c)
		if (!strcmp(c->code, PRIVILEGED_PROGRAM))
			condition_add(&kept, c->weight, PRIVILEGED_PROGRAM, NULL, NULL, 1, c->hint,
				      "%s", c->text);
	condition_list_release(&q->ctx->conditions);
	condition_list_merge(&q->ctx->conditions, &kept);
}

void stat_warn(struct stat_session *q)
{
	const struct stat_table *t = &q->out.table;

	add_idle_options(q);
	add_left_out(q);
	if (!q->out.ready)
		return;
	add_missing(q);
	stat_times_say_missing(q);
	stat_times_say_steps(q);
	vec_for_each(&t->set->list, it) {
		const struct event *ev = *it;
		struct shares s = shares_of(t, ev);

		if (ev->tool || !s.supported || !(s.enabled > 0))
			continue;
		if (!(s.running > 0) && ev->leader == ev && ev->members > 1)
			add_idle_group(q, ev);
		else if (s.running > 0 && s.running < s.enabled * least_share)
			add_extrapolated(q, ev, s.running / s.enabled);
	}
}
