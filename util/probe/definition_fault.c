// SPDX-License-Identifier: GPL-2.0-or-later
/* The probe language: a fault, with a caret below it. */
#include <stdarg.h>

#include "base/fault.h"
#include "probe/internal.h"

int probe_fault(struct probe_parse *p, const char *where, const char *fmt, ...)
{
	va_list ap;
	int err;

	va_start(ap, fmt);
	err = text_fault(p->r, p->text, (size_t)(where - p->text), 1, fmt, ap);
	va_end(ap);
	return err;
}
