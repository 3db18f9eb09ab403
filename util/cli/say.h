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
 * Prints a note that a command which watched something has nothing to show; what is a sentence.
 * Prints nothing with -q.
 */
void say_nothing_seen(const struct context *ctx, const char *what);
/*
 * Prints a note why a table has no rows; chosen means that options leave rows out. Prints nothing
 * with -q, or where a condition says that the options leave out all events.
 */
void say_empty_table(const struct context *ctx, const char *why, bool chosen);
/*
 * Prints the reason as error and hint lines, and releases it. Returns the exit code: EXIT_USAGE
 * where the command line is wrong, else 1.
 */
int say_reason(struct reason *r);
/*
 * Prints the user's conditions (--require) that are not met, as errors, and, unless quiet, notes on
 * others. Returns EXIT_NOT_HELD, or 0 where all are met.
 */
struct strlist;
int say_broken(const struct strlist *broken, const struct strlist *notes, bool quiet);
/* Shows the line of progress on standard error, for context.progress; NULL erases it. */
void say_progress(const char *text);
/*
 * Prints all conditions of ctx, sorted; notes only with -v, nothing with -q. Returns the exit code
 * that they ask for: 1 when data was skipped, else 0. Without -v prints at most ctx->most_lines
 * lines, where that is not 0, and a line that counts the others.
 */
int say_conditions(struct context *ctx);
/*
 * Turns the result of out_release() on standard output into an exit code: 0 when err is 0 or -EPIPE
 * (the reader went away, as with head(1)), else 1 after an error line. perf.c asks the same of
 * stdio.
 */
int say_output(int err);

#endif
