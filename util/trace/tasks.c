// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks that made calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "trace/internal.h"

struct trace_task *trace_task_get(struct trace *t, u32 pid, u32 tid, const char *comm)
{
	bool added;
	u64 *slot = map64_put(&t->tasks, tid, &added);
	struct trace_task *task;

	if (added) {
		task = xcalloc(1, sizeof(*task));
		vec_push(&t->task_list, task);
		*slot = (u64)(uintptr_t)task;
		task->tid = tid;
		t->many |= t->task_list.count > 1;
	}
	task = (struct trace_task *)(uintptr_t)*slot;
	task->pid = pid;
	if (comm && strncmp(task->comm, comm, sizeof(task->comm)) != 0)
		snprintf(task->comm, sizeof(task->comm), "%.15s", comm);
	return task;
}

void trace_forget_pending(struct trace *t)
{
	vec_for_each(&t->task_list, task)
		(*task)->pending = (*task)->shown = false;
	t->current = NULL;
}

void trace_tasks_free(struct trace *t)
{
	vec_for_each(&t->task_list, task) {
		stats_release(&(*task)->stats);
		free((*task)->items);
		free((*task)->cgroup_name);
		free(*task);
	}
	vec_release(&t->task_list);
	map64_release(&t->tasks);
}
