/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf record --require: says which conditions do not hold.  Samples, lost, throttled and
 * multiplexed are the recorder's counts; for whole and named the finished file is read once.
 */
#ifndef BUILTIN_RECORD_REQUIRE_H
#define BUILTIN_RECORD_REQUIRE_H

#include "base/context.h"
#include "truth/require.h"

/* 0; EXIT_NOT_HELD once the lines are said; or the status of a failure, which is said. */
int record_check_require(struct context *ctx, const char *file, const struct require *conditions,
			 const struct truth *counted);

#endif
