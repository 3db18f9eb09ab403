// SPDX-License-Identifier: GPL-2.0-or-later
/* Packs objects, and the recording, into an archive. */
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
#include "base/replace.h"

/* Status 1: a file changed meanwhile, as one does that another cache takes a hard link to. */
static int judge(int status, const char *tar, struct reason *r)
{
	return status > 1 ? reason_set(r, EIO, "tar could not write '%s'", tar) : MIN(status, 0);
}

/*
 * Packs members. Their names are data: in a NUL-separated list nothing is an option or ends a name,
 * and a colon in the archive's name is not a host.
 */
static int pack_members(struct context *ctx, const struct strbuf *members, const char *tar, int out,
			struct reason *r)
{
	int list = tar_file_of(members, r), status;
	char *from;

	if (list < 0)
		return list;
	from = xasprintf("/proc/self/fd/%d", list);
	status = tar_run(ctx, "packing objects",
			 (const char *[]){ "tar", "--force-local", "--warning=no-file-changed",
					   "-cjf", "-", "-C", ctx->buildid_dir, "--null",
					   "--verbatim-files-from", "-T", from, NULL },
			 out, list, false, r);
	close(list);
	free(from);
	return judge(status, tar, r);
}

static int pack_objects(struct context *ctx, const struct archive_request *q, const char *tar,
			int out, struct reason *r)
{
	struct strbuf members = STRBUF_INIT;
	int err = archive_members(ctx, q, &members, r);

	if (!err && !members.len)
		err = reason_set(r, ENOENT,
				 "nothing to archive: the cache holds none of the objects of '%s'",
				 q->data);
	if (!err)
		err = pack_members(ctx, &members, tar, out, r);
	strbuf_release(&members);
	return err;
}

/*
 * Returns a rule for tar's names that turns "./FD" into NAME.tar.bz2; no character of the name is
 * special. The caller frees it.
 */
static char *rename_rule(int fd, const char *name)
{
	struct strbuf b = STRBUF_INIT;

	strbuf_f(&b, "--transform=s|^\\./%d$|", fd);
	for (; *name; name++) {
		if (strchr("\\|&", *name))
			strbuf_char(&b, '\\');
		strbuf_char(&b, *name);
	}
	strbuf_str(&b, ".tar.bz2|");
	return b.s;
}

/* Packs the recording and the archive of its objects, an open file, with just their base names. */
static int pack_both(struct context *ctx, const char *real, int objects, const char *tar, int out,
		     struct reason *r)
{
	char *place = xstrndup(real, (size_t)(path_base(real) - real));
	char *name = xasprintf("--add-file=%s", path_base(real)),
	     *rule = rename_rule(objects, path_base(real));
	char *inner = xasprintf("--add-file=./%d", objects);
	int err = judge(tar_run(ctx, "packing the recording",
				(const char *[]){ "tar", "--force-local", "-cjf", "-",
						  "--dereference", rule, "-C", place, name, "-C",
						  "/proc/self/fd", inner, NULL },
				out, objects, false, r),
			tar, r);

	free(inner);
	free(rule);
	free(name);
	free(place);
	return err;
}

/* Packs perf.all-HOST-DATE.tar.bz2: the recording, and the objects in an inner archive. */
static int pack_all(struct context *ctx, const struct archive_request *q, const char *tar, int out,
		    struct reason *r)
{
	char *real = realpath(q->data, NULL);
	int objects, err;

	if (!real)
		return reason_errno(r, errno, "cannot find '%s'", q->data);
	/* links in it would be followed */
	if (!archive_is_plain(real)) {
		err = reason_set(r, EINVAL, "'%s' holds something other than files", q->data);
		free(real);
		return err;
	}
	objects = temporary_unnamed(NULL);
	err = objects < 0 ? reason_errno(r, -objects, "cannot make a temporary file")
			  : pack_objects(ctx, q, tar, objects, r);
	if (!err)
		err = pack_both(ctx, real, objects, tar, out, r);
	if (objects >= 0)
		close(objects);
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

/*
 * Packs an archive. An earlier one stays until the new one is complete. Only the owner can read the
 * new one, because the recording and some objects are private.
 */
int archive_pack(struct context *ctx, const struct archive_request *q, char **out, struct reason *r)
{
	char *tar = q->all ? name_of_all() : xasprintf("%s.tar.bz2", q->data);
	struct replace file;
	int err = replace_begin(&file, tar, 0600, REPLACE_ANY, r);

	if (!err) {
		err = q->all ? pack_all(ctx, q, tar, file.fd, r)
			     : pack_objects(ctx, q, tar, file.fd, r);
		if (!err)
			err = replace_end(&file, r);
		replace_drop(&file);
	}
	if (err)
		free(tar);
	else
		*out = tar;
	return err;
}
