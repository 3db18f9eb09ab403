// SPDX-License-Identifier: GPL-2.0-or-later
#include "ui/open.h"

#include <errno.h>
#include <unistd.h>

#include "cli/pager.h"
#include "object/debug_servers.h"
#include "ui/settings.h"
#include "ui/tui/screen.h"

int browser_needs_terminal(struct reason *r)
{
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return 0;
	return reason_set(r, ENOTTY, "--tui needs a terminal to read from and to draw on");
}

int open_browser_or_pager(struct context *ctx, const char *command, bool asked, bool *tui,
			  struct debug_servers *servers, struct reason *r)
{
	if (*tui && asked && browser_needs_terminal(r))
		return -ENOTTY;
	if (*tui)
		colors_from_settings(ctx);
	if (*tui && screen_open(r)) {
		if (asked)
			return -ENOTSUP;
		reason_release(r);
		*tui = false;
	}
	if (*tui)
		debug_servers_be_quiet(servers);
	else
		pager_start(ctx, command);
	return 0;
}
