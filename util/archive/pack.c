// SPDX-License-Identifier: GPL-2.0-or-later
/* Objects, and the recording, into an archive. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "archive/internal.h"
#include "base/alloc.h"

/* Status 1: a file changed meanwhile, as one does that another cache takes a hard link to. */
static int judge(int status, const char *tar, struct reason *r)
{
	return status > 1 ? reason_set(r, EIO, "tar could not write '%s'", tar) : MIN(status, 0);
}

/*
 * Member names are data: after a NUL-separated list nothing in them is an option or ends a
 * name, and a colon in the archive's name is not a host.
 */
static int pack_members(struct context *ctx, const struct strbuf *members, const char *tar,
			struct reason *r)
{
	int list = tar_file_of(members, r), status;
	char *from;

	if (list < 0)
		return list;
	from = xasprintf("/proc/%d/fd/%d", (int)getpid(), list);
	status = tar_run((const char *[]){ "tar", "--force-local", "--warning=no-file-changed", "-cjf", tar,
					   "-C", ctx->buildid_dir, "--null", "--verbatim-files-from",
					   "-T", from, NULL },
			 -1, false, r);
	close(list);
	free(from);
	return judge(status, tar, r);
}

static int pack_objects(struct context *ctx, const struct archive_request *q, const char *tar,
			struct reason *r)
{
	struct strbuf members = STRBUF_INIT;
	int err = archive_members(ctx, q, &members, r);

	if (!err && !members.len)
		err = reason_set(r, ENOENT, "nothing to archive: the cache holds none of the objects of '%s'",
				 q->data);
	if (!err)
		err = pack_members(ctx, &members, tar, r);
	strbuf_release(&members);
	return err;
}

/* The recording and the archive of its objects, by their last names alone. */
static int pack_both(const char *data, const char *dir, const char *objects, const char *tar,
		     struct reason *r)
{
	char *real = realpath(data, NULL), *place, *name, *inner;
	int err;

	if (!real)
		return reason_errno(r, errno, "cannot find '%s'", data);
	place = xstrndup(real, (size_t)(path_base(real) - real));
	name = xasprintf("--add-file=%s", path_base(real));
	inner = xasprintf("--add-file=%s", path_base(objects));
	err = judge(tar_run((const char *[]){ "tar", "--force-local", "-cjf", tar, "-C", place, name, "-C",
					      dir, inner, NULL },
			    -1, false, r),
		    tar, r);
	free(inner);
	free(name);
	free(place);
	free(real);
	return err;
}

/* perf.all-HOST-DATE.tar.bz2: the recording, and the objects in an archive of their own. */
static int pack_all(struct context *ctx, const struct archive_request *q, const char *tar,
		    struct reason *r)
{
	char dir[] = "/tmp/perf-archive-XXXXXX", *objects, *real = realpath(q->data, NULL);
	int err;

	if (!real)
		return reason_errno(r, errno, "cannot find '%s'", q->data);
	if (!mkdtemp(dir)) {
		free(real);
		return reason_errno(r, errno, "cannot make a directory in /tmp");
	}
	objects = xasprintf("%s/%s.tar.bz2", dir, path_base(real));
	err = pack_objects(ctx, q, objects, r);
	if (!err)
		err = pack_both(q->data, dir, objects, tar, r);
	unlink(objects);
	rmdir(dir);
	free(objects);
	free(real);
	return err;
}

static char *name_of_all(void)
{
	time_t now = time(NULL);
	struct utsname host;
	struct tm tm;
	char day[32];

	uname(&host);
	localtime_r(&now, &tm);
	strftime(day, sizeof(day), "%Y%m%d-%H%M%S", &tm);
	return xasprintf("perf.all-%s-%s.tar.bz2", host.nodename, day);
}

/* Written beside its name, so that a failure leaves an earlier archive as it was. */
int archive_pack(struct context *ctx, const struct archive_request *q, char **out, struct reason *r)
{
	char *tar = q->all ? name_of_all() : xasprintf("%s.tar.bz2", q->data);
	char *beside = xasprintf("%s.new-XXXXXX", tar);
	int fd = mkstemp(beside), err;
	mode_t mask = umask(0);

	umask(mask);
	if (fd < 0) {
		err = reason_errno(r, errno, "cannot write '%s'", tar);
	} else {
		fchmod(fd, 0666 & ~mask);
		close(fd);
		err = q->all ? pack_all(ctx, q, beside, r) : pack_objects(ctx, q, beside, r);
		if (!err && rename(beside, tar))
			err = reason_errno(r, errno, "cannot write '%s'", tar);
		if (err)
			unlink(beside);
	}
	free(beside);
	if (err)
		free(tar);
	else
		*out = tar;
	return err;
}
