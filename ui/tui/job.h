/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work that may take a while, behind the screen: a thread does it, and a box says so when
 * it is not done at once.
 */
#ifndef UI_TUI_JOB_H
#define UI_TUI_JOB_H

#include "base/context.h"

/*
 * Runs fn(arg) to its end, in a thread where there can be one.  ESC and its kin set the
 * token of ctx, which is cleared again.  False: it was given up.  fn must not draw.
 */
bool tui_job(struct context *ctx, const char *what, void *(*fn)(void *arg), void *arg);

#endif
