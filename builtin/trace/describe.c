// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls that our table lacks: the kernel's own list of their arguments, in tracefs. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "builtin/trace/internal.h"
#include "sys/tracefs.h"

static void describe_as(struct syscall_book *b, u32 nr, const struct tracepoint_format *f)
{
	const char *names[SYSCALL_ARGS], *types[SYSCALL_ARGS];
	size_t count = 0;

	for (u32 i = 0; i < f->field_count && count < SYSCALL_ARGS; i++) {
		const struct tracepoint_field *field = &f->fields[i];

		/*
		 * "__syscall_nr", and the strings that later kernels append to the arguments
		 * ("__name_val")
		 */
		if (field->flags & FIELD_COMMON || !strncmp(field->name, "__", 2))
			continue;
		names[count] = field->name;
		types[count++] = field->type;
	}
	syscall_describe(b, nr, names, types, count);
}

static void describe_one(struct syscall_book *b, const struct syscall *c, const char *dir)
{
	char *event = xasprintf("sys_enter_%s", c->name),
	     *path = xasprintf("%s/events/syscalls/%s/format", dir, event);
	struct tracepoint_formats *formats =
		tracepoint_formats_new(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, sizeof(long));
	struct reason ignored = REASON_INIT;
	struct strbuf text = STRBUF_INIT;

	if (!sys_read(NULL, &text, path) &&
	    !tracepoint_formats_add(formats, "syscalls", text.s, text.len, &ignored)) {
		const struct tracepoint_format *f = tracepoint_by_name(formats, "syscalls", event);

		if (f)
			describe_as(b, c->nr, f);
	}
	reason_release(&ignored);
	strbuf_release(&text);
	tracepoint_formats_free(formats);
	free(path);
	free(event);
}

/*
 * Describes the calls that are missing from the table, which are few. If tracefs cannot be read,
 * their arguments stay arg0 to arg5.
 */
void trace_describe_calls(struct trace *t)
{
	struct reason ignored = REASON_INIT;
	char *dir = tracefs_find(NULL, &ignored);

	for (u32 nr = 0; dir && nr <= syscall_most(t->native); nr++) {
		const struct syscall *c = syscall_find(t->native, nr);

		if (c && !c->known && trace_wants(t, nr, false))
			describe_one(t->native, c, dir);
	}
	reason_release(&ignored);
	free(dir);
}
