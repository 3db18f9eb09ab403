// SPDX-License-Identifier: GPL-2.0-or-later
/* Options of perf report in the tables of other commands. */
#include "builtin/report/forward.h"

#include "builtin/report/report.h"

void report_forward_rows(struct context *ctx, option_rows *rows, struct strlist *words)
{
	option_rows ours = VEC_INIT;
	struct report p;

	report_init(&p, ctx);
	report_option_rows(&p, &ours);
	forward_option_rows(rows, ours.items, ours.count, words);
	report_release(&p);
	vec_release(&ours);
}
