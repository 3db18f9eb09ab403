// SPDX-License-Identifier: GPL-2.0-or-later
/* --group-sort-idx N needs a group of more than N events. */
#include "hist/hist.h"

void hist_check_member(struct context *ctx, const struct hist_settings *set,
		       const struct event_set *events)
{
	u32 most = 0;

	vec_for_each(&events->list, ev)
		most = MAX(most, (*ev)->members);
	if (!set->group || most < 2)
		condition_add(
			&ctx->conditions, CONDITION_WARNING, "group-sort", NULL, NULL, 1,
			"record events as a group, \"{A,B}\", or show them as one with --group",
			"--group-sort-idx has no effect: no group of events is shown");
	else if (set->sort_member >= most)
		condition_add(&ctx->conditions, CONDITION_WARNING, "group-sort", NULL, NULL, 1,
			      NULL,
			      "--group-sort-idx has no effect: no group has an event %u, they are "
			      "numbered from 0",
			      set->sort_member);
}
