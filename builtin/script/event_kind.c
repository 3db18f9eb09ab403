// SPDX-License-Identifier: GPL-2.0-or-later
/* What the addresses of an event's samples are. */
#include "builtin/script/internal.h"

bool script_addr_has_symbol(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && (a->config == PERF_COUNT_SW_PAGE_FAULTS ||
						 a->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
						 a->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

bool script_is_bts(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_HARDWARE && (a->config & PERF_COUNT_HW_BRANCH_INSTRUCTIONS) &&
	       !(a->flags & ATTR_FREQ) && a->sample_period == 1;
}

bool script_is_branch_trace(const struct event *ev)
{
	/* on hybrid CPUs its upper half names the kind of core */
	bool is_branches = (u32)ev->attr.config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS;

	return is_branches && script_is_bts(&ev->attr) && ev->attr.sample_type & PERF_SAMPLE_ADDR;
}

bool script_addr_is_place(const struct event *ev)
{
	return script_addr_has_symbol(&ev->attr) || script_is_bts(&ev->attr);
}
