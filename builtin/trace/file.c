// SPDX-License-Identifier: GPL-2.0-or-later
/* -i: calls of a recording, and its other events. */
#include <errno.h>
#include <string.h>

#include "builtin/trace/internal.h"

/* Chooses the books of the machine that was recorded. */
static void choose_books(struct trace *t)
{
	const struct arch *arch = data_arch(session_data(t->session));

	if (!arch || arch == syscall_book_arch(t->native))
		return;
	syscall_book_free(t->native);
	syscall_book_free(t->compat);
	t->native = syscall_book_new(arch);
	t->compat = arch->compat ? syscall_book_new(arch->compat) : NULL;
	trace_select_again(t);
}

int trace_file(struct trace *t, struct reason *r)
{
	int err;

	t->a.open.input = t->o.input;
	t->a.open.force = t->o.force;
	t->many = true;
	err = session_open(t->ctx, &t->a.open, &t->session, r);
	if (err)
		return err;
	choose_books(t);
	err = trace_bind(t, r);
	if (!err)
		err = trace_check_switches(t, session_events(t->session), r);
	if (!err)
		trace_note_pointers(
			t,
			"a recording has the numbers that calls were given, not what is at their "
			"addresses");
	if (!err)
		err = trace_start_output(t, r);
	if (!err)
		err = session_run(t->session, &trace_ops, t, r);
	if (err == -ECANCELED && t->done)
		err = 0;
	return err;
}
