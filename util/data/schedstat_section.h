/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of perf sched stats: two texts of /proc/schedstat in our own feature section (OURS,
 * version 2), which other readers skip.  Texts rather than numbers, so that a later reader can
 * know versions that this one does not.
 */
#ifndef DATA_SCHEDSTAT_SECTION_H
#define DATA_SCHEDSTAT_SECTION_H

#include "base/context.h"
#include "base/reason.h"
#include "base/strbuf.h"

struct schedstat_texts {
	struct strbuf before, after;
};

int schedstat_section_write(struct context *ctx, const char *path, const struct schedstat_texts *t,
			    struct reason *r) MUST_CHECK;
/* Adds to t.  -ENOENT: the file has no such section. */
int schedstat_section_read(struct context *ctx, const char *path, struct schedstat_texts *t,
			   struct reason *r) MUST_CHECK;

#endif
