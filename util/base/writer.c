// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/writer.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/types.h"

/* Reads the flags of an open file, as fdinfo shows them. */
static bool is_for_writing(int process, const char *number)
{
	char path[64], text[256], *flags;
	int fd, mode;
	ssize_t n;

	snprintf(path, sizeof(path), "fdinfo/%.32s", number);
	fd = openat(process, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[MAX(n, (ssize_t)0)] = '\0';
	flags = strstr(text, "flags:");
	mode = flags ? (int)strtol(flags + strlen("flags:"), NULL, 8) & O_ACCMODE : O_RDONLY;
	return mode != O_RDONLY;
}

/* Asks no server of a file system, which may not answer. */
static bool is_same(int dir, const char *name, const struct stat *file)
{
	struct statx st;

	return !statx(dir, name, AT_STATX_DONT_SYNC, STATX_INO, &st) &&
	       st.stx_ino == file->st_ino &&
	       makedev(st.stx_dev_major, st.stx_dev_minor) == file->st_dev;
}

static bool writes(int process, const struct stat *file)
{
	int fd = openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;
	bool found = false;

	while (d && !found && (e = readdir(d)))
		found = is_same(fd, e->d_name, file) && is_for_writing(process, e->d_name);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	return found;
}

pid_t file_writer(int fd)
{
	DIR *d = opendir("/proc");
	const struct dirent *e;
	pid_t found = 0;
	struct stat st;

	while (d && !found && !fstat(fd, &st) && (e = readdir(d))) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
		int process =
			pid > 0 && pid != getpid()
				? openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
				: -1;

		if (process < 0)
			continue;
		if (writes(process, &st))
			found = pid;
		close(process);
	}
	if (d)
		closedir(d);
	return found;
}
