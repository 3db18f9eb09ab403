/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of this room, and for its unit tests. */
#ifndef PROBE_INTERNAL_H
#define PROBE_INTERNAL_H

#include "probe/definition.h"

/* Where a parser stands in the text that the user gave. */
struct probe_parse {
	const char *text, *at;
	struct reason *r;
};

/* -EINVAL; the reason shows the text with a caret below where. */
int probe_fault(struct probe_parse *p, const char *where, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* One argument, which ends at end; p->text is what is shown. */
int probe_parse_argument(struct probe_parse *p, const char *end, struct probe_argument *a);

#endif
