/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files that processes name, with no more rights than these processes have.
 *
 * A recorder that runs as root must not read for its user what that user may not read: a name can
 * be a link, even one that leads out of a container. So a thread with the rights of the process's
 * user opens the file, below the root of the process, and does not follow a link in the last place.
 * Threads: any. Errors: -errno.
 */
#ifndef OBJECT_RIGHTS_H
#define OBJECT_RIGHTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/types.h"

struct user_rights {
	uid_t uid; /* effective */
	gid_t gid;
};

/* Finds the rights of a process. */
int user_rights_of(s32 pid, struct user_rights *out);
/* Returns the caller's own rights. */
struct user_rights user_rights_own(void);

/*
 * Opens the root directory of a process, for openat() and the functions below; the caller closes
 * it.
 */
int process_root_open(s32 pid);
/*
 * Opens what a process with this root directory sees under the name: links lead to files below the
 * root only.
 * flags as for open(); with O_PATH it is any kind of file.
 */
int open_below(int root, const char *path, int flags);
/*
 * Reports whether it is a regular file that belongs to that user, or to root and only root may
 * write it.
 */
bool user_may_own(const struct user_rights *u, int fd);
/*
 * Opens a file that user_may_own() for reading with the rights of that user, below the directory (a
 * root, or the directory that holds it): -EPERM when it is another one, -ELOOP when it is a link.
 */
int open_as(const struct user_rights *u, int dir, const char *path);

#endif
