/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf --self-profile FILE: a command is run, and what perf did meanwhile is written down. */
#ifndef CLI_SELF_PROFILE_H
#define CLI_SELF_PROFILE_H

#include "base/context.h"

/* Runs the command with its arguments: its exit code. */
typedef int (*self_profile_command)(struct context *ctx, int argc, const char **argv);

/* The command's exit code; 1 when the file cannot be written, in which case nothing is run. */
int self_profile_run(const char *file, self_profile_command run, struct context *ctx, int argc,
		     const char **argv);

/*
 * For those who let another program take perf's place: true, and an error, while perf is profiled.
 */
bool self_profile_refuses(const char *program);

#endif
