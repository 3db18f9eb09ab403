// SPDX-License-Identifier: GPL-2.0-or-later
/* --guestmount: a directory with the root of each guest, named by the pid of its hypervisor. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/text.h"
#include "symbol/internal.h"

#define HINT                                                                                       \
	"in it, mount the root of each guest on a directory named by the pid of its hypervisor: "  \
	"sshfs root@GUEST:/ DIR/PID"

int guest_mount_check(const char *path, struct reason *r)
{
	struct stat st;
	int err = stat(path, &st) ? errno : 0;

	if (err)
		reason_errno(r, err, "--guestmount: cannot read '%s'", path);
	else if (!S_ISDIR(st.st_mode))
		reason_set(r, err = ENOTDIR, "--guestmount: '%s' is not a directory", path);
	if (err)
		reason_hint(r, HINT);
	return -err;
}

/*
 * Warns if no guest has its root there. One that is not mounted now may have been when its files
 * were kept.
 */
void guest_mount_say_empty(struct context *ctx, const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *e;
	bool found = false;
	u64 pid;

	while (dir && !found && (e = readdir(dir)))
		found = !parse_u64(e->d_name, &pid) && pid;
	if (dir)
		closedir(dir);
	if (!found)
		condition_add(
			&ctx->conditions, CONDITION_WARNING, "guest-mount-empty", path, NULL, 1,
			HINT,
			"--guestmount: '%s' has no directory that is named by a pid, and gives no "
			"guest's "
			"functions a name",
			path);
}
