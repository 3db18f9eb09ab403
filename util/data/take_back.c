// SPDX-License-Identifier: GPL-2.0-or-later
/* An output that is given up: what was there before it is put back. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/replace.h"
#include "base/trace.h"
#include "data/writer_internal.h"

void data_take_back(struct data_writer *w)
{
	const char *slash = w->directory ? strrchr(w->path, '/') : NULL;
	char *path = slash ? xstrndup(w->path, (size_t)(slash - w->path)) : xstrdup(w->path);
	char *old = xasprintf("%s.old", path);
	bool ours = !w->pipe && data_is_type(AT_FDCWD, path, w->directory ? S_IFDIR : S_IFREG);
	bool kept = w->kept_old, made = w->made || kept;

	data_abandon(w);
	/* neither a stream nor a device was created here, nor an empty file that was there */
	if (ours && made)
		data_remove(path, NULL);
	if (ours && kept && replace_rename(old, path, NULL))
		TRACE(data, "'%s' stays '%s'", path, old);
	free(old);
	free(path);
}
