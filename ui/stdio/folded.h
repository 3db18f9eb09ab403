/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks, which flame graph programs read: a line for each distinct chain, its
 * frames from the outermost on separated by ";", a space, and a number.  In names ";" is ":".
 */
#ifndef UI_STDIO_FOLDED_H
#define UI_STDIO_FOLDED_H

#include "base/out.h"
#include "hist/hist.h"

struct folded {
	const char *root; /* a frame in front of all, or NULL */
	bool periods;     /* numbers are periods, not samples */
	bool marks;       /* "_[k]" after frames of the kernel, "_[i]" after inlined ones */
	double limit;     /* percent of all: branches with less are left out */
};
void stdio_folded(const struct folded *set, const struct hist_stacks *f, struct out *out);

#endif
