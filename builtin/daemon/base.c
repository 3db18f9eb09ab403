// SPDX-License-Identifier: GPL-2.0-or-later
/* The files of the base: those of an earlier daemon are used again, the user's are refused. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/out.h"
#include "builtin/daemon/internal.h"

static int refuse(const char *base, const char *name, struct reason *r)
{
	reason_set(r, EEXIST, "'%s/%s' is not a daemon's", base, name);
	reason_hint(r, "give the daemon a directory of its own with --base");
	return -EEXIST;
}

/*
 * Reads the first bytes of a regular file as a text. Returns -ENOENT if there is none, -EEXIST if
 * it is something else.
 */
static int read_begin(int dir, const char *name, char *text, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT || errno == ELOOP ? -ENOENT
							 : -EEXIST; /* links: daemon_own_file() */
	n = !fstat(fd, &st) && S_ISREG(st.st_mode) ? read_all(fd, text, size - 1) : -1;
	close(fd);
	text[MAX(n, 0)] = '\0';
	return n < 0 ? -EEXIST : 0;
}

/* Reports whether the text is that of a lock file: the pid of a process. */
static bool is_lock(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits <= 10 && !text[digits + (text[digits] == '\n')];
}

/* Reports whether the text is that of a log, which begins with a time: "[2026-". */
static bool is_log(const char *text)
{
	return !*text || (*text == '[' && strspn(text + 1, "0123456789") == 4 && text[5] == '-');
}

static int check(int dir, const char *base, bool logs, struct reason *r)
{
	char lock[64] = "", log[64] = "";
	struct stat st;
	int err;

	if (!fstatat(dir, "control", &st, AT_SYMLINK_NOFOLLOW) && !S_ISSOCK(st.st_mode))
		return refuse(base, "control", r);
	err = read_begin(dir, "lock", lock, sizeof(lock));
	if (err == -EEXIST || !is_lock(lock))
		return refuse(base, "lock", r);
	err = logs ? read_begin(dir, "output", log, sizeof(log)) : 0;
	if (err == -EEXIST || (!*lock && !is_log(log)))
		return refuse(base, "output", r);
	return 0;
}

int daemon_check_base(const char *base, bool logs, struct reason *r)
{
	int dir = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC), err;

	if (dir < 0)
		return reason_errno(r, errno, "cannot use the base '%s'", base);
	err = check(dir, base, logs, r);
	close(dir);
	return err;
}
