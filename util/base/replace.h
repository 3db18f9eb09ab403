/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Named outputs: what may exist already, when it changes, and the state after a failure.
 *
 *	- Only a regular file with the requested name is replaced.
 *	- A symbolic link is followed; it is never renamed or replaced. A dangling one is written
 *	  through. A link that someone else made in a sticky directory is refused, as the kernel
 *	  does with fs.protected_symlinks.
 *	- A device, a FIFO or a descriptor (/dev/stdout, /dev/fd/N) is written as a stream.
 *	- Nothing that exists changes before the new content is complete (replace_begin), or, where
 *	  readers follow the output, before the work starts (replace_check, then replace_open).
 *	- A replaced file keeps its mode and its owner. Where that or the directory does not allow
 *	  another file, the old one is overwritten, once the disk has room for the new content.
 *	- Other hard links of a replaced file keep the old content.
 *
 * Until replace_end() the content has no name where the file system can do that (O_TMPFILE), so
 * nothing remains of a process that is killed. Elsewhere it is .NAME.perf-new-XXXXXX, which every
 * signal that can be caught removes; after SIGKILL, the next output in that directory removes it.
 *
 * Errors: -errno, and a reason "cannot write 'PATH': ...". Threads: one output belongs to one
 * thread.
 */
#ifndef BASE_REPLACE_H
#define BASE_REPLACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/reason.h"
#include "base/temporary.h"

enum replace_how {
	REPLACE_ANY = 0,
	REPLACE_NOTHING = 1, /* a file that is there is left alone: -EEXIST */
	REPLACE_NO_LINK = 2, /* a symbolic link is refused: -ELOOP */
};

struct replace {
	int fd; /* write here; readable, unless it is a stream */
	char *path;
	int there;    /* the file to replace, -1 without one */
	int dir;      /* the directory of the file */
	char *name;   /* in dir; NULL: it is overwritten at the end */
	bool stream;  /* a device, a FIFO, a descriptor */
	bool through; /* a dangling link was written through: there is a new, empty file */
	struct temporary temporary;
};
#define REPLACE_INIT                                                                               \
	{                                                                                          \
		.fd = -1, .there = -1, .dir = -1, .temporary = TEMPORARY_INIT                      \
	}

/* Begins to write the future contents of path. mode, less the umask, is for a new file. */
int replace_begin(struct replace *o, const char *path, mode_t mode, enum replace_how how,
		  struct reason *r) MUST_CHECK;
/* Puts it in place. After an error everything is as it was before. */
int replace_end(struct replace *o, struct reason *r) MUST_CHECK;
/* Gives it up. Harmless after replace_end() and on REPLACE_INIT. */
void replace_drop(struct replace *o);
/* Replaces the file by a text, from begin to end. */
int replace_text(const char *path, const char *text, size_t len, mode_t mode, enum replace_how how,
		 struct reason *r) MUST_CHECK;

/* Reports whether replace_open() could write path, and changes nothing. */
int replace_check(const char *path, struct reason *r) MUST_CHECK;
/*
 * Opens path when the work starts: empties it, or appends to it. Waits for the reader of a FIFO.
 * Returns a descriptor or -errno with a reason, -EINTR when a signal ends perf meanwhile.
 */
int replace_open(const char *path, bool append, mode_t mode, struct reason *r) MUST_CHECK;

/*
 * Reports whether the path is a FIFO, a device or a descriptor. A FIFO waits for its reader when it
 * is opened.
 */
bool replace_is_stream(const char *path);
/* Reports whether the name stands for a descriptor of this process, as /dev/stdout does. */
bool replace_is_descriptor(const char *path);
/*
 * Returns the name of the file or directory that path leads to, or path itself when it is not a
 * link. The caller frees it. NULL means a dangling link, or one that is refused.
 */
char *replace_place(const char *path, struct reason *r);
/*
 * Checks whether PLACE may be renamed to PLACE.old. That name must be free, a regular file or, if
 * directories is true, a directory, which the caller judges.
 */
int replace_check_old(const char *place, bool directories, struct reason *r) MUST_CHECK;
/* Renames a regular file or a directory to a name that nothing but such a file has. */
int replace_rename(const char *from, const char *to, struct reason *r) MUST_CHECK;
/* Keeps a regular file that is not empty as PATH.old; anything else is left alone. */
int replace_keep_old(const char *path, struct reason *r) MUST_CHECK;

#endif
