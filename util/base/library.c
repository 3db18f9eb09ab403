// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/library.h"

#include <dlfcn.h>

bool library_open(const char *soname, const struct library_symbol *symbols, size_t count)
{
	void *handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; handle && i < count; i++) {
		*symbols[i].at = dlsym(handle, symbols[i].name);
		if (!*symbols[i].at)
			return false;
	}
	return handle;
}
