// SPDX-License-Identifier: GPL-2.0-or-later
/* Running tar(1). */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive/internal.h"
#include "base/out.h"

extern char **environ;

int tar_run(const char *const *argv, int output, bool quiet, struct reason *r)
{
	posix_spawn_file_actions_t files;
	pid_t pid;
	int status, err;

	posix_spawn_file_actions_init(&files);
	if (output >= 0)
		posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
	if (quiet)
		posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	err = posix_spawnp(&pid, "tar", &files, NULL, (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (err) {
		reason_errno(r, err, "cannot run tar");
		reason_hint(r, "perf archive needs the programs tar and bzip2");
		return -err;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return reason_errno(r, errno, "cannot wait for tar");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int tar_file_of(const struct strbuf *text, struct reason *r)
{
	int fd = memfd_create("perf-archive", MFD_CLOEXEC), err;

	if (fd < 0)
		return reason_errno(r, errno, "cannot make a temporary file");
	err = write_all(fd, strbuf_cstr(text), text->len);
	if (!err && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	close(fd);
	return reason_errno(r, err ? -err : errno, "cannot write a temporary file");
}
