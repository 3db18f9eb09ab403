// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Moves files from the directory that tar filled into the cache.
 *
 * Each step goes by name from an open directory and follows no link, so nothing outside of the two
 * trees is reached, whatever the archive or the cache contains.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/internal.h"
#include "base/alloc.h"

enum { MOST_DEPTH = 100 }; /* the deepest nesting of directories: each holds two descriptors */

struct place {
	struct context *ctx;
	const struct strlist *cut;
	int err; /* the error of the first failed move, positive */
};

static void leave_out(struct place *p, const char *path, const char *why)
{
	condition_add(&p->ctx->conditions, CONDITION_DAMAGE, "archive-left-out", path, NULL, 1,
		      NULL, "'%s' %s and was not unpacked", path, why);
}

/* Reports whether a link at path (relative to the top) leads to a place below the top. */
static bool stays_below(const char *path, const char *target)
{
	int depth = 0;

	if (*target == '/')
		return false;
	for (const char *s = path; (s = strchr(s, '/')); s++)
		depth++;
	while (*target && depth >= 0) {
		size_t n = strcspn(target, "/");

		if (n == 2 && !strncmp(target, "..", 2))
			depth--;
		else if (n && !(n == 1 && *target == '.'))
			depth++;
		target += n + (target[n] == '/');
	}
	return depth > 0;
}

static void move(struct place *p, int from, int to, const char *name)
{
	/* replace-ok: replaces nothing */
	if (!renameat2(from, name, to, name, RENAME_NOREPLACE) || errno == EEXIST || p->err)
		return;
	p->err = errno;
}

static void place_file(struct place *p, int from, int to, const char *name, const char *path,
		       const struct stat *st)
{
	if (strlist_has(p->cut, path))
		leave_out(p, path, "is cut off in the archive");
	else if (!fchmodat(from, name, (st->st_mode & 0755) | 0400, 0))
		move(p, from, to, name);
}

static void place_link(struct place *p, int from, int to, const char *name, const char *path)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(from, name, target, sizeof(target) - 1);

	target[MAX(n, 0)] = '\0';
	if (n <= 0 || !str_starts(path, ".build-id/") || !stays_below(path, target))
		leave_out(p, path, "is a link that does not belong in a build-id cache");
	else
		move(p, from, to, name);
}

static void place_tree(struct place *p, int from, int to, const char *above, int depth);

static void place_directory(struct place *p, int from, int to, const char *name, const char *path,
			    int depth)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int inner, outer = -1;

	fchmodat(from, name, 0700, 0);
	inner = openat(from, name, flags);
	if (inner >= 0 && depth < MOST_DEPTH) {
		mkdirat(to, name, 0755);
		outer = openat(to, name, flags);
	}
	if (outer >= 0)
		place_tree(p, inner, outer, path, depth + 1);
	else
		leave_out(p, path, "cannot be a directory in the cache");
	if (inner >= 0)
		close(inner);
	if (outer >= 0)
		close(outer);
}

static void place_entry(struct place *p, int from, int to, const char *name, const char *path,
			int depth)
{
	struct stat st;

	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW))
		return;
	if (S_ISDIR(st.st_mode))
		place_directory(p, from, to, name, path, depth);
	else if (S_ISREG(st.st_mode))
		place_file(p, from, to, name, path, &st);
	else if (S_ISLNK(st.st_mode))
		place_link(p, from, to, name, path);
	else
		leave_out(p, path, "is neither a file nor a link");
}

static void place_tree(struct place *p, int from, int to, const char *above, int depth)
{
	int copy = fcntl(from, F_DUPFD_CLOEXEC, 0);
	DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *e;

	if (!d) {
		p->err = p->err ? p->err : errno;
		if (copy >= 0)
			close(copy);
		return;
	}
	while ((e = readdir(d))) {
		char *path;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		path = xasprintf("%s%s%s", above, *above ? "/" : "", e->d_name);
		place_entry(p, from, to, e->d_name, path, depth);
		free(path);
	}
	closedir(d);
}

int archive_place(struct context *ctx, const char *from, const char *to, const struct strlist *cut,
		  struct reason *r)
{
	struct place p = { .ctx = ctx, .cut = cut };
	int source = open(from, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int target = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (source < 0 || target < 0)
		p.err = errno;
	else
		place_tree(&p, source, target, "", 0);
	if (source >= 0)
		close(source);
	if (target >= 0)
		close(target);
	return p.err ? reason_errno(r, p.err, "cannot put everything into '%s'", to) : 0;
}

static int check_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path;
	(void)ftw;
	return (type == FTW_F && S_ISREG(st->st_mode)) || type == FTW_D ? 0 : 1;
}

bool archive_is_plain(const char *path)
{
	return !nftw(path, check_one, 16, FTW_PHYS);
}
