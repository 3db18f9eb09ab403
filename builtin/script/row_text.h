/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of rows.c and row_text.c: a row of --json or --tsv that is being written. */
#ifndef BUILTIN_SCRIPT_ROW_TEXT_H
#define BUILTIN_SCRIPT_ROW_TEXT_H

#include "builtin/script/internal.h"

struct row {
	struct script *s;
	const struct event_view *v;
	struct strbuf *b;
	bool tsv, any; /* any: something precedes it */
};

/*
 * Adds the text of a member: quoted or, in TSV, with separators escaped. JSON that cannot represent
 * its bytes has them again in the member NAME_bytes.
 */
void row_text(struct row *r, const char *name, const char *text);
/* Adds "0x1f": JSON has no exact numbers of 64 bits. */
void row_hex(struct row *r, u64 v);

#endif
