/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of branch filters, as record -j and the term branch_type take them:
 * bits PERF_SAMPLE_BRANCH_* of attr.branch_sample_type.
 */
#ifndef EVENT_BRANCH_H
#define EVENT_BRANCH_H

#include "base/types.h"

/* Add one filter's bits; false when the name is not known. */
bool branch_filter_add(const char *name, u64 *bits);

/* The type in the flags of struct sample_branch: "CALL"; "" when the kernel gave none. */
const char *branch_type_name(u64 flags);

#endif
