// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls: entries wait for their exits, and are shown as still running when another task's
 * event comes between.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "builtin/trace/internal.h"

static struct syscall_book *book_of(const struct trace *t, const struct trace_call *c)
{
	return c->flags & TRACE_COMPAT && t->compat ? t->compat : t->native;
}

/*
 * Adds the copied bytes of each argument. The first item that exceeds what was copied ends the
 * list.
 */
static void add_items(struct syscall_call *s, const u8 *items, u32 size)
{
	u32 at = 0;

	while (items && at + sizeof(struct trace_item) <= size) {
		struct trace_item item;
		struct syscall_item *to;

		memcpy(&item, items + at, sizeof(item));
		at += sizeof(item);
		if (item.arg >= SYSCALL_ARGS || item.size > size - at)
			return;
		to = item.flags & TRACE_ITEM_OUT ? &s->out[item.arg] : &s->in[item.arg];
		to->err = (u8)MIN(item.err, 255);
		if (!item.err) {
			to->data = items + at;
			to->size = item.size;
			to->cut = item.flags & TRACE_ITEM_CUT;
			to->late = item.flags & TRACE_ITEM_LATE;
		}
		at += ALIGN_UP(item.size, 8U);
	}
}

/*
 * Describes a call. Valid until another call is described, since the name of a call that is in no
 * table is in the book.
 */
static void describe(const struct trace *t, const struct trace_call *c, struct syscall_call *s)
{
	struct syscall_book *book = book_of(t, c);

	memset(s, 0, sizeof(*s));
	s->book = book;
	s->call = syscall_find_any(book, c->nr);
	memcpy(s->args, c->args, sizeof(s->args));
	s->ended = c->flags & TRACE_HAS_EXIT;
	s->result = c->result;
}

void trace_interrupt(struct trace *t)
{
	struct trace_task *task = t->current;
	struct syscall_call s;

	if (!task || !task->pending || task->quiet || task->shown || t->o.summary ||
	    t->o.failures || t->o.least_duration || t->o.min_stack || t->o.json || t->o.separator ||
	    t->switched_off)
		return;
	describe(t, &task->call, &s);
	add_items(&s, task->items, task->call.size);
	if (!process_matches(t, &task->call, &s))
		return;
	line_call(t, &task->call, &s, task, false, true);
	task->shown = true;
}

static void keep_entry(struct trace_task *task, const struct trace_call *c, const u8 *items)
{
	if (task->items_space < c->size) {
		free(task->items);
		task->items_space = c->size + 256;
		task->items = xmalloc(task->items_space);
	}
	task->call = *c;
	if (c->size)
		memcpy(task->items, items, c->size);
	task->pending = true;
	task->shown = task->quiet = false;
}

static bool is_end(const struct syscall_call *s)
{
	return s->call->result == RESULT_NONE;
}

static bool prints(const struct trace *t)
{
	return !t->o.summary && !t->switched_off && !t->done;
}

static bool is_kept(struct trace *t, const struct trace_call *c, const struct syscall_call *s,
		    bool whole)
{
	if (t->o.failures && !syscall_failed(c->result))
		return false;
	if (t->o.least_duration && !(whole && c->exit_time - c->entry_time >= t->o.least_duration))
		return false;
	return process_matches(t, c, s);
}

static void show(struct trace *t, struct trace_task *task, const struct trace_call *c,
		 struct syscall_call *s, bool continued)
{
	if (!prints(t))
		return;
	if (t->o.json)
		line_json(t, c, s, task);
	else if (t->o.separator)
		line_separated(t, c, s, task);
	else
		line_call(t, c, s, task, continued, false);
}

static void on_entry(struct trace *t, struct trace_task *task, const struct trace_call *c,
		     const u8 *items)
{
	struct syscall_call s;

	if (t->current != task)
		trace_interrupt(t);
	describe(t, c, &s);
	if (!is_end(&s)) {
		keep_entry(task, c, items);
		t->current = task;
		return;
	}
	add_items(&s, items, c->size);
	if (!t->o.failures && !t->o.least_duration && !t->o.min_stack && process_matches(t, c, &s))
		show(t, task, c, &s, false);
	if (!strcmp(s.call->name, "exit_group"))
		process_end(t, c->pid);
}

/* Finishes a call. whole means that its entry was seen, now or before. */
static void finish(struct trace *t, struct trace_task *task, const struct trace_call *c,
		   struct syscall_call *s, bool whole, bool continued)
{
	u64 index = stats_index(c->nr, c->flags & TRACE_COMPAT);
	struct trace_task *counted =
		t->o.summary_mode == SUMMARY_CGROUP ? trace_cgroup_get(t, c->cgroup) : task;

	if (is_kept(t, c, s, whole)) {
		if ((t->o.summary || t->o.with_summary) && !t->switched_off)
			stats_add(&counted->stats, index, whole, c->exit_time - c->entry_time,
				  c->result);
		show(t, task, c, s, continued);
	}
	if (whole)
		process_note(t, c, s);
	else
		process_note_unseen(t, c, s);
}

/*
 * Returns the task that has the call's entry, if that came by itself: this one, or the one it was
 * before an exec.
 */
static struct trace_task *who_began(struct trace *t, struct trace_task *task,
				    const struct trace_call *c)
{
	u64 *slot = map64_get(&t->tasks, c->entry_tid);

	return slot ? (struct trace_task *)(uintptr_t)*slot : task;
}

/*
 * Follows a call that -e leaves out. Only what it changes counts, and the lines of others stay
 * whole.
 */
static void follow(struct trace *t, struct trace_task *task, const struct trace_call *c,
		   const u8 *items)
{
	struct trace_task *began = who_began(t, task, c);
	struct syscall_call s;

	if (!(c->flags & TRACE_HAS_EXIT)) {
		keep_entry(task, c, items);
		task->quiet = true;
		return;
	}
	describe(t, c, &s);
	if (!(c->flags & TRACE_HAS_ENTRY) && began->pending && began->call.nr == c->nr &&
	    began->call.entry_time == c->entry_time) {
		memcpy(s.args, began->call.args, sizeof(s.args));
		add_items(&s, began->items, began->call.size);
	} else if (!(c->flags & TRACE_HAS_ENTRY)) {
		process_note_unseen(t, c, &s);
		return;
	}
	add_items(&s, items, c->size);
	process_note(t, c, &s);
	began->pending = began->quiet = false;
}

static void on_exit_of(struct trace *t, struct trace_task *task, const struct trace_call *c,
		       const u8 *items)
{
	bool whole = c->flags & TRACE_HAS_ENTRY, continued = false;
	struct trace_call both = *c;
	struct syscall_call s;

	if (t->current != task)
		trace_interrupt(t);
	describe(t, c, &s);
	if (!whole) {
		struct trace_task *began = who_began(t, task, c);

		continued = true;
		if (began->pending && began->call.nr == c->nr &&
		    began->call.entry_time == c->entry_time) {
			whole = true;
			continued = began->shown;
			memcpy(both.args, began->call.args, sizeof(both.args));
			memcpy(s.args, began->call.args, sizeof(s.args));
			add_items(&s, began->items, began->call.size);
		} else {
			both.entry_time = 0;
		}
		began->pending = began->shown = false;
	}
	add_items(&s, items, c->size);
	finish(t, task, &both, &s, whole, continued);
	task->pending = task->shown = false;
	t->current = task;
}

static void on_task_end(struct trace *t, struct trace_task *task, const struct trace_call *c)
{
	if (task->pending && !task->quiet && !task->shown) {
		if (t->current != task)
			trace_interrupt(t);
		t->current = task;
		trace_interrupt(t);
	}
	task->pending = task->shown = false;
	if (t->o.signals && prints(t)) {
		trace_interrupt(t);
		line_task_end(t, task, c->exit_time, c->cpu, (u32)c->result);
	}
	trace_task_end(t, task, c->flags & TRACE_LAST);
}

void trace_say_loss(struct trace *t, u32 cpu, u64 lost)
{
	u64 *known = &t->lost_by_cpu[MIN(cpu, 255U)];

	if (lost <= *known)
		return;
	trace_forget_pending(t);
	t->lost += lost - *known;
	if (prints(t) && !t->o.json && !t->o.separator)
		out_f(&t->out, "LOST %" PRIu64 " events on CPU %u!\n", lost - *known, cpu);
	*known = lost;
}

void trace_take_call(struct trace *t, const struct trace_call *c, const u8 *items)
{
	struct trace_task *task, *counted;
	u64 time = c->entry_time ? c->entry_time : c->exit_time;

	/* the programs in the kernel have one plan for all large numbers */
	if (t->done || (c->nr >= TRACE_NUMBERS && !(c->flags & TRACE_ENDED) &&
			!trace_wants(t, c->nr, c->flags & TRACE_COMPAT)))
		return;
	/* the first that is seen of a task may be the exit of the call that made it */
	if (!(c->flags & TRACE_ENDED))
		trace_task_begins(t, c->tid);
	task = trace_task_get(t, c->pid, c->tid, c->comm[0] ? c->comm : NULL);
	trace_say_loss(t, c->cpu, c->lost);
	if (t->follows && !(c->flags & TRACE_ENDED) &&
	    !trace_wants(t, c->nr, c->flags & TRACE_COMPAT)) {
		follow(t, task, c, items);
		return;
	}
	if (!t->base_time && !t->o.full_time)
		t->base_time = time;
	/* an entry and an exit are an event each */
	t->events += (c->flags & TRACE_HAS_ENTRY ? 1 : 0) + (c->flags & TRACE_HAS_EXIT ? 1 : 0);
	counted = t->o.summary_mode == SUMMARY_CGROUP ? trace_cgroup_get(t, c->cgroup) : task;
	counted->events +=
		(c->flags & TRACE_HAS_ENTRY ? 1 : 0) + (c->flags & TRACE_HAS_EXIT ? 1 : 0);
	if (c->flags & TRACE_ENDED)
		on_task_end(t, task, c);
	else if (c->flags & TRACE_HAS_EXIT)
		on_exit_of(t, task, c, items);
	else
		on_entry(t, task, c, items);
}
