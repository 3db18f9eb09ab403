// SPDX-License-Identifier: GPL-2.0-or-later
/* An output that is given up before the work has begun. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "data/writer_internal.h"

void data_take_back(struct data_writer *w)
{
	char *path = w->directory ? data_directory(w) : xstrdup(w->path);
	/* neither a stream nor a device was created here, nor an empty file that was there */
	bool made = w->made && !w->final && !w->pipe &&
		    data_is_type(AT_FDCWD, path, w->directory ? S_IFDIR : S_IFREG);

	data_abandon(w);
	if (made)
		data_remove(path, NULL);
	free(path);
}
