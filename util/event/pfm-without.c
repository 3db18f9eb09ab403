// SPDX-License-Identifier: GPL-2.0-or-later
/* For builds without libpfm4. */
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

void pfm_each(bool masks, pfm_visit visit, void *arg)
{
	(void)masks;
	(void)visit;
	(void)arg;
}

void pfm_want_all_models(void)
{
}

void pfm_all_models(const char *glob, u64 code, pfm_visit visit, void *arg)
{
	(void)glob;
	(void)code;
	(void)visit;
	(void)arg;
}
