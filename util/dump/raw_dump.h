/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shows every record of a file in order, with its bytes and what they mean: -D of the commands that
 * read files.
 */
#ifndef DUMP_RAW_DUMP_H
#define DUMP_RAW_DUMP_H

#include "base/out.h"
#include "session/session.h"

/*
 * Prints the dump. skip_empty omits kinds of records that never occurred from the closing table.
 * file_order: in the order of the file, not of time.
 */
int raw_dump(struct session *s, bool skip_empty, bool file_order, struct out *out,
	     struct reason *r) MUST_CHECK;

#endif
