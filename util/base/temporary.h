/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that gets its name when it is complete; base/replace.h has the rules.
 *
 * Signals: the handlers set here remove files that have a temporary name, and then let the signal
 * end the process.  They are set only for signals that would have ended it; a command that sets
 * its own handlers ends in order.
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
#define TEMPORARY_INIT { -1, -1, NULL }

/* A new file in dir, which stays the caller's, to become final: 0 or -errno. */
int temporary_open(struct temporary *t, int dir, const char *final, mode_t mode);
/* A file without a name in TMPDIR or /tmp: a descriptor or -errno. */
int temporary_unnamed(void);
/* Gives it the name final, which nobody has yet; -EEXIST. */
int temporary_place_new(struct temporary *t, const char *final);
/* Gives it the name final, instead of the file that has that name. */
int temporary_place(struct temporary *t, const char *final);
/* Other temporary names: they are removed by the same signals, last noted first. */
enum temporary_kind { TEMPORARY_FILE, TEMPORARY_DIRECTORY, TEMPORARY_TREE };
void temporary_note(const char *path, enum temporary_kind kind);
/* The caller has removed it. */
void temporary_forget(const char *path);
/* Closes it; removes it unless it was placed. */
void temporary_close(struct temporary *t);
/* Tests only: use names even where a file could do without. */
extern bool temporary_always_named;

#endif
