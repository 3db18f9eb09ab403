/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of a finished hist can be believed: of the samples that are shown, how many have a name
 * for their own address, and where the call chains of the samples end.  Counted with the rows, by
 * numbers only: what a cause is called, and what cures it, is the caller's to know.
 */
#ifndef HIST_TRUTH_H
#define HIST_TRUTH_H

#include "base/hash.h"

struct hist;

/* Ends beside those of settings.services.chain_end and hist_sample.stack_end. */
#define HIST_END_NONE    UINT64_MAX       /* a sample in user code has no chain */
#define HIST_END_KERNEL  (UINT64_MAX - 1) /* the chain, or its lack, is the kernel's alone */
#define HIST_END_FULL    (UINT64_MAX - 2) /* it has as many frames as it may have */
#define HIST_END_NO_CODE (UINT64_MAX - 3) /* none of its frames is where code is */

/* Of one event. */
struct hist_truth {
	u64 samples;          /* shown */
	u64 named;            /* of these, with a symbol; 0 for tables that do not look at places */
	struct map64 unnamed; /* image -> samples without a symbol */
	struct map64 ends;    /* end -> samples; empty where chains are not looked at */
};

/* Returns the truth about the event with this number; the hist owns it. */
const struct hist_truth *hist_truth(const struct hist *h, u32 event);

#endif
