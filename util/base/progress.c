// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"
#include "base/progress.h"

#include <stdarg.h>

#include "base/strbuf.h"

#define AFTER 1000000000ULL /* ns of silence that nobody minds */
#define EVERY 200000000ULL

void progress_begin(struct progress *p, const struct context *ctx)
{
	*p = (struct progress){ .ctx = ctx, .next = clock_now() + AFTER };
}

static bool is_due(const struct progress *p)
{
	return p->ctx->progress && !p->ctx->quiet && clock_now() >= p->next;
}

void progress_say(struct progress *p, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	if (!is_due(p))
		return;
	va_start(ap, fmt);
	strbuf_vf(&text, fmt, ap);
	va_end(ap);
	p->ctx->progress(strbuf_cstr(&text));
	p->next = clock_now() + EVERY;
	p->shown = true;
	strbuf_release(&text);
}

void progress_end(struct progress *p)
{
	if (p->shown)
		p->ctx->progress(NULL);
	p->shown = false;
}
