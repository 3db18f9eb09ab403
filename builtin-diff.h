/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf diff inside: builtin-diff.c compares shares, builtin-diff-branches.c branch stacks. */
#ifndef BUILTIN_DIFF_H
#define BUILTIN_DIFF_H

#include "builtin.h"
#include "diff/branches.h"
#include "diff/diff.h"
#include "session/choice.h"

struct diff_file {
	const char *path, *time;
	struct session *session;
	struct hist *hist;
	struct branch_profile *branches; /* for cycles and streams */
	struct line_store *lines;
	struct hist_collector **collectors;
	unsigned collector_count;
	struct sample_choice choice;
};

struct diff_command {
	struct context *ctx;
	struct session_options open;
	struct hist_settings set;
	struct diff_settings diff;
	struct diff_draw draw;
	struct diff_file *files;
	size_t file_count;
	bool wrong_use; /* a key that there is not: exit 129 */

	/* as typed */
	const char *sort, *compute, *percentage, *time, *cpus, *pids, *tids, *confidence;
	unsigned order;
	bool order_given, dump, demangle, confidence_given;
	bool stream, histogram;
};

/* Opens the file and settles which of its samples count. */
int diff_open_file(struct diff_command *c, struct diff_file *f, struct reason *r) MUST_CHECK;
/* -c cycles and --stream, whole: 0, an exit code, or -errno with a reason. */
int diff_branches(struct diff_command *c, struct reason *r) MUST_CHECK;

#endif
