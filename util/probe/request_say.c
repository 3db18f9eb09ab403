// SPDX-License-Identifier: GPL-2.0-or-later
/* The messages of perf probe about its actions. */
#include <stdarg.h>

#include "base/context.h"
#include "probe/probe.h"
#include "probe/request_internal.h"

void probe_say(const struct probe_request *q, const char *fmt, ...)
{
	va_list ap;

	if (q->ctx->quiet)
		return;
	va_start(ap, fmt);
	strbuf_vf(q->said, fmt, ap);
	va_end(ap);
}

void probe_put_event(struct prober *p, const struct probe_event *e, struct strbuf *b)
{
	char *name = xasprintf("%s:%s", e->group, e->event);

	strbuf_f(b, "  %-20s (on ", name);
	prober_describe(p, e, b);
	strbuf_str(b, ")\n");
	free(name);
}
