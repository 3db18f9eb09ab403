/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of basic blocks by cycles, for one event of a profile. */
#ifndef UI_STDIO_BLOCKS_H
#define UI_STDIO_BLOCKS_H

#include "base/strbuf.h"
#include "profile/profile.h"
#include "ui/stdio/hist.h"

/* Adds the table of blocks. Only the separator and no_heads of set count. */
void stdio_blocks(const struct stdio_settings *set, const struct profile_block *rows, size_t count,
		  struct strbuf *b);
/* Adds {"event":, "cycles":, "blocks":[...]}. cycles is the sum over all branches of the event. */
void json_blocks(const char *event, u64 cycles, const struct profile_block *rows, size_t count,
		 struct strbuf *b);

#endif
