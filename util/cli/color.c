// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/color.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/config.h"
#include "cli/pager.h"

static bool on_terminal(int fd)
{
	const char *term = getenv("TERM");

	if (!isatty(fd) && !(fd == STDOUT_FILENO && pager_running()))
		return false;
	return term && strcmp(term, "dumb");
}

bool color_wanted(const struct context *ctx, int fd)
{
	const char *no = getenv("NO_COLOR");
	const char *set = config_get(ctx, "color.ui");

	if (set && !strcmp(set, "always"))
		return true;
	if ((no && *no) || (set && (!strcmp(set, "never") || !strcmp(set, "false"))))
		return false;
	return on_terminal(fd);
}
