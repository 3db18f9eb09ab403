/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pager: a child that reads what we print, while standard output is a
 * terminal.  There is one for the whole program.
 */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include "base/context.h"

/*
 * Starts the pager for the command, unless standard output is not a terminal, ctx says no
 * (--no-pager), pager.COMMAND is false, or the pager is "cat" or empty. Without a working pager,
 * output still goes to the terminal. Call this before printing anything.
 */
void pager_start(const struct context *ctx, const char *command);
bool pager_running(void);
/* Flushes, lets the pager see the end, and waits until the user leaves it (perf.c). */
void pager_finish(void);

#endif
