// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Making room for a new recording: the older one of that name becomes PATH.old.
 *
 * A recording may be a directory (see data_create_directory):
 *
 *	data  data.0  data.1 ...  kcore_dir/{kcore,kallsyms,modules}
 *
 * A directory with anything else in it belongs to the user. It is neither removed nor renamed, and
 * nothing is removed before all of it has been checked. A recorder locks the directory that it
 * writes, so two of them never share one. For files see base/replace.h.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/replace.h"
#include "base/text.h"
#include "data/writer_internal.h"

static bool is_data_name(const char *name)
{
	if (!str_starts(name, "data"))
		return false;
	name += strlen("data");
	return !*name ||
	       (*name == '.' && name[1] && strspn(name + 1, "0123456789") == strlen(name + 1));
}

static bool is_kernel_name(const char *name)
{
	return !strcmp(name, "kcore") || !strcmp(name, "kallsyms") || !strcmp(name, "modules");
}

static bool is_kernel_directory(const char *name)
{
	return str_starts(name, "kcore_dir");
}

/*
 * Reports whether the directory has perf data. Empty files are those of a recorder that ended
 * before it had a header.
 */
static bool is_perf_data(int dir)
{
	int fd = openat(dir, "data", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char magic[8];
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, magic, sizeof(magic));
	close(fd);
	return n == 0 ||
	       (n == 8 && (!memcmp(magic, "PERFILE2", 8) || !memcmp(magic, "2ELIFREP", 8)));
}

bool data_is_type(int dir, const char *name, mode_t type)
{
	struct stat st;

	return !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && (st.st_mode & S_IFMT) == type;
}

/*
 * Calls act() for each entry of the directory name in parent.  A name that act() refuses
 * is left in *strange, and ends the walk: -ENOTEMPTY.
 */
static int walk(int parent, const char *name, int (*act)(int dir, const char *name), char **strange)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;
	int err = 0;

	if (!dir) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (d = readdir(dir))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		err = act(dirfd(dir), d->d_name);
		if (err && strange && !*strange)
			*strange = xstrdup(d->d_name);
	}
	closedir(dir);
	return err;
}

static int check_kernel_file(int dir, const char *name)
{
	return is_kernel_name(name) && data_is_type(dir, name, S_IFREG) ? 0 : -ENOTEMPTY;
}

static int check_entry(int dir, const char *name)
{
	if (is_data_name(name))
		return data_is_type(dir, name, S_IFREG) ? 0 : -ENOTEMPTY;
	return is_kernel_directory(name) && data_is_type(dir, name, S_IFDIR)
		       ? walk(dir, name, check_kernel_file, NULL)
		       : -ENOTEMPTY;
}

static int refuse_entry(int dir, const char *name)
{
	(void)dir;
	(void)name;
	return -ENOTEMPTY;
}

static int remove_file(int dir, const char *name)
{
	return unlinkat(dir, name, 0) ? -errno : 0;
}

static int remove_entry(int dir, const char *name)
{
	int err;

	if (is_data_name(name))
		return remove_file(dir, name);
	err = walk(dir, name, remove_file, NULL);
	return err ? err : unlinkat(dir, name, AT_REMOVEDIR) ? -errno : 0;
}

int data_lock_directory(int fd, const char *path, struct reason *r)
{
	/* a file system without such locks goes without */
	if (!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
		return 0;
	reason_set(r, EBUSY, "another process records into '%s'", path);
	reason_hint(r, "give the recording another name with -o");
	return -EBUSY;
}

/*
 * Checks that the directory at path is a recording and nothing else, and that nobody writes to it
 * now.
 */
static int check_directory(const char *path, struct reason *r)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *strange = NULL;
	int err;

	if (fd < 0)
		return reason_errno(r, errno, "cannot open '%s'", path);
	err = walk(fd, ".", check_entry, &strange);
	if (strange) {
		reason_set(r, EEXIST, "'%s' holds '%s', which is not part of a recording", path,
			   strange);
		reason_hint(r,
			    "move the directory away, or give the recording another name with -o");
		err = -EEXIST;
	} else if (err) {
		reason_errno(r, -err, "cannot read '%s'", path);
	} else if (!is_perf_data(fd)) {
		err = reason_set(r, EEXIST, "'%s' is a directory and not a recording", path);
		reason_hint(r, "give the recording another name with -o");
	} else {
		err = data_lock_directory(fd, path, r);
	}
	free(strange);
	close(fd);
	return err;
}

int data_remove(const char *path, struct reason *r)
{
	struct stat st;
	int err;

	if (lstat(path, &st))
		return reason_errno(r, errno, "cannot remove '%s'", path);
	if (!S_ISDIR(st.st_mode))
		return remove(path) ? reason_errno(r, errno, "cannot remove '%s'", path) : 0;
	err = check_directory(path, r);
	if (err)
		return err;
	err = walk(AT_FDCWD, path, remove_entry, NULL);
	if (!err && rmdir(path))
		err = -errno;
	return err ? reason_errno(r, -err, "cannot remove '%s'", path) : 0;
}

bool data_is_empty_directory(int dir, const char *name)
{
	return !walk(dir, name, refuse_entry, NULL);
}

/* Is there something at path that is worth keeping, and something older at PATH.old? */
struct old_output {
	bool keep, older;
	bool remove_older; /* a rename cannot replace it */
};

static int look_at_output(const char *path, const char *old, struct old_output *o, struct reason *r)
{
	struct stat st, older;
	int err = 0;

	*o = (struct old_output){ 0 };
	if (stat(path, &st) || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) || !st.st_size ||
	    replace_is_descriptor(path) ||
	    (S_ISDIR(st.st_mode) && data_is_empty_directory(AT_FDCWD, path)))
		return 0;
	if (S_ISDIR(st.st_mode))
		err = check_directory(path, r);
	if (!err)
		err = replace_check_old(path, true, r);
	if (err || lstat(old, &older)) {
		o->keep = !err;
		return err;
	}
	if (S_ISDIR(older.st_mode))
		err = check_directory(old, r);
	if (err)
		reason_prefix(r, "cannot keep '%s' as '%s'", path, old);
	o->remove_older = S_ISDIR(older.st_mode) || S_ISDIR(st.st_mode);
	o->keep = o->older = true;
	return err;
}

char *data_place(const char *path, struct reason *r)
{
	struct stat st;

	/* a device is written as it is named, and a dangling link is written through */
	return stat(path, &st) || replace_is_stream(path) ? xstrdup(path) : replace_place(path, r);
}

int data_may_create(const char *path, bool *keep, struct reason *r)
{
	char *place = data_place(path, r), *old;
	struct old_output o;
	int err;

	if (!place)
		return -EACCES;
	old = xasprintf("%s.old", place);
	err = look_at_output(place, old, &o, r);
	if (keep)
		*keep = o.keep;
	free(old);
	free(place);
	return err;
}

static int exchange(const char *a, const char *b)
{
	/* replace-ok: both keep a name */
	return renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}

static void rename_without_replacing(const char *from, const char *to)
{
	/* replace-ok: replaces nothing */
	int err = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);

	/* a file system may know no flags */
	if (err && errno == EINVAL &&
	    faccessat(AT_FDCWD, to, F_OK, AT_SYMLINK_NOFOLLOW | AT_EACCESS))
		rename(from, to); /* replace-ok: there was no such file */
}

/* Makes way for the output. Nothing is removed where the file system can exchange two names. */
static int make_way(const char *place, const char *old, const struct old_output *o,
		    enum data_way *way, struct reason *r)
{
	int err = 0;

	if (o->older && !exchange(place, old)) {
		*way = DATA_WAY_EXCHANGED;
		return 0;
	}
	if (o->older && errno != EINVAL && errno != ENOSYS)
		return reason_errno(r, errno, "cannot rename '%s' to '%s'", place, old);
	if (o->remove_older)
		err = data_remove(old, r);
	if (!err)
		err = replace_rename(place, old, r);
	if (!err)
		*way = DATA_WAY_RENAMED;
	return err;
}

int data_keep_old(const char *path, enum data_way *way, struct reason *r)
{
	char *place = data_place(path, r), *old;
	struct old_output o;
	int err;

	if (!place)
		return -EACCES;
	old = xasprintf("%s.old", place);
	err = look_at_output(place, old, &o, r);
	if (!err && o.keep)
		err = make_way(place, old, &o, way, r);
	free(old);
	free(place);
	return err;
}

void data_give_back_old(const char *path, enum data_way way)
{
	char *place = data_place(path, NULL), *old = place ? xasprintf("%s.old", place) : NULL;

	if (place && way == DATA_WAY_EXCHANGED)
		exchange(old, place);
	else if (place)
		rename_without_replacing(old, place);
	free(old);
	free(place);
}
