/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line of words as a shell reads them: separated by spaces and tabs, which single and double
 * quotes and a backslash protect. Nothing is expanded.
 */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include "base/text.h"

/* Adds the words of line to l: 0, or -EINVAL when a quote is not closed. */
int shell_words(struct strlist *l, const char *line);

#endif
