// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files and directories of the daemon's own. Others who can write to the base can put their links,
 * files and pipes under the names that the daemon uses. So nothing is followed, and checks look at
 * the opened file, not at its name.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/trusted.h"
#include "builtin/daemon/internal.h"

/* Returns fd if it is ours and of that type; otherwise closes it and returns -EPERM. */
static int keep_own(int fd, mode_t type)
{
	struct stat st;

	if (fd < 0)
		return errno == ELOOP || errno == ENOTDIR ? -EPERM : -errno; /* a link */
	if (!fstat(fd, &st) && (st.st_mode & S_IFMT) == type && st.st_uid == geteuid() &&
	    !others_may_write(&st))
		return fd;
	close(fd);
	return -EPERM;
}

int daemon_own_file(const char *path, mode_t mode)
{
	return keep_own(open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode),
			S_IFREG);
}

int daemon_own_pipe(const char *path, int flags)
{
	return keep_own(open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), S_IFIFO);
}

int daemon_own_directory(const char *path)
{
	if (mkdir(path, 0755) && errno != EEXIST)
		return -errno;
	return keep_own(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), S_IFDIR);
}
