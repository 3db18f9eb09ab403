/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of perf probe. */
#ifndef BUILTIN_PROBE_H
#define BUILTIN_PROBE_H

#include "base/reason.h"
#include "probe/definition.h"

struct context;
struct out;
struct prober;

/* What -L, -V and -F show. */
struct probe_show {
	struct context *ctx;
	struct prober *prober;
	struct probe_target target;
	const char *source; /* --source, or NULL */
	const char *filter; /* --filter, or NULL: each has its own default */
	bool externs, ranges, no_inlines;
	unsigned max_probes;
	struct out *out;
};

int probe_show_lines(const struct probe_show *s, const char *range, struct reason *r);
int probe_show_variables(const struct probe_show *s, const char *point, struct reason *r);
int probe_show_functions(const struct probe_show *s, struct reason *r);

#endif
