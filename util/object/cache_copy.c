// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies in the build-id cache.
 *
 * Each entry is a separate file: with a hard link, a program that writes into the original would
 * change the entry. Where the file system can share blocks, the copy costs almost nothing. A hard
 * link would only be safe to a file that cannot change, but link() refuses immutable files and does
 * not leave a read-only mount.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/out.h"
#include "base/temporary.h"
#include "base/text.h"
#include "base/trace.h"
#include "object/buildid.h"
#include "object/cache.h"
#include "object/internal.h"
#include "object/vdso.h"

/* How often to copy a file that is written meanwhile, before leaving it out. */
enum { TRIES = 3 };

/* Makes a directory and its parents. Returns 0 or -errno. */
int cache_make_dirs(const char *path)
{
	char *p = xstrdup(path);
	int err = 0;

	for (char *s = p + 1; !err; s++) {
		char c = *s;

		if (c && c != '/')
			continue;
		*s = '\0';
		if (mkdir(p, 0755) && errno != EEXIST)
			err = -errno;
		*s = c;
		if (!c)
			break;
	}
	free(p);
	return err;
}

static const char *file_name(enum cache_kind kind)
{
	static const char *const names[] = {
		[CACHE_ELF] = "elf",
		[CACHE_KALLSYMS] = "kallsyms",
		[CACHE_VDSO] = "vdso",
		[CACHE_DEBUG] = "debug",
	};
	return names[kind];
}

static int copy_bytes(int from, int to)
{
	char *buf;
	int err = 0;

	if (!ioctl(to, FICLONE, from))
		return 0;
	/* the loop continues where this stops */
	while (copy_file_range(from, NULL, to, NULL, SSIZE_MAX & ~0xfffL, 0) > 0)
		;
	buf = xmalloc(1 << 18);
	for (;;) {
		ssize_t n = read_all(from, buf, 1 << 18);

		if (n <= 0) {
			err = (int)n;
			break;
		}
		err = write_all(to, buf, (size_t)n);
		if (err)
			break;
	}
	free(buf);
	return err;
}

static bool is_unchanged(const struct stat *before, const struct stat *now)
{
	return before->st_size == now->st_size && before->st_mtim.tv_sec == now->st_mtim.tv_sec &&
	       before->st_mtim.tv_nsec == now->st_mtim.tv_nsec;
}

/*
 * Copies a consistent state of a file. Files that only grow, and are identified by their content,
 * may change meanwhile. Returns -ESTALE if the file keeps changing.
 */
static int copy_state(int from, int to, bool may_grow)
{
	struct stat before, now;
	int err;

	for (int i = 0; i < TRIES; i++) {
		if (lseek(from, 0, SEEK_SET) || lseek(to, 0, SEEK_SET) || ftruncate(to, 0) ||
		    fstat(from, &before))
			return -errno;
		err = copy_bytes(from, to);
		if (err || may_grow)
			return err;
		if (!fstat(from, &now) && is_unchanged(&before, &now))
			return 0;
	}
	return -ESTALE;
}

/*
 * Returns the owner of the cache. A root that came by sudo works in the cache of the user whose
 * HOME it kept.
 */
static uid_t owner_of(const char *dir)
{
	const char *home = getenv("HOME");
	bool in_home = home && home[0] == '/' && str_starts(dir, home) && dir[strlen(home)] == '/';
	struct stat st;

	return stat(in_home ? home : dir, &st) ? geteuid() : st.st_uid;
}

static void give_to(int fd, uid_t owner)
{
	if (!geteuid() && owner && fchown(fd, owner, (gid_t)-1))
		TRACE(object, "cannot give a copy to user %u: it stays root's", (unsigned)owner);
}

static const char *source_of(const struct cache_entry *e)
{
	if (e->source)
		return e->source;
	return e->kind == CACHE_KALLSYMS ? "/proc/kallsyms" : e->name;
}

/*
 * Reports whether everybody may pass through the directories that lead to the file; within a
 * container, from its root.
 */
static bool is_reachable(const char *path)
{
	bool in_container = str_starts(path, "/proc/");
	char *way = in_container ? xstrdup(path) : realpath(path, NULL), *slash;
	struct stat st;
	bool all = true;

	/* map_files: the file is deleted, so only its own rights matter */
	if (in_container && !strstr(path, "/root/")) {
		free(way);
		return true;
	}
	slash = way && in_container ? strstr(way, "/root/") + strlen("/root") : way;
	while (all && slash && (slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		all = !stat(way, &st) && st.st_mode & S_IXOTH;
		*slash = '/';
	}
	all = all && way;
	free(way);
	return all;
}

/*
 * Sets the rights of a copy so that only users who could read the original can read it. The owner
 * of the cache gets the owner's own files. Other files that not everybody may read belong to the
 * user who copied them.
 */
static int set_rights(int to, const char *dir, const struct cache_entry *e, bool content,
		      const struct stat *from)
{
	mode_t mode = e->kind == CACHE_ELF ? 0755 : 0644;
	uid_t owner = owner_of(dir);

	bool owns = from->st_uid == owner;

	if (e->kind == CACHE_KALLSYMS) {
		mode = 0600;
		owns = e->source ? owns || from->st_mode & S_IROTH : kallsyms_shown_to_all();
	} else if (content) {
		mode = 0600;
	} else if (e->kind != CACHE_VDSO && !is_reachable(source_of(e))) {
		mode = (from->st_mode & 0700) | 0400;
	} else if (e->kind != CACHE_VDSO && !(from->st_mode & S_IROTH)) {
		mode = fchown(to, (uid_t)-1, from->st_gid) ? (from->st_mode & 0700) | 0400
							   : (from->st_mode & 0755) | 0400;
	}
	if (mode != 0755 && mode != 0644 && owns)
		give_to(to, owner);
	return fchmod(to, mode) ? -errno : 0;
}

static int fill_vdso(int to, struct reason *r)
{
	size_t size;
	u8 *data;
	int err = vdso_copy(&data, &size, r);

	if (err)
		return err;
	err = write_all(to, data, size);
	free(data);
	return err ? reason_errno(r, -err, "cannot copy the vdso into the build-id cache") : 0;
}

static int fill(int to, const struct cache_entry *e, bool content, struct stat *st,
		struct reason *r)
{
	const char *source = source_of(e);
	int from, err;

	if (e->kind == CACHE_VDSO)
		return fill_vdso(to, r);
	err = e->kind == CACHE_KALLSYMS ? kallsyms_check(source, r) : 0;
	if (err)
		return err;
	from = file_open(source, r);
	if (from < 0)
		return from;
	err = fstat(from, st) ? -errno : copy_state(from, to, content || e->kind == CACHE_KALLSYMS);
	close(from);
	if (err == -ESTALE)
		return reason_set(r, ESTALE,
				  "'%s' was written while it was copied into the build-id cache",
				  source);
	return err ? reason_errno(r, -err, "cannot copy '%s' into the build-id cache", source) : 0;
}

/*
 * Checks the build-id of a copy: the name may belong to another file by now, and in a container to
 * the container's file.
 */
static int check_id(const char *copy, const struct cache_entry *e, struct reason *r)
{
	struct build_id id = { .size = 0 };

	if (e->kind == CACHE_KALLSYMS && (e->source || build_id_of_kernel(NULL, &id, NULL)))
		return 0;
	if (e->kind != CACHE_KALLSYMS && build_id_of_file(copy, &id, NULL))
		id.size = 0;
	if (build_id_equal(&id, &e->id))
		return 0;
	TRACE(object, "not stored: the build-id of '%s' is another one", source_of(e));
	return reason_set(r, ESTALE, "'%s' is not the file that was recorded (build-ids differ)",
			  source_of(e));
}

/*
 * Makes a temporary file in the directory `place`: e's bytes with e's rights. Its id has been
 * checked, or is found.
 */
static int make_copy(const char *dir, const char *place, struct cache_entry *e, bool content,
		     struct temporary *copy, struct reason *r)
{
	struct stat st = { .st_mode = 0 };
	int fd = open(place, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int err = fd < 0 ? -errno : temporary_open(copy, fd, file_name(e->kind), 0600);
	char path[40];

	copy->dir = fd;
	if (err)
		return reason_errno(r, -err, "cannot write in '%s'", place);
	err = fill(copy->fd, e, content, &st, r);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", copy->fd);
	if (!err)
		err = content ? build_id_of_content(path, &e->id, r) : check_id(path, e, r);
	if (!err && set_rights(copy->fd, dir, e, content, &st))
		err = reason_errno(r, errno, "cannot write in '%s'", place);
	return err;
}

/*
 * Reports whether the entry exists. An entry with another name outside the cache is not a copy; it
 * is made again.
 */
static bool is_there(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISREG(st.st_mode) && st.st_nlink == 1;
}

static int make_place(const char *path, struct reason *r)
{
	int err = cache_make_dirs(path);

	return err ? reason_errno(r, -err, "cannot make '%s'", path) : 0;
}

/* Gives the complete copy its name, so no other process sees a partial one. */
static int put_in_place(struct temporary *copy, const char *place, const struct cache_entry *e,
			bool content, struct reason *r)
{
	char hex[41], *home = xasprintf("%s/%s", place, build_id_text(&e->id, hex));
	char *path = xasprintf("%s/%s", home, file_name(e->kind)), *name = path + strlen(place) + 1;
	int err = make_place(home, r), placed = 0;

	if (!err && (content || !is_there(path)))
		placed = temporary_place(copy, name);
	if (placed)
		err = reason_errno(r, -placed, "cannot write '%s'", path);
	free(path);
	free(home);
	return err;
}

static int store(const char *dir, struct cache_entry *e, bool content, struct reason *r)
{
	struct temporary copy = TEMPORARY_INIT;
	char *place = path_under(dir, e->name);
	int err = make_place(place, r), home;

	if (!err)
		err = make_copy(dir, place, e, content, &copy, r);
	if (!err)
		err = put_in_place(&copy, place, e, content, r);
	home = copy.dir;
	temporary_close(&copy);
	if (home >= 0)
		close(home);
	rmdir(place); /* if it is empty */
	free(place);
	return err;
}

int cache_store(const char *dir, const struct cache_entry *e, struct reason *r)
{
	char hex[41], *place, *path;
	struct cache_entry own = *e;
	bool there;

	if (!dir[0])
		return reason_set(r, ENOENT, "no build-id cache directory");
	if (e->id.size < 2)
		return reason_set(r, EINVAL, "'%s' has no build-id", e->name);
	place = path_under(dir, e->name);
	path = xasprintf("%s/%s/%s", place, build_id_text(&e->id, hex), file_name(e->kind));
	there = is_there(path);
	free(path);
	free(place);
	return there ? 0 : store(dir, &own, false, r);
}

int cache_store_content(const char *dir, struct cache_entry *e, struct reason *r)
{
	return dir[0] ? store(dir, e, true, r)
		      : reason_set(r, ENOENT, "no build-id cache directory");
}

/*
 * Reports whether an entry is unchanged since it was stored. Only an entry that is a hard link can
 * have changed. *content is set if its id is a digest.
 */
static bool has_its_id(const char *path, const struct build_id *want, bool *content)
{
	struct build_id id;

	*content = false;
	if (strcmp(path_base(path), "elf"))
		return true;
	if (!build_id_of_file(path, &id, NULL) && build_id_equal(&id, want))
		return true;
	*content = !build_id_of_content(path, &id, NULL) && build_id_equal(&id, want);
	return *content;
}

static int copy_entry(const char *path, int to, bool content)
{
	int from = file_open(path, NULL), err;
	struct stat st;

	if (from < 0)
		return from;
	err = fstat(from, &st) ? -errno : copy_state(from, to, false);
	close(from);
	if (err)
		return err;
	if (fchown(to, st.st_uid, st.st_gid))
		TRACE(object, "the copy of '%s' has another owner", path);
	return fchmod(to, content ? 0600 : st.st_mode & 0777) ? -errno : 0;
}

/* Puts a copy of the entry in its place. */
static void replace_entry(const char *path, bool content)
{
	char *home = xstrndup(path, (size_t)(path_base(path) - path));
	int dir = open(home, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct temporary copy = TEMPORARY_INIT;

	if (dir >= 0 &&
	    (temporary_open(&copy, dir, path_base(path), 0600) ||
	     copy_entry(path, copy.fd, content) || temporary_place(&copy, path_base(path))))
		TRACE(object, "'%s' stays a hard link", path);
	temporary_close(&copy);
	if (dir >= 0)
		close(dir);
	free(home);
}

bool cache_own_copy(const char *path, const struct build_id *id)
{
	bool content;

	if (!has_its_id(path, id, &content)) {
		TRACE(object,
		      "refused '%s': its file was written after it came into the build-id cache",
		      path);
		return false;
	}
	replace_entry(path, content);
	return true;
}
