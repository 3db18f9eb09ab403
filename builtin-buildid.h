/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What perf buildid-list has for other commands. */
#ifndef BUILTIN_BUILDID_H
#define BUILTIN_BUILDID_H

#include "base/context.h"
#include "base/reason.h"
#include "base/strbuf.h"

/* The lines "HEX PATH" of perf buildid-list -i input; blanks where no id is known. */
int buildid_list_text(struct context *ctx, const char *input, bool force, struct strbuf *b,
		      struct reason *r);

#endif
