// SPDX-License-Identifier: GPL-2.0-or-later
/* Built without libtraceevent: the text of a tracepoint is its fields. */
#include <stdlib.h>

#include "tracepoint/internal.h"

struct tracepoint_printer {
	const struct tracepoint_formats *formats;
};

struct tracepoint_printer *tracepoint_printer_new(const struct tracepoint_formats *f)
{
	struct tracepoint_printer *p = xcalloc(1, sizeof(*p));

	p->formats = f;
	return p;
}

void tracepoint_printer_resolve(struct tracepoint_printer *p, tracepoint_resolver fn, void *arg)
{
	(void)p, (void)fn, (void)arg; /* fields show addresses as they are */
}

void tracepoint_printer_free(struct tracepoint_printer *p)
{
	free(p);
}

void tracepoint_print(struct tracepoint_printer *p, const struct tracepoint_format *t,
		      const void *raw, u32 raw_size, u32 cpu, struct strbuf *out)
{
	(void)cpu;
	tracepoint_print_fields(p, t, raw, raw_size, out);
}

bool tracepoint_printer_is_compiled(struct tracepoint_printer *p, const struct tracepoint_format *t)
{
	(void)p, (void)t;
	return false;
}

const struct tracepoint_formats *tracepoint_printer_formats(const struct tracepoint_printer *p)
{
	return p->formats;
}
