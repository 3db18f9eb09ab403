/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file or directory that gets its name when it is complete; base/replace.h has the rules.
 *
 * The next process that needs a temporary name in a directory removes what killed ones left there:
 * a process that still writes has a lock. Signals: the handlers set here remove files that have a
 * temporary name, and then let the signal end the process. They are set only for signals that would
 * have ended it; a command that sets its own handlers ends in order.
 */
#ifndef BASE_TEMPORARY_H
#define BASE_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/types.h"

struct temporary {
	int fd, dir;
	char *name; /* in dir; NULL: it has no name */
};
#define TEMPORARY_INIT                                                                             \
	{                                                                                          \
		-1, -1, NULL                                                                       \
	}

/*
 * Opens a new file that is to become final in dir, which stays the caller's. Returns 0 or -errno.
 */
int temporary_open(struct temporary *t, int dir, const char *final, mode_t mode);
/*
 * Opens a file that never has a name, in dir (NULL means TMPDIR or /tmp). Returns a descriptor or
 * -errno.
 */
int temporary_unnamed(const char *dir);
/* Gives it the name final, which nobody has yet; -EEXIST. */
int temporary_place_new(struct temporary *t, const char *final);
/* Gives it the name final, instead of the file that has that name. */
int temporary_place(struct temporary *t, const char *final);
/* Other temporary names: they are removed by the same signals, last noted first. */
enum temporary_kind { TEMPORARY_FILE, TEMPORARY_TREE };
void temporary_note(const char *path, enum temporary_kind kind);
/* Forgets a path that the caller has removed. */
void temporary_forget(const char *path);
/* Closes it; removes it unless it was placed. */
void temporary_close(struct temporary *t);

struct temporary_directory {
	char *path; /* NULL once it was placed */
	int fd;     /* keeps the lock */
};
#define TEMPORARY_DIRECTORY_INIT                                                                   \
	{                                                                                          \
		NULL, -1                                                                           \
	}

/* Creates a directory beside final that is to get this name: 0 or -errno. */
int temporary_directory(struct temporary_directory *t, const char *final, mode_t mode);
/* Gives it the name final, which nobody has yet; -EEXIST. */
int temporary_directory_place(struct temporary_directory *t, const char *final);
/* Closes it. Removes it with its contents, unless it was placed. */
void temporary_directory_end(struct temporary_directory *t);
/* Tests only: use names even where a file could do without. */
extern bool temporary_always_named;

#endif
