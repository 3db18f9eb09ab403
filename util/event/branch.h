/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of branch filters for record -j and the term branch_type: bits PERF_SAMPLE_BRANCH_* of
 * attr.branch_sample_type.
 */
#ifndef EVENT_BRANCH_H
#define EVENT_BRANCH_H

#include "base/types.h"

/* Adds the bits of one filter. Returns false if the name is unknown. */
bool branch_filter_add(const char *name, u64 *bits);

/* Returns the type in the flags of struct sample_branch: "CALL"; "" if the kernel recorded none. */
const char *branch_type_name(u64 flags);

#endif
