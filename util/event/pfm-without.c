// SPDX-License-Identifier: GPL-2.0-or-later
/* In a build without libpfm4. */
#include "event/pfm.h"

int pfm_encode(const char *text, struct pfm_code *code)
{
	(void)text;
	(void)code;
	return 0;
}

bool pfm_built_in(void)
{
	return false;
}

void pfm_each(void (*each)(void *arg, const char *name, const char *description), void *arg)
{
	(void)each;
	(void)arg;
}
