// SPDX-License-Identifier: GPL-2.0-or-later
/* Tries this perf's own files: the build-id cache and the libraries. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* in angles: the build's */
#include <config.h>

#include "base/file.h"
#include "builtin/doctor/internal.h"
#include "sys/obstacles.h"

/* The directory, or the nearest one above it that exists; the caller frees it. */
static char *existing_directory(const char *dir)
{
	char *path = xstrdup(dir), *slash;

	while (faccessat(AT_FDCWD, path, F_OK, AT_EACCESS) && errno == ENOENT &&
	       (slash = strrchr(path, '/')))
		slash[slash == path] = '\0';
	return path;
}

/* Writes to a file there that has no name, and is gone when it is closed: 0 or a positive errno. */
static int write_unnamed(const char *dir)
{
	static const char bytes[1 << 16];
	int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600), err = 0;

	/* not every file system has such files */
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		return file_access(dir, W_OK | X_OK) ? errno : 0;
	if (fd < 0)
		return errno;
	if (write(fd, bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes))
		err = errno ? errno : ENOSPC;
	close(fd);
	return err;
}

int try_build_id_cache(const struct context *ctx, struct reason *r)
{
	const char *dir = ctx->buildid_dir;
	struct obstacle_words words = { .what = dir };
	char *there;
	int err;

	if (!dir || !*dir)
		return obstacle_refuse(OBSTACLE_CACHE_NONE, &words, ENOENT, r);
	there = existing_directory(dir);
	errno = 0;
	err = write_unnamed(there);
	free(there);
	if (!err)
		return 0;
	words.is = strerror(err);
	return obstacle_refuse(err == ENOSPC || err == EDQUOT ? OBSTACLE_CACHE_FULL
							      : OBSTACLE_CACHE_UNWRITABLE,
			       &words, err, r);
}

#ifndef MISSING_LIBRARIES
#define MISSING_LIBRARIES
#endif

/* The libraries of scripts/libraries that the build did not find. */
static const struct missing {
	const char *name, *package, *lost;
} missing[] = { MISSING_LIBRARIES{ NULL, NULL, NULL } };

int try_libraries(const struct context *ctx, struct reason *r)
{
	struct strbuf names = STRBUF_INIT, packages = STRBUF_INIT, lost = STRBUF_INIT;
	int err = 0;

	(void)ctx;
	for (const struct missing *m = missing; m->name; m++) {
		strbuf_f(&names, "%s%s", names.len ? ", " : "", m->name);
		strbuf_f(&packages, "%s%s", packages.len ? " " : "", m->package);
		strbuf_f(&lost, "%s%s", lost.len ? "; " : "", m->lost);
	}
	if (names.len)
		err = obstacle_refuse(OBSTACLE_LIBRARY,
				      &(struct obstacle_words){ .what = names.s,
								.because = lost.s,
								.needs = packages.s },
				      ENOTSUP, r);
	strbuf_release(&names);
	strbuf_release(&packages);
	strbuf_release(&lost);
	return err;
}
