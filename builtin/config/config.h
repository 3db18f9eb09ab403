/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf config above the files of settings: prints and writes them, with errors in words. */
#ifndef BUILTIN_CONFIG_CONFIG_H
#define BUILTIN_CONFIG_CONFIG_H

#include "base/text.h"

struct context;

struct config_settings {
	bool list, user, system;
	struct strlist unset; /* names to remove */
};

/*
 * Prints, sets and removes the settings that the words name, and returns the command's exit status.
 * Errors are printed.
 */
int config_command_run(const struct context *ctx, const struct config_settings *s, int argc,
		       const char **argv);

#endif
