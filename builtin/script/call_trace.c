// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls reconstructed from a trace of all branches: a stack of return addresses for each thread,
 * used by the field callindent and by --graph-function.
 */
#include <stdlib.h>
#include <string.h>

#include "builtin/script/internal.h"

/*
 * Deeper stacks forget their outer half: a trace with gaps has calls whose returns are not in it.
 */
enum { MOST_CALLS = 1024 };

/* One thread. */
struct call_stack {
	VEC(u64) returns;  /* where calls return to, the innermost one last */
	bool inside;       /* we are in a function of --graph-function, */
	size_t entered_at; /* which was called at this depth */
};

struct call_trace {
	struct map64 stacks; /* task id -> struct call_stack * */
	int column;          /* where what follows the names begins */
	u64 unknown;         /* branches whose instruction could not be read */
	/* about the sample that script_follow_calls() was given last: */
	struct branch branch;
	size_t depth;
};

struct call_trace *call_trace_new(void)
{
	return xcalloc(1, sizeof(struct call_trace));
}

void call_trace_free(struct call_trace *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->stacks.space; i++) {
		struct call_stack *stack = (struct call_stack *)(uintptr_t)t->stacks.slots[i].value;

		if (!t->stacks.slots[i].used)
			continue;
		vec_release(&stack->returns);
		free(stack);
	}
	map64_release(&t->stacks);
	free(t);
}

static struct call_stack *stack_of(struct call_trace *t, const struct task *task)
{
	u64 *slot = map64_put(&t->stacks, task->id, NULL);

	if (!*slot)
		*slot = (u64)(uintptr_t)xcalloc(1, sizeof(struct call_stack));
	return (struct call_stack *)(uintptr_t)*slot;
}

static bool is_call(enum branch_kind kind)
{
	return kind == KIND_CALL || kind == KIND_SYSTEM_CALL || kind == KIND_SOFTWARE_INTERRUPT ||
	       kind == KIND_INTERRUPT;
}

static bool is_return(enum branch_kind kind)
{
	return kind == KIND_RETURN || kind == KIND_SYSTEM_RETURN || kind == KIND_INTERRUPT_RETURN;
}

/*
 * Pushes a return address. A call of the next instruction only asks for its own address and is not
 * pushed.
 */
static void push(struct call_stack *stack, u64 back, u64 to)
{
	const size_t half = MOST_CALLS / 2;

	if (back == to)
		return;
	if (stack->returns.count == MOST_CALLS) {
		memmove(stack->returns.items, stack->returns.items + half, half * sizeof(u64));
		stack->returns.count = half;
		stack->entered_at -= MIN(stack->entered_at, half);
	}
	vec_push(&stack->returns, back);
}

/*
 * Pops the calls that a return leaves. longjmp() leaves several; a return without a known call
 * leaves the stack unchanged.
 */
static void pop(struct call_stack *stack, u64 to)
{
	for (size_t i = stack->returns.count; i-- > 0;)
		if (stack->returns.items[i] == to) {
			stack->returns.count = i;
			return;
		}
}

/* Returns the function that a call enters or a return leaves, or NULL if it is unknown. */
static const char *function_of(struct script *s, const struct session_sample *ss,
			       enum branch_kind kind, u64 *addr)
{
	struct location l;

	*addr = 0;
	if (is_call(kind) || kind == KIND_BEGIN) {
		*addr = ss->sample->addr;
		script_locate(s, ss, *addr, &l);
		return script_symbol_name(s, &l);
	}
	if (!is_return(kind) && kind != KIND_END)
		return NULL;
	*addr = ss->sample->ip;
	return script_symbol_name(s, &ss->leaf);
}

/*
 * Reports whether a branch is in the requested graph. depth is that of the function that is called,
 * left or running.
 */
static bool is_in_graph(struct script *s, struct call_stack *stack, const struct session_sample *ss,
			enum branch_kind kind, size_t depth)
{
	const struct strlist *wanted = &s->o->graph_functions;
	const char *name;
	u64 addr;

	if (stack->inside) {
		bool is_own =
			is_call(kind) ? depth > stack->entered_at : depth >= stack->entered_at;

		if (!is_own || (is_return(kind) && depth == stack->entered_at))
			stack->inside = false;
		if (is_own)
			return true;
	}
	name = is_call(kind) || kind == KIND_BEGIN ? function_of(s, ss, kind, &addr) : NULL;
	if (!name || !strlist_has(wanted, name))
		return false;
	stack->inside = true;
	stack->entered_at = depth;
	return true;
}

static bool is_kind_shown(const struct script *s, enum branch_kind kind)
{
	switch (s->o->calls) {
	case SCRIPT_CALLS:
		return is_call(kind) || kind == KIND_END;
	case SCRIPT_CALLS_AND_RETURNS:
		return is_call(kind) || is_return(kind) || kind == KIND_END || kind == KIND_BEGIN;
	default:
		return true;
	}
}

bool script_follow_calls(struct script *s, const struct session_sample *ss)
{
	struct call_trace *t = s->calls;
	struct call_stack *stack = stack_of(t, ss->task);
	bool is_branch = script_is_branch_trace(ss->sample->event);

	t->branch = is_branch ? script_branch(s, ss) : (struct branch){ 0 };
	t->unknown += is_branch && !t->branch.kind;
	if (is_call(t->branch.kind))
		push(stack, ss->sample->ip + t->branch.length, ss->sample->addr);
	else if (is_return(t->branch.kind))
		pop(stack, ss->sample->addr);
	/* the call that a return ends has been popped already */
	t->depth = stack->returns.count + is_return(t->branch.kind);
	if (s->o->graph_functions.list.count &&
	    !is_in_graph(s, stack, ss, t->branch.kind, t->depth))
		return false;
	return !is_branch || is_kind_shown(s, t->branch.kind);
}

enum branch_kind script_call_kind(const struct script *s)
{
	return s->calls->branch.kind;
}

size_t script_call_depth(const struct script *s)
{
	return s->calls->depth;
}

const char *script_call_function(struct script *s, const struct session_sample *ss)
{
	u64 addr;

	return function_of(s, ss, s->calls->branch.kind, &addr);
}

/* Pads to the column, which seldom moves, so lines stay aligned. */
static void pad_to_column(struct call_trace *t, int length, struct strbuf *b)
{
	enum { GAP = 4, STEP = 32, SLACK = 52 };

	if (length > t->column || (length && length < t->column - SLACK))
		t->column = (length + GAP + STEP - 1) / STEP * STEP;
	strbuf_pad(b, ' ', t->column - length);
}

void script_add_call(struct script *s, const struct event_view *v, const struct session_sample *ss,
		     struct strbuf *b)
{
	struct call_trace *t = s->calls;
	const char *name;
	size_t start;
	u64 addr;

	if (shows(v, SHOW_DSO) && !shows(v, SHOW_IP) && !shows(v, SHOW_ADDR)) {
		strbuf_char(b, '(');
		script_add_dso(s, ss->leaf.image, b);
		strbuf_add(b, ")\t", 2);
	}
	name = function_of(s, ss, t->branch.kind, &addr);
	start = b->len;
	if (name || addr)
		strbuf_pad(b, ' ', 4 * (int)t->depth);
	if (name)
		strbuf_printable(b, name);
	else if (addr)
		strbuf_hex_pad(b, addr, 16);
	pad_to_column(t, (int)(b->len - start), b);
}

void script_add_branch_kind(struct script *s, struct strbuf *b)
{
	enum { WIDTH = 21 };
	const char *name = s->calls ? branch_kind_name(script_call_kind(s)) : "";

	strbuf_add(b, "  ", 2);
	strbuf_str(b, name);
	strbuf_pad(b, ' ', WIDTH + 1 - (int)strlen(name));
}

void script_warn_of_calls(struct script *s)
{
	if (!s->calls || !s->calls->unknown)
		return;
	condition_add(&session_context(s->session)->conditions, CONDITION_WARNING,
		      "script-branches", NULL, NULL, s->calls->unknown,
		      "--symfs DIR or perf archive: the files have to be those that ran",
		      "the instructions of %" PRIu64
		      " branches cannot be read: calls and returns among them are not known",
		      s->calls->unknown);
}
