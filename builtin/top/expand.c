// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Turns a sample into what is counted: the sample itself, with a call chain that may come from
 * elsewhere (branches put before it, or the CPU's call-stack registers), or each branch that was
 * recorded with it.
 */
#include <stdlib.h>

#include "builtin/top/internal.h"
#include "profile/calls.h"
#include "profile/expand.h"

struct top_expansion {
	struct branch_path path;
	struct call_registers *registers; /* NULL: chains do not lie there */
};

void top_expand_begin(struct top *t)
{
	struct top_expansion *e = xcalloc(1, sizeof(*e));

	t->expansion = e;
	if (t->o.set.chains && top_source_has_call_registers(t->source))
		e->registers = call_registers_new(session_events(t->session), t->o.stitch, true);
}

static void add(struct top *t, struct hist_sample *h)
{
	if (t->o.set.latency)
		h->parallelism = top_parallelism(t, h->task);
	hist_collector_add(t->collector, h);
}

/* Each branch counts as a sample of one row, and in the code at both of its ends. */
static void add_branches(struct top *t, const struct session_sample *s)
{
	struct branch_rows b;

	for (branch_rows_begin(&b, s); branch_rows_next(&b, t->session);) {
		add(t, &b.row);
		top_code_count_branch(t, s, &b.branch);
	}
	top_code_count_cycles(t, s);
}

void top_add(struct top *t, const struct session_sample *s)
{
	struct hist_sample h = {
		.sample = s->sample,
		.key = &s->key,
		.task = s->task,
		.comm = s->comm,
		.leaf = s->leaf,
		.stack_end = s->stack_end,
	};
	struct sample copy;

	if (t->o.set.expansion == HIST_BRANCHES) {
		add_branches(t, s);
		return;
	}
	if (t->o.with_branches || t->expansion->registers) {
		copy = *s->sample;
		h.sample = &copy;
		if (t->expansion->registers)
			call_registers_take(t->expansion->registers, s->task, &copy);
		else
			branch_path_take(&t->expansion->path, session_events(t->session), &copy);
	}
	add(t, &h);
	top_code_count(t, s);
	if (top_source_has_branches(t->source))
		top_code_count_cycles(t, s);
}

void top_expand_forget(struct top *t)
{
	if (t->expansion->registers)
		call_registers_forget(t->expansion->registers);
}

void top_expand_release(struct top *t)
{
	if (!t->expansion)
		return;
	branch_path_release(&t->expansion->path);
	call_registers_free(t->expansion->registers);
	free(t->expansion);
	t->expansion = NULL;
}
