// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/reason.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"

static char *format(const char *fmt, va_list ap)
{
	struct strbuf b = STRBUF_INIT;

	strbuf_vf(&b, fmt, ap);
	return strbuf_detach(&b);
}

static void replace(struct reason *r, int err, char *text)
{
	reason_release(r);
	r->err = err;
	r->text = text;
}

int reason_set(struct reason *r, int err, const char *fmt, ...)
{
	va_list ap;

	if (r) {
		va_start(ap, fmt);
		replace(r, err, format(fmt, ap));
		va_end(ap);
	}
	return -err;
}

int reason_usage(struct reason *r, const char *fmt, ...)
{
	va_list ap;

	if (r) {
		va_start(ap, fmt);
		replace(r, EINVAL, format(fmt, ap));
		va_end(ap);
		r->wrong_use = true;
	}
	return -EINVAL;
}

void reason_machine(struct reason *r)
{
	if (r)
		r->of_machine = true;
}

int reason_errno(struct reason *r, int err, const char *fmt, ...)
{
	va_list ap;
	char *what;

	if (r) {
		va_start(ap, fmt);
		what = format(fmt, ap);
		va_end(ap);
		replace(r, err, xasprintf("%s: %s", what, strerror(err)));
		free(what);
	}
	return -err;
}

void reason_hint(struct reason *r, const char *fmt, ...)
{
	va_list ap;
	char *hint;

	if (!r)
		return;
	va_start(ap, fmt);
	hint = format(fmt, ap);
	va_end(ap);
	free(r->hint);
	r->hint = hint;
}

void reason_prefix(struct reason *r, const char *fmt, ...)
{
	va_list ap;
	char *prefix, *old;

	if (!r || !r->text)
		return;
	va_start(ap, fmt);
	prefix = format(fmt, ap);
	va_end(ap);
	old = r->text;
	r->text = xasprintf("%s: %s", prefix, old);
	free(old);
	free(prefix);
}

void reason_move(struct reason *dst, struct reason *src)
{
	if (dst) {
		reason_release(dst);
		*dst = *src;
		*src = (struct reason)REASON_INIT;
	} else {
		reason_release(src);
	}
}

void reason_release(struct reason *r)
{
	if (!r)
		return;
	free(r->text);
	free(r->hint);
	*r = (struct reason)REASON_INIT;
}
