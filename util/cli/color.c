// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/color.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/guard.h"
#include "cli/config.h"
#include "cli/pager.h"

bool terminal_obeys_codes(void)
{
	const char *term = getenv("TERM");

	return term && strcmp(term, "dumb");
}

static bool on_terminal(int fd)
{
	return (isatty(fd) || (fd == STDOUT_FILENO && pager_running())) && terminal_obeys_codes();
}

static bool is_wanted(const struct context *ctx, int fd)
{
	const char *no = getenv("NO_COLOR");
	const char *set = config_get(ctx, "color.ui");

	if (set && !strcmp(set, "always"))
		return true;
	if ((no && *no) || (set && (!strcmp(set, "never") || !strcmp(set, "false"))))
		return false;
	return on_terminal(fd);
}

bool color_wanted(const struct context *ctx, int fd)
{
	bool wanted = is_wanted(ctx, fd);

	if (wanted)
		out_allow_codes();
	return wanted;
}
