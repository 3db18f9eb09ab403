// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the calls of a live trace come from: the BPF programs, or the tracepoints of all calls. */
#include <errno.h>
#include <stdlib.h>

#include "builtin/trace/internal.h"
#include "cli/say.h"
#include "sys/tracefs.h"

/*
 * Returns an option that needs tracepoints (stacks at the exit of a call, samples as they are), or
 * NULL.
 */
static const char *wants_tracepoints(const struct trace *t)
{
	if (t->o.min_stack)
		return "--min-stack";
	if (t->settings.call_graph != CALL_GRAPH_NONE)
		return t->o.max_stack ? "--max-stack" : "--call-graph";
	if (t->o.print_sample)
		return "--print-sample";
	return t->o.on ? "--switch-on" : t->o.off ? "--switch-off" : NULL;
}

void trace_note_pointers(const struct trace *t, const char *why)
{
	if (!t->o.summary && !t->o.json && !t->o.separator)
		say_note("strings and structs are shown as pointers: %s", why);
}

/*
 * Falls back to tracepoints. An error here, before anything else is tried, names what is missing
 * for both BPF and tracepoints.
 */
static int use_tracepoints(const struct trace *t, const struct reason *bpf, struct reason *r)
{
	struct reason why = REASON_INIT;
	char *dir = tracefs_find(NULL, &why);
	int err = dir ? 0 : -why.err;

	if (err && bpf) {
		reason_set(r, EACCES, "system calls cannot be traced: %s; and there are %s",
			   bpf->text, why.text);
		reason_hint(r, "%s", bpf->hint ? bpf->hint : why.hint);
		err = -EACCES;
	} else if (err == -EACCES) {
		const char *option = wants_tracepoints(t);

		reason_set(r, EACCES, "%s takes system calls from tracepoints, and there are %s",
			   option ? option : "--no-bpf", why.text);
		reason_hint(r, "%s", why.hint);
	} else if (err) {
		reason_move(r, &why);
	}
	free(dir);
	reason_release(&why);
	return err;
}

static int without_bpf(const struct trace *t, struct reason *r)
{
	const char *option = wants_tracepoints(t);
	int err = use_tracepoints(t, NULL, r);
	char *text;

	if (t->o.summary_mode == SUMMARY_CGROUP || t->o.bpf_summary)
		return reason_usage(
			r, "%s: calls come from tracepoints, and only BPF counts inside the kernel",
			t->o.bpf && option ? option : "--no-bpf");
	if (err)
		return err;
	text = xasprintf("with %s calls come from tracepoints",
			 t->o.bpf && option ? option : "--no-bpf");
	trace_note_pointers(t, text);
	free(text);
	return 0;
}

int trace_list_user(struct trace *t, struct reason *r)
{
	int err = target_list_user(&t->target, t->o.user,
				   "only system calls that BPF reports are filtered by user", NULL,
				   r);

	if (err)
		return err;
	t->target.system_wide = false;
	if (t->has_command && t->uid == getuid())
		target_add_command(&t->target, t->workload.pid);
	condition_add(
		&t->ctx->conditions, CONDITION_WARNING, "trace-user-list", NULL, NULL, 1, NULL,
		"-u traces %s of the processes that '%s' has now, and of none that start later",
		t->bpf ? "the events and page faults" : "what is recorded", t->o.user);
	return 0;
}

/* Returns what needs BPF, for the error if it cannot be used: an option, or else the purpose. */
static const char *what_needs_bpf(const struct trace_options *o)
{
	if (o->summary_mode == SUMMARY_CGROUP)
		return "--summary-mode=cgroup";
	if (o->bpf_summary || o->force_btf)
		return o->bpf_summary ? "--bpf-summary" : "--force-btf";
	return o->summary ? "counting inside the kernel" : "copying strings";
}

int trace_choose_source(struct trace *t, struct reason *r)
{
	struct reason why = REASON_INIT;
	int err;

	if (!t->o.syscalls)
		return 0;
	if (!t->o.summary)
		trace_describe_calls(t);
	if (!t->o.bpf || (wants_tracepoints(t) && !t->o.force_btf))
		return without_bpf(t, r);
	err = bpf_usable(what_needs_bpf(&t->o), &why);
	if (!err)
		err = bpf_sees_tasks(what_needs_bpf(&t->o), &why);
	if (!err)
		err = trace_bpf_open(t, &why);
	if (!err) {
		t->strings = true;
		return 0;
	}
	trace_bpf_close(t);
	if (t->o.force_btf || t->o.bpf_summary || t->o.summary_mode == SUMMARY_CGROUP ||
	    err == -EINVAL) {
		reason_move(r, &why);
		return err;
	}
	err = use_tracepoints(t, &why, r);
	if (!err)
		trace_note_pointers(t, why.text);
	reason_release(&why);
	return err;
}
