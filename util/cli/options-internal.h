/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the three files of the option parser share. */
#ifndef CLI_OPTIONS_INTERNAL_H
#define CLI_OPTIONS_INTERNAL_H

#include "cli/options.h"

/* Reports whether the row may be written --no-NAME. */
bool option_negatable(const struct option_row *row);
/* Reports whether the row takes a value. */
bool option_takes_value(const struct option_row *row);
/* Returns what -h calls the option's value, such as "FILE". */
const char *option_value_name(const struct option_row *row);
/* Adds the long name as -h, --list-opts and messages write it, with "no-" for OPT_NEGATE_ONLY. */
void option_listed_name(const struct option_row *row, struct strbuf *b);
/* Puts value (NULL: none, or negated) where the row says. Returns 0 or -errno with a reason. */
int option_store(const struct options *o, const struct option_row *row, const char *value,
		 bool negated, struct reason *r);
/* Answers "--help", "--list-opts" and so on, on standard output. */
void options_print_help(const struct options *o);
/* Prints the command's page, or its options where it has no page. */
void options_print_page(const struct options *o);
void options_print_names(const struct options *o);
void options_print_subcommands(const struct options *o);

#endif
