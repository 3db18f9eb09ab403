// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stat -u USER: all that the user runs, also what starts later, where BPF can read the counters of
 * all CPUs at each switch; otherwise the processes that the user has at the start.
 */
#include <stdlib.h>
#include <unistd.h>

#include "bpf/bpf.h"
#include "builtin/stat/internal.h"

/* Returns why BPF cannot count one of the events by user, or NULL; *text has to be freed. */
static const char *why_not_events(const struct stat_session *q, char **text)
{
	vec_for_each(&q->events.set.list, it) {
		const char *why = (*it)->tool ? NULL : stat_bpf_cannot(*it);

		if (why) {
			*text = xasprintf("BPF cannot count '%s': %s", (*it)->name, why);
			return *text;
		}
	}
	return NULL;
}

static const char *why_list(const struct stat_session *q, char **text, struct reason *why)
{
	const struct stat_request *ask = &q->ask;

	if (ask->pids || ask->tids)
		return "-p and -t name tasks";
	if (ask->by == STAT_BY_THREAD)
		return "--per-thread has a row for each thread";
	if (!ask->inherit)
		return "-i leaves out what they start";
	if (ask->record)
		return "perf stat record does not use BPF";
	if (stat_counts_times(q))
		return "user_time and system_time are times of processes";
	if (bpf_usable("counting these", why))
		return why->text;
	/* which --bpf-counters refuses itself */
	return ask->bpf_counters ? NULL : why_not_events(q, text);
}

static void warn(struct stat_session *q, const char *why_list, bool is_own)
{
	struct condition_list *l = &q->ctx->conditions;

	if (q->argv && !is_own)
		condition_add(l, CONDITION_WARNING, "stat-user-command", NULL, NULL, 1,
			      "leave out -u to count the command, or run it as that user",
			      "the command runs as another user than '%s', so it is not counted",
			      q->ask.user);
	if (why_list)
		condition_add(
			l, CONDITION_WARNING, "stat-user-list", NULL, NULL, 1, NULL,
			"-u counts the processes that '%s' has now, and none that start later: %s",
			q->ask.user, why_list);
}

int stat_settle_user(struct stat_session *q, struct reason *r)
{
	struct reason none = REASON_INIT;
	const char *why;
	char *text = NULL;
	uid_t uid = 0;
	int err = target_user(q->ask.user, &uid, r);

	if (err)
		return err;
	why = why_list(q, &text, &none);
	q->by_user = !why;
	q->user = uid;
	if (why)
		err = target_list_user(&q->target, q->ask.user, why, none.hint, r);
	else
		q->target.system_wide = true;
	q->count_command_of_user = why && q->argv && uid == getuid();
	if (!err)
		warn(q, why, uid == getuid());
	free(text);
	reason_release(&none);
	return err;
}
