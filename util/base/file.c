// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/privileges.h"

enum { SOURCE_MOST = 64 << 20 }; /* bytes */

static bool ends(const struct stat *st)
{
	return S_ISREG(st->st_mode) || (S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3));
}

int file_open(const char *path, struct reason *r)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err;
	struct stat st;

	if (fd < 0)
		return reason_errno(r, errno, "cannot open '%s'", path);
	if (fstat(fd, &st))
		err = reason_errno(r, errno, "cannot open '%s'", path);
	else if (S_ISDIR(st.st_mode))
		err = reason_errno(r, EISDIR, "cannot open '%s'", path);
	else if (!ends(&st))
		err = reason_set(r, EINVAL, "'%s' is not a regular file", path);
	else
		return fd;
	close(fd);
	return err;
}

int file_open_source(const char *path, struct reason *r)
{
	int fd = file_open(path, r);
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && st.st_size <= SOURCE_MOST))
		return fd;
	close(fd);
	return reason_set(r, EFBIG, "'%s' is too large for a source file", path);
}

static FILE *stream(int fd, const char *path, struct reason *r)
{
	FILE *f;

	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	f = fdopen(fd, "r");
	if (!f) {
		reason_errno(r, errno, "cannot open '%s'", path);
		close(fd);
	}
	return f;
}

FILE *file_stream(const char *path, struct reason *r)
{
	return stream(file_open(path, r), path, r);
}

FILE *file_stream_source(const char *path, struct reason *r)
{
	return stream(file_open_source(path, r), path, r);
}

int file_access(const char *path, int mode)
{
	bool raised = privileges_raise(path);
	int result = faccessat(AT_FDCWD, path, mode, AT_EACCESS);

	if (raised)
		privileges_lower();
	return result;
}

int file_open_system(const char *path, int flags)
{
	bool raised = privileges_raise(path);
	int fd = open(path, flags | O_CLOEXEC);

	if (raised)
		privileges_lower();
	return fd;
}

int file_check_owner(int fd, const char *path, struct reason *r)
{
	struct stat st;

	if (fstat(fd, &st))
		return reason_errno(r, errno, "cannot open '%s'", path);
	if (!st.st_uid || st.st_uid == geteuid())
		return 0;
	reason_set(r, EPERM, "'%s' is not owned by you or root and is not used", path);
	reason_hint(r, "--force reads it all the same; so does perf as its owner");
	return -EPERM;
}

static s64 nanoseconds(const struct timespec *t)
{
	return (s64)t->tv_sec * 1000000000 + t->tv_nsec;
}

void file_stamp_of(const struct stat *st, struct file_stamp *out)
{
	*out = (struct file_stamp){
		.device = st->st_dev,
		.inode = st->st_ino,
		.size = (u64)st->st_size,
		.modified = nanoseconds(&st->st_mtim),
		.changed = nanoseconds(&st->st_ctim),
	};
}

int file_stamp(const char *path, struct file_stamp *out)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	file_stamp_of(&st, out);
	return 0;
}

bool file_stamp_equal(const struct file_stamp *a, const struct file_stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       a->modified == b->modified && a->changed == b->changed;
}

bool file_stamp_is_changed(const struct file_stamp *before, const struct file_stamp *now)
{
	return before->device == now->device && before->inode == now->inode &&
	       !file_stamp_equal(before, now);
}
