// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decodes the tracepoints of system calls that -e names as events (syscalls:*, raw_syscalls:*).
 * Pointers stay pointers, and descriptors have no names: nothing follows the calls that change
 * them.
 */
#include <string.h>

#include "base/text.h"
#include "builtin/trace/internal.h"

static const struct syscall_says says_nothing;

static bool get(const struct trace *t, const struct tracepoint_format *f, const char *name,
		const struct sample *s, u64 *value)
{
	const struct tracepoint_field *field = tracepoint_field(f, name);

	return field && tracepoint_get_int(t->formats, field, s->raw, s->raw_size, value);
}

bool call_event_hides(const struct tracepoint_format *f, const char *field)
{
	return !strcmp(f->system, "syscalls") && !strcmp(field, "__syscall_nr");
}

static void print_result(const struct trace *t, const struct syscall_call *c, struct strbuf *out)
{
	strbuf_str(out, "ret: ");
	syscall_print_result(c, &t->style, &says_nothing, out);
}

/* Takes the arguments of syscalls:sys_enter_NAME, which are fields in their order. */
static bool take_fields(const struct trace *t, const struct tracepoint_format *f,
			const struct sample *s, struct syscall_call *c)
{
	u32 n = 0;

	for (u32 i = 0; i < f->field_count && n < c->call->arg_count; i++) {
		const struct tracepoint_field *field = &f->fields[i];

		if (field->flags & FIELD_COMMON || call_event_hides(f, field->name))
			continue;
		if (!tracepoint_get_int(t->formats, field, s->raw, s->raw_size, &c->args[n++]))
			return false;
	}
	return n == c->call->arg_count;
}

static bool print_call(struct trace *t, const struct tracepoint_format *f, const struct sample *s,
		       struct strbuf *out)
{
	struct syscall_call c = { .book = t->native };
	u64 nr, result;

	if (!get(t, f, "__syscall_nr", s, &nr))
		return false;
	c.call = syscall_find(t->native, (u32)nr);
	if (!c.call || !c.call->known)
		return false;
	if (str_starts(f->name, "sys_exit_") && get(t, f, "ret", s, &result)) {
		c.ended = true;
		c.result = (s64)result;
		print_result(t, &c, out);
		return true;
	}
	if (!str_starts(f->name, "sys_enter_") || !take_fields(t, f, s, &c))
		return false;
	syscall_print_args(&c, &t->style, &says_nothing, out);
	return true;
}

/* Adds "id: 257 (openat), dfd: CWD, filename: 0x7f12, flags: RDONLY". */
static bool print_raw_call(struct trace *t, const struct tracepoint_format *f,
			   const struct session_sample *s, struct strbuf *out)
{
	const struct tracepoint_field *args = tracepoint_field(f, "args");
	struct syscall_call c = { 0 };
	u64 id, nr, result = 0;
	size_t begin;
	u8 flags = 0;

	if (!get(t, f, "id", s->sample, &id))
		return false;
	nr = id;
	/* its answer, whether the call is wanted, is about lines of calls */
	(void)trace_abi(t, s, &nr, &flags);
	c.book = flags & TRACE_COMPAT ? t->compat : t->native;
	c.call = syscall_find(c.book, (u32)nr);
	if (!c.call || !c.call->known)
		return false;
	c.ended = !args;
	if (args && !raw_read_args(t, args, s->sample, c.args))
		return false;
	if (!args && !get(t, f, "ret", s->sample, &result))
		return false;
	strbuf_f(out, "id: %" PRId64 " (%s), ", (s64)id, c.call->name);
	begin = out->len;
	c.result = (s64)result;
	if (args)
		syscall_print_args(&c, &t->style, &says_nothing, out);
	else
		print_result(t, &c, out);
	if (out->len == begin) /* all arguments are 0, or it has none */
		strbuf_truncate(out, begin - strlen(", "));
	return true;
}

bool call_event_print(struct trace *t, const struct tracepoint_format *f,
		      const struct session_sample *s, struct strbuf *out)
{
	if (!strcmp(f->system, "syscalls"))
		return print_call(t, f, s->sample, out);
	return !strcmp(f->system, "raw_syscalls") && print_raw_call(t, f, s, out);
}
