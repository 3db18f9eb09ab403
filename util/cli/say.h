/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Says things to the user, in one form: "error: ", "warning: ", "hint: ",
 * "note: " on standard error.  Only builtins (and perf.c) call these.
 * Control characters in texts are made visible.
 */
#ifndef CLI_SAY_H
#define CLI_SAY_H

#include "base/context.h"
#include "base/reason.h"

void say_error(const char *fmt, ...) PRINTF_LIKE(1, 2);
void say_warning(const char *fmt, ...) PRINTF_LIKE(1, 2);
void say_hint(const char *fmt, ...) PRINTF_LIKE(1, 2);
void say_note(const char *fmt, ...) PRINTF_LIKE(1, 2);
/*
 * A note that a command which watched something has nothing to show of it; what: a sentence.
 * Nothing with -q.
 */
void say_nothing_seen(const struct context *ctx, const char *what);
/*
 * A note why a table has no rows; chosen: options leave rows out. Nothing with -q, or where a
 * condition says that the options leave out all events.
 */
void say_empty_table(const struct context *ctx, const char *why, bool chosen);
/*
 * The reason as error and hint lines; releases it; returns the exit code: EXIT_USAGE where the
 * command line is what is wrong, else 1.
 */
int say_reason(struct reason *r);
/*
 * Conditions of the user's (--require) that do not hold, as errors, and, unless quiet, notes on
 * others.  Returns EXIT_NOT_HELD, or 0 where all hold.
 */
struct strlist;
int say_broken(const struct strlist *broken, const struct strlist *notes, bool quiet);
/* For context.progress: the line of progress on standard error; NULL erases it. */
void say_progress(const char *text);
/*
 * All conditions of ctx, sorted; notes only with -v, nothing with -q.  Returns the exit code they
 * ask for: 1 when data was skipped, else 0. Without -v at most ctx->most_lines lines, where it is
 * not 0, and a line that counts the others.
 */
int say_conditions(struct context *ctx);
/*
 * What out_release() of standard output said, as an exit code: 0 when err is 0 or
 * -EPIPE (the reader went away, as with head(1)), else an error line and 1.
 * perf.c asks the same of stdio.
 */
int say_output(int err);

#endif
