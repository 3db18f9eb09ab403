/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be probed, as text: source lines, variables, functions.
 *
 * The text is written into the caller's output; source and names of a file are made
 * printable.  Threads: one at a time per prober.  Errors: -errno and a reason, with nothing
 * written for what failed.
 */
#ifndef PROBE_SHOW_H
#define PROBE_SHOW_H

#include "base/reason.h"
#include "probe/definition.h"

struct context;
struct out;
struct prober;

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

/* Prints the lines of a range for -L, those that can be probed with their number. */
int probe_show_lines(const struct probe_show *s, const char *range, struct reason *r);
/* Prints the variables that are visible at each place of a point, for -V. */
int probe_show_variables(const struct probe_show *s, const char *point, struct reason *r);
/* Prints the functions of the target, for -F. */
int probe_show_functions(const struct probe_show *s, struct reason *r);

#endif
