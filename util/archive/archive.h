/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf archive: packs the objects that a recording needs from the build-id cache with tar(1), and
 * unpacks them into the cache of another machine.
 *
 * Members are paths below the cache, as in other versions of perf: the link .build-id/xx/rest and
 * the directory PATH/HEX that it leads to. With the recording there is an outer archive of two
 * members, PERF.DATA and PERF.DATA.tar.bz2.
 *
 * An archive may come from anybody. It is unpacked into a new directory. Only complete regular
 * files, and links that stay below the cache, are moved to their place, and never through a link.
 * What was left out becomes a condition of the context.
 * Errors: -errno with a reason. Threads: one. Paths of temporary files are below the cache or
 * beside the result. The caller owns strings in the structs.
 */
#ifndef ARCHIVE_ARCHIVE_H
#define ARCHIVE_ARCHIVE_H

#include "base/context.h"
#include "base/reason.h"

struct archive_request {
	const char *data; /* the recording */
	bool force;       /* it may belong to another user */
	bool all;         /* pack: put the recording into the archive as well */
	/* pack: build-ids to leave out, one at the start of each line; or NULL */
	const char *excluded_file;
};
/* Packs an archive. *out is its name, which the caller frees. */
int archive_pack(struct context *ctx, const struct archive_request *q, char **out,
		 struct reason *r) MUST_CHECK;

/*
 * Unpacks an archive. If tar is NULL, it is the only perf.all-*.tar.bz2 in the current directory,
 * or perf.data.tar.bz2. *recording is the name of the recording that is now in the current
 * directory, or NULL; the caller frees it. A damaged archive is used as far as possible. Then it
 * returns -EIO, and conditions name what q->data lacks, if that exists here.
 */
int archive_unpack(struct context *ctx, const struct archive_request *q, const char *tar,
		   char **recording, struct reason *r) MUST_CHECK;

#endif
