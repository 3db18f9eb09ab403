// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples of raw_syscalls:sys_enter and sys_exit as calls, without what their arguments point to.
 */
#include "base/text.h"
#include "builtin/trace/internal.h"

const char *sample_comm(struct trace *t, const struct session_sample *s)
{
	return history_comm_text(session_history(t->session), s->comm);
}

static void set_head(const struct session_sample *s, struct trace_call *c)
{
	c->pid = s->sample->id.pid;
	c->tid = c->entry_tid = s->sample->id.tid;
	c->cpu = (u16)MIN(s->sample->id.cpu, 65535U);
	c->lost = 0;
}

/* Reads the arguments. In a recording they have the word size of the recording machine. */
bool raw_read_args(const struct trace *t, const struct tracepoint_field *all,
		   const struct sample *s, u64 args[TRACE_ARGS])
{
	u32 word = all->element_size ? all->element_size : 8;

	for (u32 i = 0; i < TRACE_ARGS; i++) {
		struct tracepoint_field f = *all;

		f.offset += i * word;
		f.size = word;
		f.flags &= ~(u32)FIELD_ARRAY;
		if ((i + 1) * word > all->size)
			args[i] = 0;
		else if (!tracepoint_get_int(t->formats, &f, s->raw, s->raw_size, &args[i]))
			return false;
	}
	return true;
}

static void print_sample(struct trace *t, const struct session_sample *s)
{
	if (!t->o.print_sample)
		return;
	out_f(&t->out, "%22s %10.3f %s %d/%d [%d]\n", s->sample->event->name,
	      (double)s->sample->id.time / 1e6, sample_comm(t, s), (s32)s->sample->id.pid,
	      (s32)s->sample->id.tid, (s32)s->sample->id.cpu);
}

void raw_enter(struct trace *t, const struct bound_event *b, const struct session_sample *s)
{
	struct trace_call c = { .flags = TRACE_HAS_ENTRY, .entry_time = s->key.time };
	u64 nr;

	set_head(s, &c);
	if (!tracepoint_get_int(t->formats, b->number, s->sample->raw, s->sample->raw_size, &nr) ||
	    !trace_abi(t, s, &nr, &c.flags) || !raw_read_args(t, b->value, s->sample, c.args))
		return;
	c.nr = (u32)nr;
	trace_task_begins(t, c.tid);
	trace_task_get(t, c.pid, c.tid, sample_comm(t, s));
	print_sample(t, s);
	trace_take_call(t, &c, NULL);
}

/*
 * Finds the call of an exit. sigreturn restores the registers, so the kernel reports -1 as the
 * number at its exit: it is the call whose entry was seen.
 */
static bool name_exit(struct trace *t, const struct session_sample *s, u64 *nr, u8 *flags)
{
	u64 *slot = map64_get(&t->tasks, s->sample->id.tid);
	const struct trace_task *task = slot ? (const struct trace_task *)(uintptr_t)*slot : NULL;

	if ((s32)*nr != -1)
		return trace_abi(t, s, nr, flags);
	if (!task || !task->pending)
		return false;
	*nr = task->call.nr;
	*flags |= task->call.flags & (TRACE_COMPAT | TRACE_X32);
	return true;
}

static bool is_begun(const struct trace_task *task, const struct trace_call *c)
{
	return task->pending && task->call.nr == c->nr &&
	       !((task->call.flags ^ c->flags) & TRACE_COMPAT);
}

/*
 * Returns the task that began the call, or NULL. If a thread other than the leader calls execve,
 * the exit is reported with the leader's thread id.
 */
static const struct trace_task *who_began(struct trace *t, const struct trace_task *task,
					  const struct trace_call *c)
{
	const struct syscall_book *b = c->flags & TRACE_COMPAT && t->compat ? t->compat : t->native;
	const struct syscall *call = syscall_find(b, c->nr);

	if (is_begun(task, c))
		return task;
	if (call && !c->result && str_starts(call->name, "execve"))
		vec_for_each(&t->task_list, other)
			if ((*other)->pid == c->pid && is_begun(*other, c))
				return *other;
	return NULL;
}

void raw_exit(struct trace *t, const struct bound_event *b, const struct session_sample *s)
{
	struct trace_call c = { .flags = TRACE_HAS_EXIT | TRACE_ENTRY_SENT,
				.exit_time = s->key.time };
	const struct trace_task *began;
	struct trace_task *task;
	u64 nr, result, printed = t->printed;

	set_head(s, &c);
	if (!tracepoint_get_int(t->formats, b->number, s->sample->raw, s->sample->raw_size, &nr) ||
	    !name_exit(t, s, &nr, &c.flags) ||
	    !tracepoint_get_int(t->formats, b->value, s->sample->raw, s->sample->raw_size, &result))
		return;
	c.nr = (u32)nr;
	c.result = (s64)result;
	trace_task_begins(t, c.tid);
	task = trace_task_get(t, c.pid, c.tid, sample_comm(t, s));
	began = who_began(t, task, &c);
	c.entry_time = began ? began->call.entry_time : 0;
	c.entry_tid = began ? began->tid : c.tid;
	print_sample(t, s);
	if (t->o.min_stack && chain_print(t, s, false) < t->o.min_stack) {
		task->pending = false;
		return;
	}
	trace_chain_keep(t, s);
	trace_take_call(t, &c, NULL);
	strbuf_clear(&t->chain);
	if (t->printed != printed)
		chain_print(t, s, true);
}
