/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every record of a file in order, its bytes and what they mean: -D of the commands that read. */
#ifndef SCRIPT_RAW_DUMP_H
#define SCRIPT_RAW_DUMP_H

#include "base/out.h"
#include "session/session.h"

/*
 * skip_empty leaves kinds of records that never came out of the closing table.
 * file_order: as the records lie in the file, not in order of time.
 */
int raw_dump(struct session *s, bool skip_empty, bool file_order, struct out *out,
	     struct reason *r) MUST_CHECK;

#endif
