/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fault in a text that the user typed, as a reason: what is wrong, the text in one line, and
 * carets below the place. Threads: no state.
 */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include <stdarg.h>
#include <stddef.h>

#include "base/reason.h"

/*
 * Sets a reason that marks n characters at `at` in text (at least one caret is drawn). Returns
 * -EINVAL.
 */
int text_fault(struct reason *r, const char *text, size_t at, size_t n, const char *fmt, va_list ap)
	__attribute__((format(printf, 5, 0)));

#endif
