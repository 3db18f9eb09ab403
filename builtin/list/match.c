// SPDX-License-Identifier: GPL-2.0-or-later
/* Matches names with the words of the command line. */
#include "builtin/list/internal.h"

bool list_text_matches(const char *name, const char *pattern)
{
	const struct event_row row = { .name = name };

	return event_row_matches(&row, pattern);
}
