// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds files that debug information names. */
#include <string.h>
#include <sys/stat.h>

#include "dwarf/die.h"

char *debuginfo_beside(const struct debuginfo *d, const char *name)
{
	const char *path = d->separate.path ? d->separate.path : d->path,
		   *slash = strrchr(path, '/');

	if (name[0] == '/' || !slash)
		return xstrdup(name);
	return xasprintf("%.*s/%s", (int)(slash - path), path, name);
}

bool debuginfo_is_odd(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}
