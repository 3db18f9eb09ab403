/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of perf sched stats: stats.c has the subcommands, stats_print.c the tables. */
#ifndef BUILTIN_SCHED_STATS_H
#define BUILTIN_SCHED_STATS_H

#include "base/context.h"
#include "base/reason.h"
#include "base/strbuf.h"

/* -C: only these CPUs; NULL: all. */
struct stats_cpus {
	const char *text; /* as typed */
	u32 *list;
	size_t count;
};
int stats_print(struct context *ctx, const struct stats_cpus *only, const char *path,
		struct strbuf *b, struct reason *r) MUST_CHECK;
int stats_print_diff(struct context *ctx, const struct stats_cpus *only, const char *before,
		     const char *after, struct strbuf *b, struct reason *r) MUST_CHECK;

#endif
