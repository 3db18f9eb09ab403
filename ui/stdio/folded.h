/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks, which flame graph programs read: a line for each distinct chain, its
 * frames from the outermost on parted by ";", a blank, and a number.  In names ";" is ":".
 */
#ifndef UI_STDIO_FOLDED_H
#define UI_STDIO_FOLDED_H

#include "base/out.h"
#include "hist/hist.h"

/* root: a frame in front of all, or NULL.  periods: numbers are periods, not samples. */
void stdio_folded(const struct hist_stacks *f, const char *root, bool periods, struct out *out);

#endif
