// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs that run with rights which their user does not have, or that their user may not read.
 *
 * A task that executes one is no longer dumpable, and then the kernel ends the events that were
 * opened on it (begin_new_exec()).  Nothing fails: the counts and the recording are just empty.
 * Events of CPUs are not ended.
 */
#include <endian.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/file.h"
#include "base/privileges.h"
#include "base/text.h"
#include "live/internal.h"
#include "sys/sys.h"

/* With fs.suid_dumpable 1, tasks stay dumpable whatever they execute. */
static bool always_dumpable(const struct sys *sys)
{
	s64 value;

	return !sys_read_s64(sys, &value, "/proc/sys/fs/suid_dumpable") && value == 1;
}

/* The kernel gives a script the rights of its interpreter, not of its own file. */
static bool is_script(const char *path)
{
	char magic[2] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool script = fd >= 0 && read(fd, magic, 2) == 2 && !memcmp(magic, "#!", 2);

	if (fd >= 0)
		close(fd);
	return script;
}

/* The permitted capabilities of the file, of which our own do not have all. */
static bool gains_capabilities(const struct sys *sys, const char *path)
{
	struct strbuf status = STRBUF_INIT;
	const char *at;
	u32 data[6] = { 0 };
	u64 permitted, own = ~0ULL;

	/*
	 * struct vfs_cap_data: the version and flags, then permitted and inheritable, the lower
	 * halves first
	 */
	if (getxattr(path, "security.capability", data, sizeof(data)) < 12)
		return false;
	permitted = le32toh(data[1]) | (u64)le32toh(data[3]) << 32;
	if (!sys_read(sys, &status, "/proc/self/status")) {
		at = strstr(status.s, "\nCapPrm:");
		own = at ? strtoull(at + strlen("\nCapPrm:"), NULL, 16) : 0;
	}
	strbuf_release(&status);
	return permitted & ~own;
}

/* What makes the task undumpable, or NULL. */
static const char *why_undumpable(const struct sys *sys, const char *path)
{
	struct statvfs fs;
	struct stat st;
	bool keeps = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
		     (!statvfs(path, &fs) && fs.f_flag & ST_NOSUID);

	if (stat(path, &st))
		return NULL;
	if (file_access(path, R_OK))
		return "perf's user may not read it";
	if (keeps || is_script(path))
		return NULL;
	if (st.st_mode & S_ISUID && st.st_uid != geteuid())
		return "it is set-user-ID and runs as another user";
	if (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getegid())
		return "it is set-group-ID and runs with another group";
	return gains_capabilities(sys, path) ? "its file gives it capabilities (privileges)" : NULL;
}

bool live_warn_privileged(struct context *ctx, const char *path)
{
	const struct sys sys = { 0 };
	const char *why = always_dumpable(&sys) ? NULL : why_undumpable(&sys, path);

	if (why)
		condition_add(
			&ctx->conditions, CONDITION_WARNING, PRIVILEGED_PROGRAM, NULL, NULL, 1,
			ENDED_EVENTS_HINT,
			"the kernel ends the events of '%s' when it starts, so nothing of it is "
			"measured: %s",
			path, why);
	return why;
}
