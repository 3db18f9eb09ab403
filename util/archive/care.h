/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf buildid-cache: adds single copies to the build-id cache, replaces, removes and lists them.
 *
 * Errors: -errno with a reason. Each action becomes a note of the context. Text is added to a
 * buffer of the caller's, with names made printable. Threads: one.
 */
#ifndef ARCHIVE_CARE_H
#define ARCHIVE_CARE_H

#include "base/context.h"
#include "base/reason.h"
#include "base/strbuf.h"

struct debug_servers;

struct cache_care {
	struct context *ctx;           /* its buildid_dir is the cache */
	struct debug_servers *servers; /* searched for debug files of what is added; or NULL */
	unsigned target; /* the process in whose mount namespace file names are; 0 for ours */
};

/* Checks that the files of the target can be seen. */
int cache_care_check(const struct cache_care *c, struct reason *r);
/*
 * Add a copy of the file, with its SDT markers and debug file; cache_care_update() replaces an
 * existing one.
 */
int cache_care_add(const struct cache_care *c, const char *path, struct reason *r);
int cache_care_update(const struct cache_care *c, const char *path, struct reason *r);
/* Removes whatever has the build-id of this file. */
int cache_care_remove(const struct cache_care *c, const char *path, struct reason *r);
/* Removes every version of that path, or everything if it is NULL. */
int cache_care_purge(const struct cache_care *c, const char *path, struct reason *r);
/*
 * Adds the kernel's code beside the file kcore; with force, even if it is there. *said is a
 * message, or NULL.
 */
int cache_care_kcore(const struct cache_care *c, const char *kcore, bool force, char **said,
		     struct reason *r);
/* Write lines "HEX PATH": of the cache, or of what a recording needs and the cache lacks. */
int cache_care_list(const struct cache_care *c, struct strbuf *b, struct reason *r);
int cache_care_missing(const struct cache_care *c, const char *recording, bool force,
		       struct strbuf *b, struct reason *r);

#endif
