// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>

#include "symbol/demangle.h"

char *demangle_itanium(const char *name, bool params)
{
	(void)name, (void)params;
	return NULL;
}
