/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf --self-profile FILE: a command is run, and what perf did meanwhile is written down. */
#ifndef CLI_SELF_PROFILE_H
#define CLI_SELF_PROFILE_H

#include "base/context.h"

/* Runs the command with its arguments: its exit code. */
typedef int (*self_profile_command)(struct context *ctx, int argc, const char **argv);

/*
 * Runs the command and returns its exit code. If the file cannot be written it runs nothing and
 * returns 1.
 */
int self_profile_run(const char *file, self_profile_command run, struct context *ctx, int argc,
		     const char **argv);

/*
 * Returns true with an error while perf is profiled, for callers that let another program take
 * perf's place.
 */
bool self_profile_refuses(const char *program);

#endif
