/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters of names: globs joined by & | ! and brackets, "!_* & !*@plt".
 * & binds closer than |.  Threads: no state.
 */
#ifndef PROBE_FILTER_H
#define PROBE_FILTER_H

#include "base/reason.h"

/* Checks a filter. Returns 0, or -EINVAL with the text and a caret. */
int probe_filter_check(const char *filter, struct reason *r);
/* Reports whether the filter, which was checked, accepts the name. NULL accepts every name. */
bool probe_filter_match(const char *filter, const char *name);

#endif
