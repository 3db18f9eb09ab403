/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shares of the kinds of branches; prints nothing if the recording has no kinds. */
#ifndef UI_STDIO_BRANCH_TYPES_H
#define UI_STDIO_BRANCH_TYPES_H

#include "base/strbuf.h"
#include "profile/profile.h"

/* Adds "# Branch Statistics:" and its lines. */
void stdio_branch_types(const struct profile *p, struct strbuf *b);
/* Adds ,"branch_types":{...}: another member of a JSON object. */
void json_branch_types(const struct profile *p, struct strbuf *b);

#endif
