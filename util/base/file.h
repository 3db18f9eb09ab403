/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening files that are read to their end.
 *
 * A FIFO without a writer blocks open(), and a device such as /dev/zero never ends. Names come from
 * recordings, directories of other users and options, so only regular files (also those of /proc
 * and /sys) and /dev/null are opened.
 * Errors: -errno with a reason; -EINVAL for another kind of file. Close-on-exec is set.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/reason.h"
#include "base/types.h"

struct stat;

/*
 * Opens a regular file, or /dev/null, for reading. Returns a descriptor, or -errno with a reason.
 */
int file_open(const char *path, struct reason *r);
/* Works like file_open(), but returns a stream, or NULL with errno. */
FILE *file_stream(const char *path, struct reason *r);
/*
 * Opens a source file, which an object names. Returns -EFBIG above 64 MiB, since a line may be as
 * long as the file.
 */
int file_open_source(const char *path, struct reason *r);
FILE *file_stream_source(const char *path, struct reason *r);

/*
 * Works like access(2), with the rights of the effective user and the capabilities of the program's
 * file, which open() uses. Returns 0, or -1 with errno.
 */
int file_access(const char *path, int mode);
/*
 * Works like open(2), close-on-exec, for what the kernel shows. Below /sys it also uses the rights
 * to files that this perf was lent, which are never used for what the user names.
 */
int file_open_system(const char *path, int flags);

/*
 * Returns -EPERM, with a hint at --force, unless the open file belongs to the caller or to root.
 * Others could put words into our output by a file whose name leads a reader to it.
 */
int file_check_owner(int fd, const char *path, struct reason *r);

/* What tells one file, and one state of its bytes, from another. */
struct file_stamp {
	u64 device, inode, size; /* inode 0: of no file */
	s64 modified, changed;   /* ns since 1970: its bytes; these, or what its inode says of it */
};
void file_stamp_of(const struct stat *st, struct file_stamp *out);
/* Reads the stamp of the file that the path leads to. Returns -errno when there is none. */
int file_stamp(const char *path, struct file_stamp *out);
bool file_stamp_equal(const struct file_stamp *a, const struct file_stamp *b);
/* Reports whether it is the same file, but its contents or times have changed. */
bool file_stamp_is_changed(const struct file_stamp *before, const struct file_stamp *now);

#endif
