// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Warns of tasks, names and times that were requested but are not in the recording, since the table
 * may be empty because of them.
 */
#include <stdlib.h>
#include <string.h>

#include "builtin/sched/internal.h"

static void say_absent(struct context *ctx, const char *what)
{
	condition_add(&ctx->conditions, CONDITION_WARNING, "sched-absent", what, NULL, 1, NULL,
		      "%s", what);
}

static bool has_number(const struct tasks *t, bool of_process, u32 number)
{
	for (size_t i = 0; i < tasks_life_count(t); i++) {
		const struct tasks_life *l = tasks_life_by_number(t, i);

		if ((of_process ? l->pid : l->tid) == number)
			return true;
	}
	return !number; /* the idle tasks have no life */
}

void sched_say_absent_numbers(struct context *ctx, const struct tasks *t, bool of_process,
			      const u32 *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *what;

		if (has_number(t, of_process, list[i]))
			continue;
		what = xasprintf("no %s of the recording has the number %d",
				 of_process ? "process" : "thread", (s32)list[i]);
		say_absent(ctx, what);
		free(what);
	}
}

void sched_say_absent_time(struct context *ctx, const struct tasks *t, const char *time)
{
	const struct tasks_stats *st = tasks_stats(t);
	struct strbuf what = STRBUF_INIT;

	if (st->first <= st->last || !st->end)
		return;
	strbuf_f(&what, "nothing was recorded in --time '%s': the recording reaches from ", time);
	sched_put_seconds(&what, st->begin, 0);
	strbuf_str(&what, " s to ");
	sched_put_seconds(&what, st->end, 0);
	strbuf_str(&what, " s");
	say_absent(ctx, strbuf_cstr(&what));
	strbuf_release(&what);
}

static bool has_name(const struct tasks *t, const char *name, bool part)
{
	if (!strcmp(name, "swapper") || !strcmp(name, "<idle>"))
		return true;
	for (size_t i = 0; i < tasks_life_count(t); i++)
		for (const struct tasks_row *row = tasks_life_by_number(t, i)->rows; row;
		     row = row->next) {
			const char *has = tasks_comm(t, row->comm);

			if (part ? strstr(has, name) != NULL : !strcmp(has, name))
				return true;
		}
	return false;
}

void sched_say_absent_names(struct context *ctx, const struct tasks *t, const struct strlist *names,
			    bool part)
{
	vec_for_each(&names->list, name) {
		char *what;

		if (has_name(t, *name, part))
			continue;
		what = xasprintf(part ? "no task of the recording has '%s' in its name"
				      : "no task of the recording has the name '%s'",
				 *name);
		say_absent(ctx, what);
		free(what);
	}
}
