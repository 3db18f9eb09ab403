// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/file.h"
#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/out.h"
#include "base/text.h"

enum { MOST_LINKS = 8 };

/* ---- names ---- */

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !slash ? xstrdup(".") : xstrndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/*
 * Returns the path in a link, as seen from the link's directory, which the caller frees. NULL if
 * path is not a link.
 */
static char *link_target(const char *path)
{
	char target[PATH_MAX], *dir, *whole;
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n <= 0)
		return NULL;
	target[n] = '\0';
	if (*target == '/')
		return xstrdup(target);
	dir = directory_of(path);
	whole = xasprintf("%s/%s", dir, target);
	free(dir);
	return whole;
}

/* Returns the descriptor that "/proc/self/fd/N" and the like name, or -1. */
static int descriptor_at(const char *path)
{
	static const char *const dirs[] = { "/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/" };
	char own[40];
	u64 n;

	snprintf(own, sizeof(own), "/proc/%d/fd/", (int)getpid());
	for (size_t i = 0; i <= ARRAY_SIZE(dirs); i++) {
		const char *dir = i < ARRAY_SIZE(dirs) ? dirs[i] : own;

		if (str_starts(path, dir) && !parse_u64(path + strlen(dir), &n) && n <= INT_MAX)
			return (int)n;
	}
	return -1;
}

static int descriptor_of(const char *path)
{
	char *now = xstrdup(path), *next;
	int fd = -1;

	for (int i = 0; i < MOST_LINKS && now; i++) {
		fd = descriptor_at(now);
		next = fd < 0 ? link_target(now) : NULL;
		free(now);
		now = next;
	}
	free(now);
	return fd;
}

bool replace_is_descriptor(const char *path)
{
	return descriptor_of(path) >= 0;
}

bool replace_is_stream(const char *path)
{
	struct stat st;

	return replace_is_descriptor(path) ||
	       (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

/*
 * Refuses links that others may have made: in a directory like /tmp, anyone can make a link with a
 * name that someone else will write to.
 */
static int check_link(const char *path)
{
	struct stat st, in;
	char *dir;
	int err;

	if (lstat(path, &st) || !S_ISLNK(st.st_mode))
		return 0;
	dir = directory_of(path);
	err = stat(dir, &in) ? -errno : 0;
	free(dir);
	if (err || (in.st_mode & (S_ISVTX | S_IWOTH)) != (S_ISVTX | S_IWOTH))
		return err;
	return st.st_uid == geteuid() || st.st_uid == in.st_uid ? 0 : -EACCES;
}

char *replace_place(const char *path, struct reason *r)
{
	struct stat st;
	char *real;
	int err;

	if (lstat(path, &st) || !S_ISLNK(st.st_mode))
		return xstrdup(path);
	err = check_link(path);
	real = err ? NULL : realpath(path, NULL);
	if (real)
		return real;
	reason_errno(r, err ? -err : errno, "cannot write '%s', a symbolic link", path);
	reason_hint(r, "name the file that the link should lead to");
	return NULL;
}

/* ---- what is there ---- */

/* Finds the name of an open file in its directory. */
static void find_name(struct replace *o, const struct stat *st)
{
	char link[40], path[PATH_MAX], *dir;
	struct stat named;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", o->there);
	n = readlink(link, path, sizeof(path) - 1);
	snprintf(path + MAX(n, 0), sizeof(path) - (size_t)MAX(n, 0), "%s", n > 0 ? "" : o->path);
	dir = directory_of(path);
	o->dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	if (o->dir >= 0 && !fstatat(o->dir, path_base(path), &named, AT_SYMLINK_NOFOLLOW) &&
	    named.st_ino == st->st_ino && named.st_dev == st->st_dev)
		o->name = xstrdup(path_base(path));
}

static int open_new(struct replace *o)
{
	char *dir = directory_of(o->path);
	const char *name = path_base(o->path);

	o->dir = *name ? open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	o->name = xstrdup(name);
	free(dir);
	if (!*name)
		return -EISDIR;
	return o->dir < 0 ? -errno : 0;
}

/* Opens the existing file without changing it. A FIFO waits for its reader. */
static int open_there(struct replace *o, const struct stat *st)
{
	int descriptor = descriptor_of(o->path);
	struct stat now;

	if (descriptor >= 0)
		o->there = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
	else
		o->there = open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY |
						 (S_ISREG(st->st_mode) ? O_NONBLOCK : 0));
	if (o->there < 0 || fstat(o->there, &now))
		return -errno;
	o->stream = descriptor >= 0 || !S_ISREG(now.st_mode);
	if (!o->stream)
		find_name(o, &now);
	return 0;
}

static int open_through(struct replace *o, mode_t mode)
{
	struct stat st;

	o->there = open(o->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, mode);
	if (o->there < 0 || fstat(o->there, &st))
		return -errno;
	find_name(o, &st);
	o->through = true;
	return 0;
}

static int look(struct replace *o, mode_t mode, enum replace_how how)
{
	struct stat st, named;
	bool is_there = !stat(o->path, &st);
	int why = errno;
	bool is_link = !lstat(o->path, &named) && S_ISLNK(named.st_mode);
	int err = is_link ? check_link(o->path) : 0;

	if (!err && is_link && how & REPLACE_NO_LINK)
		err = -ELOOP;
	if (!err && !is_there && why != ENOENT)
		err = -why;
	if (!err && (is_link || (is_there && S_ISREG(st.st_mode))) && how & REPLACE_NOTHING)
		err = -EEXIST;
	if (err)
		return err;
	return is_there ? open_there(o, &st) : is_link ? open_through(o, mode) : open_new(o);
}

/* ---- writing ---- */

/* Gives the new file the owner and mode of the old one. Returns false if that is not allowed. */
static bool like_before(const struct replace *o)
{
	struct stat old, new;

	if (fstat(o->there, &old) || fstat(o->temporary.fd, &new))
		return false;
	if ((old.st_uid != new.st_uid || old.st_gid != new.st_gid) &&
	    fchown(o->temporary.fd, old.st_uid, old.st_gid))
		return false;
	return !fchmod(o->temporary.fd, old.st_mode & 0777);
}

/* Prepares to write to a file elsewhere, whose contents overwrite the old file at the end. */
static int write_elsewhere(struct replace *o)
{
	temporary_close(&o->temporary);
	free(o->name);
	o->name = NULL;
	o->temporary.fd = temporary_unnamed(NULL);
	return MIN(o->temporary.fd, 0);
}

static int open_temporary(struct replace *o, mode_t mode)
{
	int err = o->name ? temporary_open(&o->temporary, o->dir, o->name, mode) : 0;

	if (o->there >= 0 && (err || !o->name || !like_before(o)))
		err = write_elsewhere(o);
	return err;
}

int replace_begin(struct replace *o, const char *path, mode_t mode, enum replace_how how,
		  struct reason *r)
{
	int err;

	*o = (struct replace)REPLACE_INIT;
	o->path = xstrdup(path);
	err = look(o, mode, how);
	if (!err && !o->stream)
		err = open_temporary(o, mode);
	if (err) {
		reason_errno(r, -err, "cannot write '%s'", path);
		replace_drop(o);
		return err;
	}
	o->fd = o->stream ? o->there : o->temporary.fd;
	return 0;
}

/* Overwrites the old file. Before the first byte it makes sure that the disk has room. */
static int overwrite(struct replace *o)
{
	char *bytes = xmalloc(1 << 16);
	struct stat st;
	off_t at = 0;
	ssize_t n = 1;
	int err = fstat(o->fd, &st) ? -errno : 0;

	if (!err && st.st_size && fallocate(o->there, FALLOC_FL_KEEP_SIZE, 0, st.st_size) &&
	    (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO))
		err = -errno;
	while (!err && n > 0) {
		n = pread(o->fd, bytes, 1 << 16, at);
		err = n < 0 ? -errno : write_all(o->there, bytes, (size_t)n);
		at += MAX(n, 0);
	}
	free(bytes);
	if (!err && ftruncate(o->there, st.st_size))
		err = -errno;
	return err;
}

static bool is_same(const struct replace *o)
{
	struct stat named, there;

	return !fstat(o->there, &there) && !fstatat(o->dir, o->name, &named, AT_SYMLINK_NOFOLLOW) &&
	       named.st_ino == there.st_ino && named.st_dev == there.st_dev;
}

/*
 * Puts the new file in place. A file that appeared with that name meanwhile is not ours to replace.
 */
static int put_in_place(struct replace *o)
{
	int err;

	if (o->there < 0)
		return temporary_place_new(&o->temporary, o->name);
	if (!o->name)
		return overwrite(o);
	if (!is_same(o))
		return -EEXIST;
	err = temporary_place(&o->temporary, o->name);
	/* a mount point, an attribute, a sticky directory */
	if (err == -EBUSY || err == -EPERM || err == -EACCES || err == -EXDEV)
		err = overwrite(o);
	return err;
}

int replace_end(struct replace *o, struct reason *r)
{
	int err;

	if (o->stream) {
		err = close(o->there) ? -errno : 0;
		o->there = -1;
	} else {
		err = put_in_place(o);
	}
	if (err)
		reason_errno(r, -err, "cannot write '%s'", o->path);
	else
		o->through = false;
	replace_drop(o);
	return err;
}

void replace_drop(struct replace *o)
{
	temporary_close(&o->temporary);
	if (o->through && o->name && is_same(o))
		unlinkat(o->dir, o->name, 0);
	if (o->there >= 0)
		close(o->there);
	if (o->dir >= 0)
		close(o->dir);
	free(o->name);
	free(o->path);
	*o = (struct replace)REPLACE_INIT;
}

int replace_text(const char *path, const char *text, size_t len, mode_t mode, enum replace_how how,
		 struct reason *r)
{
	struct replace o;
	int err = replace_begin(&o, path, mode, how, r);

	if (err)
		return err;
	err = write_all(o.fd, text, len);
	if (!err)
		return replace_end(&o, r);
	replace_drop(&o);
	return reason_errno(r, -err, "cannot write '%s'", path);
}

/* ---- outputs that readers follow ---- */

static int check_directory(const char *path)
{
	char *dir = directory_of(path);
	int err = file_access(dir, W_OK | X_OK) ? -errno : 0;

	free(dir);
	return err;
}

static int check(const char *path)
{
	struct stat st, named;
	int err, fd;

	if (replace_is_descriptor(path))
		return fcntl(descriptor_of(path), F_GETFD) < 0 ? -errno : 0;
	err = check_link(path);
	if (!err && stat(path, &st))
		return errno != ENOENT ? -errno : !lstat(path, &named) ? 0 : check_directory(path);
	if (err || S_ISDIR(st.st_mode))
		return err ? err : -EISDIR;
	if (!S_ISREG(st.st_mode))
		return file_access(path, W_OK) ? -errno : 0;
	fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 || close(fd) ? -errno : 0;
}

int replace_check(const char *path, struct reason *r)
{
	int err = check(path);

	return err ? reason_errno(r, -err, "cannot write '%s'", path) : 0;
}

/*
 * Reports whether a signal that ends perf is pending, one that perf neither ignores nor has
 * handled.
 */
static bool ends_meanwhile(const sigset_t *ends)
{
	struct sigaction now;
	sigset_t pending;

	sigpending(&pending);
	for (int sig = 1; sig < NSIG; sig++)
		if (sigismember(ends, sig) == 1 && sigismember(&pending, sig) == 1 &&
		    !sigaction(sig, NULL, &now) && now.sa_handler != SIG_IGN)
			return true;
	return false;
}

/*
 * Waits for the reader of a FIFO. open() would begin again after a signal whose handler only takes
 * a note, so perf could not be ended.
 */
static int open_fifo(const char *path, int how)
{
	const struct timespec step = { .tv_nsec = 20 * 1000 * 1000 };
	static const int ending[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP };
	sigset_t ends, before;
	int fd, err;

	sigemptyset(&ends);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		sigaddset(&ends, ending[i]);
	pthread_sigmask(SIG_BLOCK, &ends, &before);
	while ((fd = open(path, how | O_NONBLOCK)) < 0 && errno == ENXIO) {
		if (ends_meanwhile(&ends)) {
			errno = EINTR;
			break;
		}
		nanosleep(&step, NULL);
	}
	err = errno;
	if (fd >= 0)
		fcntl(fd, F_SETFL, how & O_APPEND);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = err;
	return fd;
}

static int open_output(const char *path, int how, mode_t mode)
{
	struct stat st;

	return !stat(path, &st) && S_ISFIFO(st.st_mode) ? open_fifo(path, how)
							: open(path, how, mode);
}

int replace_open(const char *path, bool append, mode_t mode, struct reason *r)
{
	int how = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (append ? O_APPEND : O_TRUNC);
	int descriptor = descriptor_of(path), err = check_link(path), fd = -1;

	if (!err)
		fd = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
				     : open_output(path, how, mode);
	if (fd >= 0)
		return fd;
	return reason_errno(r, err ? -err : errno, "cannot write '%s'", path);
}

/* ---- PATH.old ---- */

static const char *kind(mode_t mode)
{
	return S_ISLNK(mode)    ? "a symbolic link"
	       : S_ISDIR(mode)  ? "a directory"
	       : S_ISFIFO(mode) ? "a FIFO"
	       : S_ISSOCK(mode) ? "a socket"
				: "a device";
}

static int check_target(const char *to, bool directories, struct reason *r)
{
	struct stat st;

	if (lstat(to, &st) || S_ISREG(st.st_mode) || (directories && S_ISDIR(st.st_mode)))
		return 0;
	reason_set(r, EEXIST, "'%s' is %s, which perf does not replace", to, kind(st.st_mode));
	reason_hint(r, "move it away, or give the output another name with -o");
	return -EEXIST;
}

int replace_check_old(const char *place, bool directories, struct reason *r)
{
	char *old = xasprintf("%s.old", place);
	int err = check_target(old, directories, r);

	free(old);
	return err;
}

int replace_rename(const char *from, const char *to, struct reason *r)
{
	int err = check_target(to, true, r);
	struct stat st;

	if (err)
		return err;
	if (lstat(from, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return reason_set(r, EEXIST, "'%s' is %s, which perf does not rename", from,
				  kind(st.st_mode));
	else if (rename(from, to))
		err = -errno;
	return err ? reason_errno(r, -err, "cannot rename '%s' to '%s'", from, to) : 0;
}

int replace_keep_old(const char *path, struct reason *r)
{
	char *place, *old;
	struct stat st;
	int err;

	if (replace_is_descriptor(path) || stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	place = replace_place(path, r);
	if (!place)
		return -EACCES;
	old = xasprintf("%s.old", place);
	err = replace_check_old(place, false, r);
	if (!err)
		err = replace_rename(place, old, r);
	free(old);
	free(place);
	return err;
}
