// SPDX-License-Identifier: GPL-2.0-or-later
/* For builds without libtraceevent: shows events that plans cannot print field by field. */
#include "tracepoint/library.h"

struct library *library_new(const struct tracepoint_formats *f, const struct plan_names *names)
{
	(void)f, (void)names;
	return NULL;
}

void library_free(struct library *l)
{
	(void)l;
}

void library_add_string(struct library *l, const char *quoted, u64 addr)
{
	(void)l, (void)quoted, (void)addr;
}

bool library_add(struct library *l, const struct tracepoint_format *t)
{
	(void)l, (void)t;
	return false;
}

bool library_lists_fields(const struct library *l, const struct tracepoint_format *t)
{
	(void)l, (void)t;
	return false;
}

void library_print(struct library *l, u8 *raw, u32 raw_size, u32 cpu, struct strbuf *out)
{
	(void)l, (void)raw, (void)raw_size, (void)cpu, (void)out;
}
