// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/debuginfo.h"

#include <errno.h>

#include "sys/obstacles.h"

static int without(struct reason *r)
{
	reason_set(r, ENODATA,
		   "this perf was built without libdw, so it reads no debug information");
	obstacle_hint(OBSTACLE_LIBRARY, &(struct obstacle_words){ .needs = "libdw-dev" }, r);
	return -ENODATA;
}

int debuginfo_open(const struct object_search *search, const char *path,
		   const struct build_id *want, struct debuginfo **out, struct reason *r)
{
	(void)search, (void)path, (void)want, (void)out;
	return without(r);
}

void debuginfo_close(struct debuginfo *d)
{
	(void)d;
}

const char *debuginfo_path(const struct debuginfo *d)
{
	(void)d;
	return "";
}

bool debuginfo_is_kernel(const struct debuginfo *d)
{
	(void)d;
	return false;
}

const struct arch *debuginfo_arch(const struct debuginfo *d)
{
	(void)d;
	return NULL;
}

int debuginfo_find_source(struct debuginfo *d, const char *file, const char *directory,
			  const char *source, char **out, struct reason *r)
{
	(void)d, (void)file, (void)directory, (void)source, (void)out;
	return without(r);
}
