// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/pages.h"

#include <stddef.h>
#include <string.h>

const char *page_text(const char *name)
{
	for (const struct page *p = pages; p->name; p++)
		if (!strcmp(p->name, name))
			return p->text;
	return NULL;
}
