/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work that may take a while: a thread does it, and a box appears if it is not done immediately. */
#ifndef UI_TUI_JOB_H
#define UI_TUI_JOB_H

#include "base/context.h"

/*
 * Runs fn(arg) to its end, in a thread if one can be started.  ESC and similar keys set the
 * cancellation token of ctx, which is cleared afterwards.  False: it was cancelled.  fn must not
 * draw.
 */
bool tui_job(struct context *ctx, const char *what, void *(*fn)(void *arg), void *arg);

#endif
