/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reason says why a call failed: what was being done, to what, why, and, when it can be guessed,
 * the one command or setting that fixes it (the hint).
 *
 * Components fill it and return a negative errno; they never print. The builtin prints it as
 * "error: TEXT" and "hint: HINT". Texts start in lower case, have no final full stop and no
 * newline, and quote names as 'name'. Every function accepts r == NULL ("no reason wanted").
 * Owned by the caller: zero it (REASON_INIT) before use and release it once.
 */
#ifndef BASE_REASON_H
#define BASE_REASON_H

#include "base/types.h"

struct reason {
	int err;        /* positive errno, 0 while nothing failed */
	char *text;     /* NULL while nothing failed */
	char *hint;     /* NULL without a good guess */
	bool wrong_use; /* the command line alone makes it impossible, on any machine */
	/* the command line is right; what this machine lacks makes it impossible */
	bool of_machine;
	const char *obstacle; /* the row of sys/obstacles.h that it came from, a literal; or NULL */
};
#define REASON_INIT                                                                                \
	{                                                                                          \
		0, NULL, NULL, false, false, NULL                                                  \
	}

/* Sets the text (an earlier one is replaced, the hint dropped) and returns -err. */
int reason_set(struct reason *r, int err, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Works like reason_set(), with ": strerror(err)" appended. */
int reason_errno(struct reason *r, int err, const char *fmt, ...) PRINTF_LIKE(3, 4);
/*
 * Works like reason_set() with EINVAL, for a value of the command line that nothing could accept:
 * the command ends with EXIT_USAGE (129). A well-formed value that names something missing here (a
 * process, a file, a CPU) is an ordinary failure.
 */
int reason_usage(struct reason *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Notes that the machine is why it failed, whichever option asked for it: an ordinary failure. */
void reason_machine(struct reason *r);
/* Replaces the hint. */
void reason_hint(struct reason *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Makes the text "PREFIX: old text". */
void reason_prefix(struct reason *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Moves src into dst and empties src. */
void reason_move(struct reason *dst, struct reason *src);
void reason_release(struct reason *r);

#endif
