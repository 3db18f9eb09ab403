// SPDX-License-Identifier: GPL-2.0-or-later
/* The socket BASE/control, reached through /proc, so the length of BASE does not matter. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "builtin/daemon/internal.h"

_Static_assert(sizeof(struct request) == 72, "size of a request, as in Linux 6.1");

static int open_socket(const char *base, struct sockaddr_un *address, int *dir)
{
	int fd;

	*dir = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*dir < 0)
		return -errno;
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d/control", *dir);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		fd = -errno;
		close(*dir);
	}
	return fd;
}

int daemon_listen(const char *base, struct reason *r)
{
	struct sockaddr_un address;
	mode_t mask;
	int dir, fd = open_socket(base, &address, &dir), err = 0;

	if (fd < 0)
		return reason_errno(r, -fd, "cannot make a socket");
	/* a process that may connect can stop recordings of this user */
	mask = umask(0077);
	unlinkat(dir, "control", 0);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 8))
		err = reason_errno(r, errno, "cannot listen on the socket '%s/control'", base);
	umask(mask);
	close(dir);
	if (err)
		close(fd);
	return err ? err : fd;
}

int daemon_connect(const char *base, struct reason *r)
{
	struct sockaddr_un address;
	int dir, fd = open_socket(base, &address, &dir), err;

	if (fd < 0)
		return reason_errno(r, -fd, "cannot make a socket");
	err = connect(fd, (struct sockaddr *)&address, sizeof(address)) ? errno : 0;
	close(dir);
	if (!err)
		return fd;
	close(fd);
	if (err != ENOENT && err != ECONNREFUSED)
		return reason_errno(r, err, "cannot reach the daemon of '%s'", base);
	reason_set(r, err, "no daemon runs on '%s'", base);
	reason_hint(r, "'perf daemon start' starts one");
	return -err;
}
