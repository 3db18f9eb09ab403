/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of feature sections, for writing, inside the data room. */
#ifndef DATA_FEATURE_BUILD_H
#define DATA_FEATURE_BUILD_H

#include "base/strbuf.h"

/* Texts fill whole units of this many bytes. */
enum { TEXT_ALIGN = 64 };

void feature_add_u32(struct strbuf *b, u32 v);
void feature_add_u64(struct strbuf *b, u64 v);
/* Adds u32 length, then the text padded with NULs to whole units, as perf writes it. */
void feature_add_text(struct strbuf *b, const char *s);

#endif
