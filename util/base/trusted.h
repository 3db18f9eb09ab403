/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that decide what perf does, and who else could have written them.
 *
 * Settings name programs that perf starts, and the daemon writes where its directories lead. So
 * both must belong to the caller, and nobody else may be able to change them.
 */
#ifndef BASE_TRUSTED_H
#define BASE_TRUSTED_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Returns whether the mode lets others than the owner write. A group whose only member is the owner
 * does not count: many distributions give each user such a group, and the umask 002.
 */
bool others_may_write(const struct stat *st);

#endif
