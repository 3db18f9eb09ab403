// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/cache.h"
#include "object/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/out.h"
#include "base/text.h"
#include "base/trace.h"
#include "object/vdso.h"
#include "sys/explain.h"

/* DIR/.build-id/xx/rest */
static char *link_path(const char *dir, const struct build_id *id)
{
	char hex[41];

	build_id_text(id, hex);
	return xasprintf("%s/.build-id/%.2s/%s", dir, hex, hex + 2);
}

char *cache_find(const char *dir, const struct build_id *id, const char *what)
{
	char *link, *path;
	struct stat st;

	if (!dir || !dir[0] || id->size < 2)
		return NULL;
	link = link_path(dir, id);
	path = xasprintf("%s/%s", link, what);
	if (!stat(path, &st) && S_ISREG(st.st_mode)) {
		free(link);
		return path;
	}
	free(path);
	/* the older layout: the object itself */
	if (strcmp(what, "debug") && !stat(link, &st) && S_ISREG(st.st_mode))
		return link;
	TRACE(object, "no '%s/%s' in the build-id cache", link, what);
	free(link);
	return NULL;
}

char *debug_dir_find(const char *symfs, const struct build_id *id)
{
	char hex[41], *path;

	if (id->size < 2)
		return NULL;
	build_id_text(id, hex);
	path = xasprintf("%s/usr/lib/debug/.build-id/%.2s/%s.debug", symfs, hex, hex + 2);
	if (!access(path, R_OK))
		return path;
	TRACE(object, "no readable '%s'", path);
	free(path);
	return NULL;
}

/* mkdir -p */
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

static int copy_bytes(int from, int to)
{
	char *buf;
	int err = 0;

	/* file systems that can share blocks do so here; the loop continues where this stops */
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

/* A list whose addresses are all hidden is worth nothing later. */
static bool shows_addresses(const char *path)
{
	FILE *f = file_stream(path, NULL);
	char line[1024];
	bool shows = false;

	while (f && !shows && fgets(line, sizeof(line), f))
		shows = line[strspn(line, "0")] != ' ';
	if (f)
		fclose(f);
	return shows;
}

const char *kallsyms_hidden(const char *path, const char **hint)
{
	const char *why;

	if (strcmp(path, "/proc/kallsyms")) {
		*hint = "as root: cp /proc/kallsyms FILE";
		return "it was copied by a user who may not see them";
	}
	why = explain_kallsyms(NULL, hint);
	if (!*hint)
		*hint = "run perf as root";
	return why ? why : "this process may not see them";
}

static int check_kallsyms(const char *source, struct reason *r)
{
	const char *why, *hint;

	if (shows_addresses(source))
		return 0;
	why = kallsyms_hidden(source, &hint);
	reason_set(r, EPERM, "'%s' shows no addresses: %s", source, why);
	reason_hint(r, "%s", hint);
	return -EPERM;
}

static int fill(int to, const struct cache_entry *e, struct reason *r)
{
	const char *source = e->source ? e->source :
			     e->kind == CACHE_KALLSYMS ? "/proc/kallsyms" : e->name;
	int from, err;

	if (e->kind == CACHE_VDSO) {
		size_t size;
		u8 *data;

		err = vdso_copy(&data, &size, r);
		if (err)
			return err;
		err = write_all(to, data, size);
		free(data);
	} else {
		err = e->kind == CACHE_KALLSYMS ? check_kallsyms(source, r) : 0;
		if (err)
			return err;
		from = file_open(source, r);
		if (from < 0)
			return from;
		err = copy_bytes(from, to);
		close(from);
	}
	return err ? reason_errno(r, -err, "cannot copy '%s' into the build-id cache", source) : 0;
}

static const char *file_name(enum cache_kind kind)
{
	static const char *const names[] = {
		[CACHE_ELF] = "elf", [CACHE_KALLSYMS] = "kallsyms", [CACHE_VDSO] = "vdso",
		[CACHE_DEBUG] = "debug",
	};
	return names[kind];
}

/* A hard link costs nothing, and is safe: upgrades replace files, and ids are checked. */
static bool link_file(const struct cache_entry *e, const char *path)
{
	char *real = e->kind == CACHE_ELF ? realpath(e->source ? e->source : e->name, NULL) : NULL;
	bool done = real && !link(real, path);

	free(real);
	return done;
}

/* The copy is written under another name and then renamed, so that nobody sees a partial one. */
static int make_copy(const char *home, const struct cache_entry *e, struct reason *r)
{
	char *path = xasprintf("%s/%s", home, file_name(e->kind));
	char *beside = xasprintf("%s.XXXXXX", path);
	int err = 0, fd;

	if (!access(path, F_OK) || link_file(e, path))
		goto out;
	fd = mkostemp(beside, O_CLOEXEC);
	if (fd < 0) {
		err = reason_errno(r, errno, "cannot write in '%s'", home);
		goto out;
	}
	err = fill(fd, e, r);
	if (!err && (fchmod(fd, e->kind == CACHE_ELF ? 0755 : 0644) || rename(beside, path)))
		err = reason_errno(r, errno, "cannot write '%s'", path);
	close(fd);
	if (err)
		unlink(beside);
out:
	free(beside);
	free(path);
	return err;
}

/* ../../PATH/HEX, relative so that the cache can be moved whole. */
static int make_link(const char *dir, const char *name, const struct build_id *id,
		     struct reason *r)
{
	char *link = link_path(dir, id), *slash = strrchr(link, '/');
	char hex[41], *place = path_under("../..", name), *target;
	int err;

	target = xasprintf("%s/%s", place, build_id_text(id, hex));
	free(place);
	*slash = '\0';
	err = cache_make_dirs(link);
	*slash = '/';
	if (!err && symlink(target, link) && errno != EEXIST)
		err = -errno;
	if (err)
		reason_errno(r, -err, "cannot make the link '%s'", link);
	free(target);
	free(link);
	return err;
}

int cache_add(const char *dir, const struct cache_entry *e, struct reason *r)
{
	char hex[41], *home, *place;
	int err;

	if (!dir[0])
		return reason_set(r, ENOENT, "no build-id cache directory");
	if (e->id.size < 2)
		return reason_set(r, EINVAL, "'%s' has no build-id", e->name);
	place = path_under(dir, e->name);
	home = xasprintf("%s/%s", place, build_id_text(&e->id, hex));
	free(place);
	err = cache_make_dirs(home);
	if (err)
		reason_errno(r, -err, "cannot make '%s'", home);
	else
		err = make_copy(home, e, r);
	if (!err)
		err = make_link(dir, e->name, &e->id, r);
	free(home);
	return err;
}

static void remove_files(const char *home)
{
	DIR *d = opendir(home);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(home);
}

/* Where the link leads; NULL if that is outside of the cache, whose files alone may be removed. */
static char *home_inside(const char *dir, const char *link)
{
	char *top = realpath(dir, NULL), *home = realpath(link, NULL);

	if (!top || !home || !str_starts(home, top) || home[strlen(top)] != '/') {
		free(home);
		home = NULL;
	}
	free(top);
	return home;
}

int cache_remove(const char *dir, const struct build_id *id, struct reason *r)
{
	char *link, *home, hex[41];
	struct stat st;
	int err = 0;

	if (!dir[0] || id->size < 2)
		return reason_set(r, ENOENT, "no build-id");
	link = link_path(dir, id);
	if (lstat(link, &st)) {
		err = reason_set(r, ENOENT, "build-id %s is not in the cache",
				 build_id_text(id, hex));
	} else {
		home = S_ISLNK(st.st_mode) ? home_inside(dir, link) : NULL;
		if (home)
			remove_files(home);
		free(home);
		if (unlink(link))
			err = reason_errno(r, errno, "cannot remove '%s'", link);
	}
	free(link);
	return err;
}

static int no_dots(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int each_in(const char *sub, const char *first,
		   int (*fn)(void *arg, const struct build_id *id, const char *path), void *arg)
{
	struct dirent **list;
	int n = scandir(sub, &list, no_dots, alphasort), err = 0;

	for (int i = 0; i < n; i++) {
		char *hex = xasprintf("%s%s", first, list[i]->d_name);
		char *link = xasprintf("%s/%s", sub, list[i]->d_name);
		char *home = realpath(link, NULL);
		struct build_id id;

		if (!err && !build_id_parse(hex, &id))
			err = fn(arg, &id, home ? home : link);
		free(home);
		free(link);
		free(hex);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return err;
}

int cache_each(const char *dir, int (*fn)(void *arg, const struct build_id *id, const char *path),
	       void *arg, struct reason *r)
{
	char *top = xasprintf("%s/.build-id", dir);
	struct dirent **list;
	int n = scandir(top, &list, no_dots, alphasort), err = 0;

	if (n < 0)
		err = reason_errno(r, errno, "cannot read '%s'", top);
	for (int i = 0; i < n; i++) {
		char *sub = xasprintf("%s/%s", top, list[i]->d_name);

		if (!err)
			err = each_in(sub, list[i]->d_name, fn, arg);
		free(sub);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	free(top);
	return err;
}
