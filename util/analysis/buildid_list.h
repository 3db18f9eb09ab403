/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of build-ids as text: lines "HEX PATH", padded with spaces where no id is known.
 * Everything is added to b.  Errors: -errno with a reason.
 */
#ifndef ANALYSIS_BUILDID_LIST_H
#define ANALYSIS_BUILDID_LIST_H

#include "base/context.h"
#include "base/reason.h"
#include "base/strbuf.h"

struct buildid_list {
	const char *input; /* as of session_options */
	bool force;
	bool with_hits; /* only objects that have samples */
};

/* The objects of a recording. */
int buildid_list_text(struct context *ctx, const struct buildid_list *l, struct strbuf *b,
		      struct reason *r) MUST_CHECK;
/* "HEX" of an ELF file, of the running kernel. */
int buildid_of_elf_text(const char *path, struct strbuf *b, struct reason *r) MUST_CHECK;
int buildid_of_kernel_text(struct strbuf *b, struct reason *r) MUST_CHECK;
/* "HEX START END PATH" of the running kernel and its modules. */
int buildid_kernel_maps_text(struct strbuf *b, struct reason *r) MUST_CHECK;

#endif
