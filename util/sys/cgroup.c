// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "sys/obstacles.h"

/* Does a line of /proc/mounts ("dev dir type options ...") name the hierarchy? */
static bool is_hierarchy(char *line, bool version2, char **dir)
{
	char *save = NULL, *options, *type;

	if (!strtok_r(line, " ", &save))
		return false;
	*dir = strtok_r(NULL, " ", &save);
	type = strtok_r(NULL, " ", &save);
	options = strtok_r(NULL, " ", &save);
	if (!options)
		return false;
	if (version2)
		return !strcmp(type, "cgroup2");
	for (char *o = strtok_r(options, ",", &save); o; o = strtok_r(NULL, ",", &save))
		if (!strcmp(o, "perf_event"))
			return !strcmp(type, "cgroup");
	return false;
}

static char *find_mount(const struct strlist *mounts, bool version2)
{
	vec_for_each(&mounts->list, it) {
		char *line = xstrdup(*it), *dir = NULL;
		char *found = is_hierarchy(line, version2, &dir) ? xstrdup(dir) : NULL;

		free(line);
		if (found)
			return found;
	}
	return NULL;
}

char *cgroup_mount(const struct sys *sys, struct reason *r)
{
	struct strbuf text = STRBUF_INIT;
	struct strlist mounts = { VEC_INIT };
	char *dir;

	sys_read(sys, &text, "/proc/mounts");
	strlist_split(&mounts, strbuf_cstr(&text), "\n");
	dir = find_mount(&mounts, false);
	if (!dir)
		dir = find_mount(&mounts, true);
	strlist_release(&mounts);
	strbuf_release(&text);
	if (!dir)
		obstacle_refuse(OBSTACLE_CGROUP_NOT_MOUNTED,
				&(struct obstacle_words){ .what = "/sys/fs/cgroup" }, ENOENT, r);
	return dir;
}

static char *cgroup_path(const struct sys *sys, const char *mount, const char *name)
{
	return sys_path(sys, "%s/%s", mount, name + strspn(name, "/"));
}

int cgroup_open(const struct sys *sys, const char *name, struct reason *r)
{
	char *mount = cgroup_mount(sys, r), *path;
	int fd;

	if (!mount)
		return -ENOENT;
	path = cgroup_path(sys, mount, name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		fd = reason_errno(r, errno, "cannot open the cgroup '%s' (%s)", name, path);
		reason_hint(r, "names are directories below %s", mount);
	}
	free(path);
	free(mount);
	return fd;
}

enum { MOST_DEPTH = 64 };

/* Adds all matching cgroups below name, parents first. */
static void match_below(const struct sys *sys, const char *mount, const char *name,
			const regex_t *regex, struct strlist *names, int depth)
{
	char *path = xasprintf("%s/%s", mount, name);
	struct strlist children = { VEC_INIT };

	if (!regexec(regex, *name ? name : "/", 0, NULL, 0))
		strlist_add(names, *name ? name : "/");
	if (depth < MOST_DEPTH)
		sys_list(sys, &children, true, path);
	vec_for_each(&children.list, it) {
		char *child = xasprintf("%s%s%s", name, *name ? "/" : "", *it);

		match_below(sys, mount, child, regex, names, depth + 1);
		free(child);
	}
	strlist_release(&children);
	free(path);
}

static int no_cgroup(const char *mount, const char *text, struct reason *r)
{
	return obstacle_refuse(OBSTACLE_NO_CGROUP,
			       &(struct obstacle_words){ .what = text, .is = mount }, ENOENT, r);
}

static int no_regex(const char *text, struct reason *r)
{
	reason_usage(r, "'%s' is not a regular expression", text);
	reason_hint(r, "brackets and braces come in pairs; a backslash makes one literal");
	return -EINVAL;
}

static int expand_regex(const struct sys *sys, const char *mount, const char *text,
			struct strlist *names, struct reason *r)
{
	size_t before = names->list.count;
	regex_t regex;
	int err = regcomp(&regex, text, REG_EXTENDED | REG_NOSUB);

	if (err)
		return no_regex(text, r);
	match_below(sys, mount, "", &regex, names, 0);
	regfree(&regex);
	return names->list.count == before ? no_cgroup(mount, text, r) : 0;
}

static int expand_one(const struct sys *sys, const char *mount, const char *text,
		      struct strlist *names, struct reason *r)
{
	char *path = cgroup_path(sys, mount, text);
	bool there = !file_access(path, F_OK);
	int err = 0;

	/* a name that exists is itself, also with a dot or plus in it */
	if (there)
		strlist_add(names, text);
	else if (strpbrk(text, "{}[]()|*+?^$"))
		err = expand_regex(sys, mount, text, names, r);
	else
		err = no_cgroup(mount, text, r);
	free(path);
	return err;
}

int cgroup_expand(const struct sys *sys, const char *list, struct strlist *names, struct reason *r)
{
	char *mount = cgroup_mount(sys, r);
	struct strlist parts = { VEC_INIT };
	int err = mount ? 0 : -ENOENT;

	strlist_split(&parts, list, ",");
	if (!err && !parts.list.count)
		err = reason_set(r, EINVAL, "no cgroup is named");
	vec_for_each(&parts.list, it)
		if (!err)
			err = expand_one(sys, mount, *it, names, r);
	strlist_release(&parts);
	free(mount);
	return err;
}
