/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a command's result is shown: in the terminal browser, or as text through the pager. */
#ifndef UI_OPEN_H
#define UI_OPEN_H

#include "base/context.h"
#include "base/reason.h"

struct debug_servers;

/* Returns -ENOTTY with a reason, for --tui, unless input and output are terminals. */
int browser_needs_terminal(struct reason *r) MUST_CHECK;
/*
 * Opens the browser if *tui wants it, else a pager. If an option demands it (asked), it is an error
 * that it cannot be opened. Otherwise plain text is used instead, and *tui becomes false. The
 * caller calls screen_close() when done.
 */
int open_browser_or_pager(struct context *ctx, const char *command, bool asked, bool *tui,
			  struct debug_servers *servers, struct reason *r) MUST_CHECK;

#endif
