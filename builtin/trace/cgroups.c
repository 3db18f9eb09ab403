// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of the cgroups by which calls were counted.  The BPF programs report cgroup v2 ids, which
 * are the inode numbers of the directories.  One walk over the hierarchy finds all names; unlike
 * opening directories by handle, it needs no privilege.
 */
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/guard.h"
#include "base/text.h"
#include "builtin/trace/internal.h"
#include "sys/sys.h"

/* Returns where cgroup v2 is mounted, which the caller frees, or NULL if it is not. */
static char *mount_of_version_2(void)
{
	struct strbuf text = STRBUF_INIT;
	char *found = NULL, *rest, *line;

	if (!sys_read(NULL, &text, "/proc/mounts"))
		for (rest = text.s; !found && (line = strsep(&rest, "\n"));) {
			char *save, *dir = strtok_r(line, " ", &save) ? strtok_r(NULL, " ", &save)
								      : NULL;
			const char *type = dir ? strtok_r(NULL, " ", &save) : NULL;

			if (type && !strcmp(type, "cgroup2"))
				found = xstrdup(dir);
		}
	strbuf_release(&text);
	return found;
}

static void name_by_inode(struct trace *t, u64 inode, const char *path)
{
	struct strbuf name = STRBUF_INIT;

	vec_for_each(&t->task_list, task)
		if ((*task)->cgroup == inode && !(*task)->cgroup_name) {
			strbuf_str(&name, *path ? path : "/");
			strbuf_printable_names(&name, 0);
			(*task)->cgroup_name = strbuf_detach(&name);
		}
}

void trace_name_cgroups(struct trace *t)
{
	char *mount = mount_of_version_2(), *paths[] = { mount, NULL };
	FTS *walk = mount ? fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL) : NULL;
	FTSENT *at;

	while (walk && (at = fts_read(walk)))
		if (at->fts_info == FTS_D)
			name_by_inode(t, at->fts_statp->st_ino, at->fts_path + strlen(mount));
	if (walk)
		fts_close(walk);
	free(mount);
	vec_for_each(&t->task_list, task)
		if ((*task)->cgroup &&
		    !(*task)->cgroup_name) /* it has gone, or is not mounted here */
			(*task)->cgroup_name = xasprintf("cgroup %" PRIu64, (*task)->cgroup);
}
