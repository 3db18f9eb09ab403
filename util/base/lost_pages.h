/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are cut short while they are read through a mapping, or whose disk fails: SIGBUS.
 *
 * lost_pages_catch() (perf.c): from now on such a file ends perf with a message that names it.
 * lost_pages_bear() (a session that is live): from now on what is lost reads as zeros.
 * lost_pages_file(): at the end, for a warning.
 *
 * A command that runs for days must not end because somebody copies a new program over one that is
 * sampled.  Readers of objects trust nothing in a file, so zeros cost names, and nothing else.
 *
 * Threads: any may meet such a page at any time.
 */
#ifndef BASE_LOST_PAGES_H
#define BASE_LOST_PAGES_H

#include <signal.h>

#include "base/types.h"

void lost_pages_catch(void);
void lost_pages_bear(void);
/*
 * For handlers of SIGBUS that stand before this one: true: the access can be made again, and finds
 * zeros.  It makes only calls that a handler may make.
 */
bool lost_pages_replace(const siginfo_t *info);
/* The first file whose pages were replaced, or NULL if no page has been. */
const char *lost_pages_file(void);

#endif
