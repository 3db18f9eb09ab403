/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of another command, for a command that runs it: perf mem record takes all that
 * perf record takes.
 *
 *	forward_option_rows(&rows, theirs.items, theirs.count, &words);
 *	options_parse(...)
 *
 * The rows of the other command are taken as they are, with its letters, names and help, except for
 * letters and names that the table already has.  What the user gives is added to words in a form
 * that the other command parses to the same.
 * words must outlive the table.
 */
#ifndef CLI_FORWARD_H
#define CLI_FORWARD_H

#include "cli/options.h"

void forward_option_rows(option_rows *rows, const struct option_row *theirs, size_t count,
			 struct strlist *words);
struct context;
/*
 * Runs the other command. line begins with its name; the words that are passed on, "--" and what
 * followed the options are added to it. With -v the command line is reported. Returns the exit
 * code.
 */
int forward_run(struct context *ctx, struct strlist *line, const struct strlist *words, int argc,
		const char **argv,
		int (*command)(struct context *ctx, int argc, const char **argv));
/* Reports whether typed is the name, or at least three letters of its beginning. */
bool subcommand_is(const char *typed, const char *name);

#endif
