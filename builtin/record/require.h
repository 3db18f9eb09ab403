/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf record --require: reads the finished file once, and reports the conditions that do not hold.
 */
#ifndef BUILTIN_RECORD_REQUIRE_H
#define BUILTIN_RECORD_REQUIRE_H

#include "base/context.h"
#include "truth/require.h"

/*
 * Checks the conditions. Returns 0, EXIT_NOT_HELD after printing the lines, or the status of a
 * failure that was reported.
 */
int record_check_require(struct context *ctx, const char *file, const struct require *conditions);

#endif
