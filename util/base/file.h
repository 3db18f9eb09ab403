/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening files that are meant to be read to their end.
 *
 * A FIFO without a writer blocks open(), and a device such as /dev/zero never ends.  Names come from
 * recordings, directories of other users and options, so that only regular files (also those of
 * /proc and /sys) and /dev/null are opened.  Errors: -errno with a reason; -EINVAL for another
 * kind of file.  Close-on-exec is set.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdio.h>

#include "base/reason.h"

/* A descriptor to read from. */
int file_open(const char *path, struct reason *r);
/* The same as a stream; NULL and errno on failure. */
FILE *file_stream(const char *path, struct reason *r);

#endif
