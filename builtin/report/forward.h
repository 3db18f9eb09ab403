/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of perf report, for commands that pass them on to it (cli/forward.h).
 */
#ifndef BUILTIN_REPORT_FORWARD_H
#define BUILTIN_REPORT_FORWARD_H

#include "cli/forward.h"

/* Adds the rows that the table lacks; their arguments are added to words. */
void report_forward_rows(struct context *ctx, option_rows *rows, struct strlist *words);

#endif
