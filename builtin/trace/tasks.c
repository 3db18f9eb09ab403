// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks that made calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "builtin/trace/internal.h"

static bool has_tables(const struct trace *t)
{
	return t->o.summary || t->o.with_summary;
}

static struct trace_task *get(struct trace *t, u64 key, u32 pid, u32 tid, const char *comm)
{
	bool added;
	u64 *slot = map64_put(&t->tasks, key, &added);
	struct trace_task *task;

	if (added) {
		task = xcalloc(1, sizeof(*task));
		task->place = t->task_list.count;
		vec_push(&t->task_list, task);
		t->ended.seen++;
		t->ended.most = MAX(t->ended.most, (u64)t->task_list.count);
		*slot = (u64)(uintptr_t)task;
		task->tid = tid;
		t->many |= t->ended.seen > 1;
	}
	task = (struct trace_task *)(uintptr_t)*slot;
	task->pid = pid;
	if (!has_tables(t))
		task->ended = false; /* the number is in use again */
	if (comm && strncmp(task->comm, comm, sizeof(task->comm)) != 0)
		snprintf(task->comm, sizeof(task->comm), "%.15s", comm);
	return task;
}

struct trace_task *trace_task_get(struct trace *t, u32 pid, u32 tid, const char *comm)
{
	return get(t, tid, pid, tid, comm);
}

/* Returns the sums of a cgroup, whose key no tid and no life has. */
struct trace_task *trace_cgroup_get(struct trace *t, u64 cgroup)
{
	bool added;
	u64 *slot = map64_put(&t->tasks, BIT64(63) | cgroup, &added);
	struct trace_task *sums;

	if (added) {
		sums = xcalloc(1, sizeof(*sums));
		sums->cgroup = cgroup;
		sums->place = t->task_list.count;
		vec_push(&t->task_list, sums);
		*slot = (u64)(uintptr_t)sums;
	}
	return (struct trace_task *)(uintptr_t)*slot;
}

void trace_task_begins(struct trace *t, u32 tid)
{
	u64 *slot = has_tables(t) ? map64_get(&t->tasks, tid) : NULL;

	if (slot && ((struct trace_task *)(uintptr_t)*slot)->ended)
		map64_remove_slot(&t->tasks, slot);
}

struct trace_task *trace_task_find_life(const struct trace *t, u64 who)
{
	u64 *slot = map64_get(&t->tasks, (u32)who);

	if (slot && ((struct trace_task *)(uintptr_t)*slot)->life != who)
		slot = map64_get(&t->tasks, who);
	return slot ? (struct trace_task *)(uintptr_t)*slot : NULL;
}

struct trace_task *trace_task_of_life(struct trace *t, u64 who, u32 pid, const char *comm)
{
	u64 *slot = map64_get(&t->tasks, (u32)who);
	u64 life = slot ? ((struct trace_task *)(uintptr_t)*slot)->life : 0;
	struct trace_task *task = get(t, life && life != who ? who : (u32)who, pid, (u32)who, comm);

	task->life = who;
	return task;
}

void trace_forget_pending(struct trace *t)
{
	vec_for_each(&t->task_list, task)
		(*task)->pending = (*task)->shown = false;
	t->current = NULL;
}

static void free_task(struct trace_task *task)
{
	stats_release(&task->stats);
	free(task->items);
	free(task->cgroup_name);
	free(task);
}

static void forget(struct trace *t, struct trace_task *task)
{
	struct trace_task *last = t->task_list.items[t->task_list.count - 1];

	t->task_list.items[task->place] = last;
	last->place = task->place;
	t->task_list.count--;
	map64_remove(&t->tasks, task->tid);
	if (t->current == task)
		t->current = NULL;
	free_task(task);
}

void trace_task_end(struct trace *t, struct trace_task *task, bool last)
{
	u32 *slot = &t->ended.tids[t->ended.next];
	u64 *old;

	if (last)
		process_forget(t, task->pid);
	free(task->items);
	task->items = NULL;
	task->items_space = 0;
	/* tables are printed at the end, and have a row for each task */
	if (has_tables(t) || task->ended) {
		task->ended = true;
		return;
	}
	task->ended = true;
	old = *slot && *slot != task->tid ? map64_get(&t->tasks, *slot) : NULL;
	if (old && ((struct trace_task *)(uintptr_t)*old)->ended)
		forget(t, (struct trace_task *)(uintptr_t)*old);
	*slot = task->tid;
	t->ended.next = (t->ended.next + 1) % ENDED_KEPT;
}

void trace_tasks_free(struct trace *t)
{
	vec_for_each(&t->task_list, task)
		free_task(*task);
	vec_release(&t->task_list);
	map64_release(&t->tasks);
}
