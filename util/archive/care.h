/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf buildid-cache: single copies put into the build-id cache, replaced, removed and listed.
 *
 * Errors: -errno with a reason.  What was done becomes a note of the context.  Text is added to
 * a buffer of the caller's, names made printable.  Threads: one.
 */
#ifndef ARCHIVE_CARE_H
#define ARCHIVE_CARE_H

#include "base/context.h"
#include "base/reason.h"
#include "base/strbuf.h"

struct debug_servers;

struct cache_care {
	struct context *ctx;           /* its buildid_dir is the cache */
	struct debug_servers *servers; /* asked for debug files of what is added; or NULL */
	unsigned target; /* the process whose mount namespace the names of files are of; 0: ours */
};

/* Can the files of the target be seen? */
int cache_care_check(const struct cache_care *c, struct reason *r);
/* A copy of the file, with its SDT markers and debug file; update: in place of what is there. */
int cache_care_add(const struct cache_care *c, const char *path, struct reason *r);
int cache_care_update(const struct cache_care *c, const char *path, struct reason *r);
/* Removes whatever has the build-id of this file. */
int cache_care_remove(const struct cache_care *c, const char *path, struct reason *r);
/* Every version of that path; NULL: everything. */
int cache_care_purge(const struct cache_care *c, const char *path, struct reason *r);
/*
 * The kernel's code beside the file kcore; force: also when it is there. *said: what to say, or
 * NULL.
 */
int cache_care_kcore(const struct cache_care *c, const char *kcore, bool force, char **said,
		     struct reason *r);
/* Lines "HEX PATH": of the cache; of what a recording needs and the cache does not have. */
int cache_care_list(const struct cache_care *c, struct strbuf *b, struct reason *r);
int cache_care_missing(const struct cache_care *c, const char *recording, bool force,
		       struct strbuf *b, struct reason *r);

#endif
