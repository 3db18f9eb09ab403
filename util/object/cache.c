// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/cache.h"
#include "object/internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "base/trace.h"

/* Returns DIR/.build-id/xx/rest, which the caller frees. */
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
	if (!stat(path, &st) && S_ISREG(st.st_mode) &&
	    (st.st_nlink == 1 || cache_own_copy(path, id))) {
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
	if (!file_access(path, R_OK))
		return path;
	TRACE(object, "no readable '%s'", path);
	free(path);
	return NULL;
}

/*
 * Reports whether a link leads nowhere, because something that does not know the cache removed its
 * copy.
 */
static bool leads_nowhere(const char *link)
{
	struct stat st;

	return !lstat(link, &st) && S_ISLNK(st.st_mode) && stat(link, &st) &&
	       (errno == ENOENT || errno == ELOOP);
}

/* Makes the link to ../../PATH/HEX, which is relative so the cache can be moved. */
static int make_link(const char *dir, const char *name, const struct build_id *id, struct reason *r)
{
	char *link = link_path(dir, id), *slash = strrchr(link, '/');
	char hex[41], *place = path_under("../..", name), *target;
	int err;

	target = xasprintf("%s/%s", place, build_id_text(id, hex));
	free(place);
	*slash = '\0';
	err = cache_make_dirs(link);
	*slash = '/';
	if (!err && leads_nowhere(link))
		unlink(link);
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
	int err = cache_store(dir, e, r);

	return err ? err : make_link(dir, e->name, &e->id, r);
}

int cache_add_content(const char *dir, struct cache_entry *e, struct reason *r)
{
	int err = cache_store_content(dir, e, r);

	return err ? err : make_link(dir, e->name, &e->id, r);
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

/*
 * Returns where the link leads, or NULL if that is outside the cache, whose files alone may be
 * removed. The caller frees it.
 */
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
