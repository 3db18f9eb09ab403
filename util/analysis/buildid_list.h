/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes lists of build-ids as text: lines "HEX PATH", padded with spaces where no id is known. All
 * functions append to b. Errors: -errno with a reason.
 */
#ifndef ANALYSIS_BUILDID_LIST_H
#define ANALYSIS_BUILDID_LIST_H

#include "base/context.h"
#include "base/reason.h"
#include "base/strbuf.h"

struct buildid_list {
	const char *input; /* as in session_options */
	bool force;
	bool with_hits; /* list only objects that have samples */
};

/* Lists the objects of a recording. */
int buildid_list_text(struct context *ctx, const struct buildid_list *l, struct strbuf *b,
		      struct reason *r) MUST_CHECK;
/* Writes "HEX" of an ELF file; the next function, of the running kernel. */
int buildid_of_elf_text(const char *path, struct strbuf *b, struct reason *r) MUST_CHECK;
int buildid_of_kernel_text(struct strbuf *b, struct reason *r) MUST_CHECK;
/* Writes "HEX START END PATH" for the running kernel and each of its modules. */
int buildid_kernel_maps_text(struct strbuf *b, struct reason *r) MUST_CHECK;

#endif
