// SPDX-License-Identifier: GPL-2.0-or-later
/* How a check ends: skipped or failed, with the text that says why. */
#include <stdarg.h>

#include "builtin/test/selftest.h"

static enum selftest_result answer(struct selftest *t, enum selftest_result result, const char *fmt,
				   va_list ap)
{
	strbuf_clear(&t->reason);
	strbuf_vf(&t->reason, fmt, ap);
	return result;
}

enum selftest_result selftest_skip(struct selftest *t, const char *fmt, ...)
{
	enum selftest_result result;
	va_list ap;

	va_start(ap, fmt);
	result = answer(t, SELFTEST_SKIP, fmt, ap);
	va_end(ap);
	return result;
}

enum selftest_result selftest_fail(struct selftest *t, const char *fmt, ...)
{
	enum selftest_result result;
	va_list ap;

	va_start(ap, fmt);
	result = answer(t, SELFTEST_FAILED, fmt, ap);
	va_end(ap);
	return result;
}
