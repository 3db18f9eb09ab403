/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * More rights than the user has: a perf that was installed with capabilities or with the
 * set-user-ID bit.
 *
 * Such rights are for what perf itself does. Code that the user chooses (scripts, filters, BPF
 * objects, programs that perf starts) must not get them, and files that the user names are opened
 * with the user's own rights.
 */
#ifndef BASE_PRIVILEGES_H
#define BASE_PRIVILEGES_H

#include <stdbool.h>

#include "base/reason.h"

/* Said where the kernel ends the events of a task at its exec (live/privileged.c). */
#define PRIVILEGED_PROGRAM "privileged-program" /* the condition's code */
#define ENDED_EVENTS_HINT                                                                          \
	"run perf as the user that the program runs as (with sudo for root), or measure all CPUs " \
	"with -a"

/* Returns whether this program runs with more rights than its user has (AT_SECURE). */
bool privileges_are_lent(void);
/*
 * Turns the rights of a set-user-ID program, at the start, into capabilities, which programs that
 * it starts do not inherit. Lays aside those that open files of others. Returns 0 or -errno with a
 * reason.
 */
int privileges_begin(struct reason *r);
/*
 * Raises the rights laid aside, for this thread, to open what the kernel shows in a path below /sys
 * (tracefs). Returns true when privileges_lower() must follow. errno stays as it was.
 */
bool privileges_raise(const char *path);
void privileges_lower(void);
/*
 * Gives up what is lent, for good; does nothing in a program that only has its user's rights.
 * Called while there is one thread, since each thread has its own rights. Returns 0 or -errno with
 * a reason.
 */
int privileges_drop(struct reason *r);
/* Sets the reason why the user's code in this file is not loaded with lent rights: -EPERM. */
int privileges_refuse(const char *path, struct reason *r);

#endif
