/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are cut short while they are read through a mapping, or whose disk fails: SIGBUS.
 *
 * lost_pages_map(), lost_pages_unmap(): mappings of such files.
 * lost_pages_catch() (perf.c): from now on such a file ends perf with a message that names it.
 * lost_pages_bear() (a session that is live): from now on what is lost reads as zeros.
 * lost_pages_file(): at the end, for a warning.
 *
 * Where lost_pages_catch() was not called, as in somebody's Python, lost_pages_bear() answers for
 * what lost_pages_map() has mapped; every other SIGBUS goes to the handler that was there before.
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

/*
 * Maps the first size bytes of a file for reading, until lost_pages_unmap() with the same size; fd
 * may be closed. Returns NULL with errno. A page of zeros follows the file's last page: it ends a
 * string whose end was lost when the file was overwritten.
 */
const u8 *lost_pages_map(int fd, size_t size);
void lost_pages_unmap(const u8 *bytes, size_t size);

void lost_pages_catch(void);
void lost_pages_bear(void);
/*
 * Replaces a lost page by zeros, for handlers of SIGBUS that come before this one. Returns true if
 * the access can be made again. It makes only calls that a handler may make.
 */
bool lost_pages_replace(const siginfo_t *info);
/* Returns the first file whose pages were replaced, or NULL if none were. */
const char *lost_pages_file(void);

#endif
