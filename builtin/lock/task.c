// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the task of a sample, and whether it was requested. */
#include "builtin/lock/internal.h"

u64 lock_task_key(const struct session_sample *s)
{
	const struct sample_id *id = &s->sample->id;

	return lock_task_key_of(id->tid, id->cpu);
}

u64 lock_life_key(const struct session_sample *s)
{
	return (u64)s->sample->id.tid << 32 | (s->task ? s->task->id + 1 : 0);
}

void lock_task_met(struct lock_result *res, const struct session_sample *s)
{
	if (res->l->threads)
		*map64_put(&res->threads, lock_life_key(s), NULL) = s->comm;
}

static bool listed(const u32 *numbers, size_t count, u32 v)
{
	for (size_t i = 0; i < count; i++)
		if (numbers[i] == v)
			return true;
	return !numbers;
}

bool lock_task_wanted(const struct lock_result *res, const struct sample *s)
{
	return listed(res->pids, res->pid_count, s->id.pid) &&
	       listed(res->tids, res->tid_count, s->id.tid) &&
	       sample_choice_cpu(&res->choice, s->id.cpu);
}
