// SPDX-License-Identifier: GPL-2.0-or-later
/* C++, Rust (both manglings) and D through libiberty, whose headers clash with base/alloc.h. */
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/demangle.h"

char *demangle_itanium(const char *name, bool params)
{
	int options = params ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS;
	char *s = NULL;

	if (name[0] != '_')
		return NULL;
	if (name[1] == 'Z' || name[1] == 'R')
		s = cplus_demangle(name, options);
	else if (name[1] == 'D')
		s = dlang_demangle(name, options);
	if (s && !strcmp(s, name)) {
		free(s);
		s = NULL;
	}
	return s;
}
