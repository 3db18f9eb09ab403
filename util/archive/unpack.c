// SPDX-License-Identifier: GPL-2.0-or-later
/* Unpacks an archive into the cache, and its recording into the current directory. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/internal.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/temporary.h"

struct unpacking {
	struct context *ctx;
	const struct archive_request *q;
	bool damaged; /* something is truncated or unreadable */
	char *recording;
};

/* Lists or extracts an archive. Returns tar's exit status, and its list in *listing. */
static int list_or_extract(const struct context *ctx, const char *tar, const char *dir,
			   int *listing, struct reason *r)
{
	const char *argv[16] = { "tar",
				 "--force-local",
				 "--quoting-style=escape",
				 "--numeric-owner",
				 dir ? "-xvvf" : "-tvvf",
				 tar,
				 NULL };
	size_t n = 6;
	int status;

	*listing = memfd_create("perf-archive", MFD_CLOEXEC);
	if (*listing < 0)
		return reason_errno(r, errno, "cannot make a temporary file");
	if (dir) {
		argv[n++] = "--no-same-owner";
		argv[n++] = "--no-same-permissions";
		argv[n++] = "-C";
		argv[n++] = dir;
	}
	status = tar_run(ctx, dir ? "unpacking" : "reading the archive", argv, *listing, -1, !dir,
			 r);
	if (status < 0)
		close(*listing);
	return status;
}

/* Extracts into the new directory dir; adds the names of incomplete files to cut. */
static int extract(struct unpacking *u, const char *tar, const char *dir, struct strlist *cut,
		   struct reason *r)
{
	int listing, status = list_or_extract(u->ctx, tar, dir, &listing, r), err = 0;

	if (status < 0)
		return status;
	if (status > 0) {
		u->damaged = true;
		err = archive_cut_files(listing, dir, cut, r);
	}
	close(listing);
	return err;
}

/* Unpacks objects into a directory in the cache, so files only have to be moved. */
static int unpack_objects(struct unpacking *u, const char *tar, struct reason *r)
{
	const char *cache = u->ctx->buildid_dir;
	struct temporary_directory dir = TEMPORARY_DIRECTORY_INIT;
	char *name = xasprintf("%s/unpack", cache);
	struct strlist cut = { VEC_INIT };
	int err = temporary_directory(&dir, name, 0700);

	if (err)
		reason_errno(r, -err, "cannot write into '%s'", cache);
	else
		err = extract(u, tar, dir.path, &cut, r);
	if (!err)
		err = archive_place(u->ctx, dir.path, cache, &cut, r);
	temporary_directory_end(&dir);
	strlist_release(&cut);
	free(name);
	return err;
}

static char *only_match(const char *dir, const char *pattern)
{
	char *all = xasprintf("%s/%s", dir, pattern), *found = NULL;
	glob_t g = { 0 };

	if (!glob(all, 0, NULL, &g) && g.gl_pathc == 1)
		found = xstrdup(g.gl_pathv[0]);
	globfree(&g);
	free(all);
	return found;
}

/* Moves PERF.DATA, which is beside its PERF.DATA.tar.bz2, to the current directory. */
static int take_recording(struct unpacking *u, const char *inner, const struct strlist *cut,
			  struct reason *r)
{
	char *data = xstrndup(inner, strlen(inner) - strlen(".tar.bz2"));
	const char *name = path_base(data);
	struct stat st;
	int err = 0;

	if (!lstat(name, &st)) {
		err = reason_set(r, EEXIST, "'%s' is already here", name);
		reason_hint(r, "mv '%s' '%s.old'", name, name);
	} else if (lstat(data, &st) || strlist_has(cut, name)) {
		u->damaged = true;
	} else if ((!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) || !archive_is_plain(data)) {
		err = reason_set(r, EINVAL, "'%s' in the archive is not a recording", name);
	} else if (renameat2(AT_FDCWD, data, AT_FDCWD, name,
			     RENAME_NOREPLACE)) { /* replace-ok: replaces nothing */
		err = reason_errno(r, errno, "cannot put '%s' here", name);
	} else {
		u->recording = xstrdup(name);
	}
	free(data);
	return err;
}

/*
 * Unpacks the outer archive into a directory in the current one, so the recording only has to be
 * moved.
 */
static int unpack_both(struct unpacking *u, const char *tar, struct reason *r)
{
	struct temporary_directory dir = TEMPORARY_DIRECTORY_INIT;
	struct strlist cut = { VEC_INIT };
	struct stat st;
	char *inner;
	int err = temporary_directory(&dir, "archive", 0700);

	if (err)
		return reason_errno(r, -err, "cannot write here");
	err = extract(u, tar, dir.path, &cut, r);
	inner = err ? NULL : only_match(dir.path, "*.tar.bz2");
	if (!err && (!inner || lstat(inner, &st) || !S_ISREG(st.st_mode)))
		err = reason_set(r, EINVAL, "'%s' does not hold one archive of objects", tar);
	if (!err)
		err = take_recording(u, inner, &cut, r);
	if (!err)
		err = unpack_objects(u, inner, r);
	free(inner);
	strlist_release(&cut);
	temporary_directory_end(&dir);
	return err;
}

/* Names what a damaged archive lacks, as far as a recording here shows it. */
static void name_gaps(struct unpacking *u)
{
	struct archive_request q = *u->q;
	struct strbuf members = STRBUF_INIT;
	struct reason none = REASON_INIT;

	q.excluded_file = NULL;
	if (u->recording)
		q.data = u->recording;
	if (!file_access(q.data, R_OK))
		archive_members(u->ctx, &q, &members, &none);
	reason_release(&none);
	strbuf_release(&members);
}

static int not_an_archive(const char *tar, struct reason *r)
{
	reason_set(r, EINVAL, "'%s' is not an archive that tar can read", tar);
	reason_hint(r, "'tar -tf FILE' says why; 'perf archive' makes FILE.tar.bz2");
	return -EINVAL;
}

static int unpack(struct unpacking *u, const char *tar, struct reason *r)
{
	const char *cache = u->ctx->buildid_dir;
	int listing, err;
	bool both;

	if (file_access(tar, R_OK)) {
		err = reason_errno(r, errno, "cannot open '%s'", tar);
		reason_hint(r, "'perf archive' makes it on the machine that was recorded");
		return err;
	}
	if (mkdir(cache, 0755) && errno != EEXIST)
		return reason_errno(r, errno, "cannot make '%s'", cache);
	err = list_or_extract(u->ctx, tar, NULL, &listing, r);
	if (err < 0)
		return err;
	if (err > 0 && lseek(listing, 0, SEEK_END) == 0) {
		close(listing);
		return not_an_archive(tar, r);
	}
	both = archive_holds_recording(listing);
	close(listing);
	err = both ? unpack_both(u, tar, r) : unpack_objects(u, tar, r);
	if (err || !u->damaged)
		return err;
	name_gaps(u);
	return reason_set(r, EIO, "'%s' is damaged: what could be read of it is in the cache", tar);
}

int archive_unpack(struct context *ctx, const struct archive_request *q, const char *tar,
		   char **recording, struct reason *r)
{
	struct unpacking u = { .ctx = ctx, .q = q };
	char *found = tar ? xstrdup(tar) : only_match(".", "perf.all-*.tar.bz2");
	int err;

	if (!found)
		found = xasprintf("%s.tar.bz2", q->data);
	err = unpack(&u, found, r);
	free(found);
	*recording = u.recording;
	return err;
}
