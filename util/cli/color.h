/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether to colour: a terminal (or our pager on one), and nobody said no. */
#ifndef CLI_COLOR_H
#define CLI_COLOR_H

#include "base/context.h"

/*
 * Reports whether text going to fd gets colours. NO_COLOR and TERM=dumb say no; color.ui = always |
 * never decides; auto, the default, means a terminal.
 */
bool color_wanted(const struct context *ctx, int fd);
/*
 * Reports whether TERM names more than a printer: a terminal with colours, or a cursor that can be
 * moved.
 */
bool terminal_obeys_codes(void);

#define COLOR_RESET   "\033[m"
#define COLOR_BOLD    "\033[1m"
#define COLOR_RED     "\033[31m"
#define COLOR_GREEN   "\033[32m"
#define COLOR_YELLOW  "\033[33m"
#define COLOR_BLUE    "\033[34m"
#define COLOR_MAGENTA "\033[35m"

#endif
