/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of perf report, for commands that hand them on to it (cli/forward.h).
 */
#ifndef REPORT_FORWARD_H
#define REPORT_FORWARD_H

#include "cli/forward.h"

/* Adds the rows that the table does not have yet; what they are given is added to words. */
void report_forward_rows(struct context *ctx, option_rows *rows, struct strlist *words);

#endif
