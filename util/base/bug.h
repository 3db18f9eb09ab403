/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assertions about our own code, never about input: a call out of its phase, an order
 * that a caller promised and did not keep.
 *
 * Checked in builds with a sanitizer and with CPPFLAGS=-DPERF_DEBUG; elsewhere the
 * condition is compiled, but not evaluated.
 */
#ifndef BASE_BUG_H
#define BASE_BUG_H

#include <stdlib.h>

#if defined(PERF_DEBUG) || defined(__SANITIZE_ADDRESS__)
#define BUG_ON(condition)                                                                          \
	do {                                                                                       \
		if (condition)                                                                     \
			abort();                                                                   \
	} while (0)
#else
#define BUG_ON(condition) ((void)sizeof(!(condition)))
#endif

#endif
