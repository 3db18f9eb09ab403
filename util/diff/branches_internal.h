/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by branches.c, which gathers, and branches_text.c, which compares. */
#ifndef DIFF_BRANCHES_INTERNAL_H
#define DIFF_BRANCHES_INTERNAL_H

#include "base/hash.h"
#include "base/text.h"
#include "diff/branches.h"

struct u64_list {
	VEC(u64) list;
};

struct branch_profile {
	struct session *session;
	struct line_store *lines;
	VEC(struct block *) blocks;
	VEC(struct stream *) streams;
	struct strmap block_by_key, stream_by_key; /* event and key -> index */
	struct strmap symbol_period;		   /* event, dso, symbol -> period */
	struct u64_list samples, period;	   /* by event */
	struct strbuf key, text;		   /* scratch */
	VEC(struct sample_branch) branches;	   /* of the sample at hand */
};

#endif
