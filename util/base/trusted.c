// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/trusted.h"

#include <grp.h>
#include <pwd.h>
#include <string.h>

/*
 * Reports whether the group has the owner's name and no other members. A shared one ("users") also
 * lists no members.
 */
static bool is_private_group(gid_t gid, uid_t uid)
{
	const struct passwd *user = getpwuid(uid);
	const struct group *group = user ? getgrgid(gid) : NULL;

	if (!group || strcmp(group->gr_name, user->pw_name) != 0)
		return false;
	for (char **member = group->gr_mem; *member; member++)
		if (strcmp(*member, user->pw_name) != 0)
			return false;
	return true;
}

bool others_may_write(const struct stat *st)
{
	return (st->st_mode & S_IWOTH) ||
	       ((st->st_mode & S_IWGRP) && !is_private_group(st->st_gid, st->st_uid));
}
