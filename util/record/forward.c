// SPDX-License-Identifier: GPL-2.0-or-later
/* Options of perf record in the tables of other commands. */
#include "record/forward.h"

#include "record/command.h"

void record_forward_rows(struct context *ctx, option_rows *rows, struct strlist *words)
{
	option_rows ours = VEC_INIT;
	struct record_request q;

	record_request_init(&q, ctx, 0, NULL);
	record_option_rows(&q, &ours);
	forward_option_rows(rows, ours.items, ours.count, words);
	record_request_release(&q);
	vec_release(&ours);
}
