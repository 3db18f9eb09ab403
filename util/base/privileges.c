// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/privileges.h"

#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

bool privileges_are_lent(void)
{
	return getauxval(AT_SECURE);
}

/* Reads the capabilities of this thread. */
static long get(struct __user_cap_data_struct caps[2])
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return syscall(SYS_capget, &head, caps);
}

static long set(const struct __user_cap_data_struct caps[2])
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return syscall(SYS_capset, &head, caps);
}

static int take_own_ids(void)
{
	const gid_t group = getgid();
	const uid_t user = getuid();

	return setresgid(group, group, group) || setresuid(user, user, user);
}

/* Rights to files of any owner. */
static const __u32 file_rights = 1U << CAP_CHOWN | 1U << CAP_DAC_OVERRIDE |
				 1U << CAP_DAC_READ_SEARCH | 1U << CAP_FOWNER | 1U << CAP_FSETID;

/* Makes all permitted capabilities effective, those for files only if with_files. */
static bool make_effective(bool with_files)
{
	struct __user_cap_data_struct caps[2];

	if (get(caps))
		return false;
	caps[0].effective = caps[0].permitted & (with_files ? ~0U : ~file_rights);
	caps[1].effective = caps[1].permitted;
	return !set(caps);
}

int privileges_begin(struct reason *r)
{
	bool own_ids = geteuid() == getuid() && getegid() == getgid();

	if (!privileges_are_lent() && own_ids)
		return 0;
	if ((!own_ids && (prctl(PR_SET_KEEPCAPS, 1) || take_own_ids())) || !make_effective(false))
		return reason_errno(r, errno, "cannot run with another user's rights");
	return 0;
}

bool privileges_raise(const char *path)
{
	int saved = errno;
	bool raised = privileges_are_lent() && !strncmp(path, "/sys/", 5) &&
		      !strstr(path, "/../") && make_effective(true);

	errno = saved;
	return raised;
}

void privileges_lower(void)
{
	int saved = errno;

	make_effective(false);
	errno = saved;
}

static bool has_one_thread(void)
{
	DIR *d = opendir("/proc/self/task");
	unsigned count = 0;

	for (const struct dirent *e; d && (e = readdir(d));)
		count += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return count == 1;
}

int privileges_drop(struct reason *r)
{
	const struct __user_cap_data_struct none[2] = { { 0 } };

	if (!privileges_are_lent())
		return 0;
	if (!has_one_thread())
		return reason_set(
			r, EPERM,
			"cannot give up the rights of this perf: other threads have them");
	/* a kernel without ambient capabilities has none to clear */
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (take_own_ids() || set(none))
		return reason_errno(r, errno, "cannot give up the rights of this perf");
	return 0;
}

int privileges_refuse(const char *path, struct reason *r)
{
	reason_set(r, EPERM,
		   "'%s' is not loaded: this perf has rights that its user lacks, and the program "
		   "would get them",
		   path);
	reason_hint(r, "run perf as root");
	return -EPERM;
}
