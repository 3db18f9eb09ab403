// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record -u USER: all that the user runs, also what starts later, where BPF can filter the samples
 * of all CPUs; otherwise the processes that the user has at the start.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "event/sample_filter.h"
#include "record/command.h"
#include "record/internal.h"

static bool is_probe(const struct event *ev)
{
	return ev->pmu && (!strcmp(ev->pmu, "kprobe") || !strcmp(ev->pmu, "uprobe"));
}

const char *record_user_unfiltered(const struct event_set *set, bool names_tasks,
				   struct reason *why)
{
	if (names_tasks)
		return "-p and -t name tasks";
	vec_for_each(&set->list, it)
		if (event_is_tracepoint(*it) || is_probe(*it))
			return "the samples of some events take no filter";
	if (record_filter_usable("recording these", why))
		return why->text;
	return NULL;
}

static const char *why_list(const struct record_request *q, struct reason *why)
{
	if (q->target.per_thread)
		return "--per-thread follows named tasks";
	if (q->asked.latency)
		return "--latency follows tasks, not all that CPUs do";
	if (q->s.off_cpu)
		return "--off-cpu does not filter waits by user";
	if (record_aux_event(&q->set))
		return "a trace takes no filter";
	return record_user_unfiltered(&q->set, q->asked.pids || q->asked.tids, why);
}

int record_user_filter(struct event_set *set, u32 uid, struct reason *r)
{
	char *text = xasprintf("uid == %u", uid);
	int err = 0;

	vec_for_each(&set->list, it) {
		struct event *ev = *it;

		if (err ||
		    (ev->attr.type == PERF_TYPE_SOFTWARE && ev->attr.config == PERF_COUNT_SW_DUMMY))
			continue;
		if (!ev->sample_filter)
			ev->sample_filter = xcalloc(1, sizeof(*ev->sample_filter));
		err = sample_filter_parse(ev->sample_filter, text, r);
	}
	free(text);
	if (err)
		reason_prefix(r, "-u adds a test to --filter");
	return err;
}

int record_filter_user(struct record_request *q, struct reason *r)
{
	return q->user_filter ? record_user_filter(&q->set, q->user_id, r) : 0;
}

int record_settle_user(struct record_request *q, bool has_command, struct reason *r)
{
	struct condition_list *l = &q->ctx->conditions;
	struct reason none = REASON_INIT;
	const char *why;
	uid_t uid;
	int err = target_user(q->asked.user, &uid, r);

	if (err)
		return err;
	q->user_is_own = uid == getuid();
	why = why_list(q, &none);
	q->user_id = uid;
	q->user_filter = !why;
	if (why)
		err = target_list_user(&q->target, q->asked.user, why, none.hint, r);
	else if (!q->target.cpus)
		q->target.system_wide = true;
	if (!err && why)
		condition_add(
			l, CONDITION_WARNING, "record-user-list", NULL, NULL, 1, NULL,
			"-u records the processes that '%s' has now, and none that start later: %s",
			q->asked.user, why);
	if (!err && has_command && !q->user_is_own)
		condition_add(
			l, CONDITION_WARNING, "record-user-command", NULL, NULL, 1,
			"leave out -u to record the command, or run it as that user",
			"the command runs as another user than '%s', so no samples are taken of it",
			q->asked.user);
	reason_release(&none);
	return err;
}
