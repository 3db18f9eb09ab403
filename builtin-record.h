/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of perf record. */
#ifndef BUILTIN_RECORD_H
#define BUILTIN_RECORD_H

#include "base/context.h"

struct data_writer;

/*
 * Read the records of path again (flushed, not yet finished), find the objects
 * that have samples (or all) and put their build-ids into w's features; cache:
 * also copy the objects into the build-id cache.  Also the times of the first
 * and last sample.  0, or -errno when it could not be read; what is missing
 * then costs only names later.
 */
int record_add_build_ids(struct context *ctx, struct data_writer *w, const char *path, bool all,
			 bool cache);

#endif
