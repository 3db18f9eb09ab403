// SPDX-License-Identifier: GPL-2.0-or-later
/* --signals: lines of signals that are delivered. */
#include "builtin/trace/internal.h"

enum { SIG_SEGV = 11, SIG_CHLD = 17 };

/*
 * Returns the name of what sent the signal, or NULL. What a code above 0 means depends on the
 * signal.
 */
static const char *code_name(u32 sig, s32 code)
{
	static const char *const senders[] = { "USER",    "QUEUE", "TIMER", "MESGQ",
					       "ASYNCIO", "SIGIO", "TKILL" };
	static const char *const children[] = { "EXITED",  "KILLED",  "DUMPED",
						"TRAPPED", "STOPPED", "CONTINUED" };
	static const char *const accesses[] = { "MAPERR", "ACCERR", "BNDERR", "PKUERR" };
	enum { FROM_KERNEL = 0x80 };

	if (code == FROM_KERNEL)
		return "KERNEL";
	if (code <= 0 && code > -(s32)ARRAY_SIZE(senders))
		return senders[-code];
	if (sig == SIG_CHLD && code > 0 && code <= (s32)ARRAY_SIZE(children))
		return children[code - 1];
	if (sig == SIG_SEGV && code > 0 && code <= (s32)ARRAY_SIZE(accesses))
		return accesses[code - 1];
	return NULL;
}

/* Prints "--- SIGCHLD { .si_code: EXITED } ---". */
void event_signal(struct trace *t, const struct bound_event *b, const struct session_sample *s)
{
	const struct sample *sample = s->sample;
	struct trace_task *task =
		trace_task_get(t, sample->id.pid, sample->id.tid, sample_comm(t, s));
	struct trace_line l = {
		.time = s->key.time, .task = task, .no_duration = true, .cpu = sample->id.cpu
	};
	const char *name;
	struct strbuf *out;
	u64 sig, code;

	if (!tracepoint_get_int(t->formats, b->number, sample->raw, sample->raw_size, &sig) ||
	    !tracepoint_get_int(t->formats, b->value, sample->raw, sample->raw_size, &code))
		return;
	t->events++;
	if (t->switched_off)
		return;
	trace_interrupt(t);
	line_begin(t, &l);
	out = out_buf(&t->out);
	strbuf_str(out, "--- ");
	syscall_print_signal((u32)sig, out);
	name = code_name((u32)sig, (s32)code);
	if (name)
		strbuf_f(out, " { .si_code: %s } ---", name);
	else
		strbuf_f(out, " { .si_code: %d } ---", (s32)code);
	line_end(t);
}
