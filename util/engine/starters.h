/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scripts by name.
 *	record NAME [options] [-- command]	runs bin/NAME-record
 *	report NAME [arguments]			runs bin/NAME-report
 *	NAME [arguments] [-- command]		both, with a pipe between them
 *	FILE [arguments]			a script without starters: as -s FILE
 *
 * The starters are shell scripts.  They find this program as "perf": its directory comes first
 * in PATH, and $PERF names it.
 */
#ifndef ENGINE_STARTERS_H
#define ENGINE_STARTERS_H

#include "engine/engine.h"

int engine_start(struct engine_command *c, const struct options *o, int argc, const char **argv);

#endif
