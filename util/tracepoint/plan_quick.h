/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that run plans. */
#ifndef TRACEPOINT_PLAN_QUICK_H
#define TRACEPOINT_PLAN_QUICK_H

#include "tracepoint/plan.h"

/* The input of one run. */
struct plan_run {
	const struct plan *plan;
	const struct tracepoint_formats *formats;
	const struct plan_names *names;
	const u8 *raw;
	u32 raw_size;
	struct strbuf *out;
};

void plan_write_step(const struct plan_run *run, const struct step *step);
/* Makes the quick steps, once all steps are there. */
void plan_make_quick(struct plan *p);

#endif
