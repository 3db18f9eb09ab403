/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that end with us.
 *
 * The kernel sends the signal when the thread that called fork_bound() ends for any reason, so call
 * it from a thread that lives as long as the process. The child keeps this across exec (unless the
 * program gets other rights); its own children do not inherit it.
 */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <sys/types.h>

/*
 * Forks as fork() does. The child gets sig when this process ends, or does not begin if it has
 * ended already. Signals that this process handles are at their defaults in the child, so none is
 * lost before it has become its program; ignored ones stay ignored.
 */
pid_t fork_bound(int sig);
/*
 * Starts the program argv[0], found in PATH, which gets SIGTERM when we end. prepare() arranges
 * descriptors in the child; NULL: as they are. Returns 0, or the errno of why it cannot be run.
 */
int spawn_bound(char *const argv[], void (*prepare)(void *arg), void *arg, pid_t *pid);

#endif
