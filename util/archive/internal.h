/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ARCHIVE_INTERNAL_H
#define ARCHIVE_INTERNAL_H

#include "archive/archive.h"
#include "base/strbuf.h"
#include "base/text.h"

/* tar.c */
/*
 * Runs tar. Returns its exit status, or -errno; its standard output goes to the descriptor, if that
 * is not -1. If quiet, it prints nothing, for a first look at a file that is read again. doing is
 * the word for a line of progress, "packing". tar inherits the descriptor keep, if that is not -1,
 * with the same number.
 */
int tar_run(const struct context *ctx, const char *doing, const char *const *argv, int output,
	    int keep, bool quiet, struct reason *r);
/* Returns an unnamed temporary file with the text, at its start; or -errno. */
int tar_file_of(const struct strbuf *text, struct reason *r);

/* Lists the members that the recording needs, each ended by a NUL byte (manifest.c). */
int archive_members(struct context *ctx, const struct archive_request *q, struct strbuf *members,
		    struct reason *r);

/* listing.c: what tar -vv --quoting-style=escape said of a whole archive. */
/* Members whose files below dir are shorter than they should be, relative to dir. */
int archive_cut_files(int listing, const char *dir, struct strlist *cut, struct reason *r);
/* Reports whether the archive holds a recording with an archive of objects. */
bool archive_holds_recording(int listing);

/* place.c */
/*
 * Moves what the fresh directory from holds into the directory to: regular files that are not in
 * cut, and links of build-ids that stay below to.  A file that to has already stays.
 */
int archive_place(struct context *ctx, const char *from, const char *to, const struct strlist *cut,
		  struct reason *r);
/*
 * Reports whether only directories and regular files are in the path, as in a recording that is a
 * directory.
 */
bool archive_is_plain(const char *path);

#endif
