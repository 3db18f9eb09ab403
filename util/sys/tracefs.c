// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/tracefs.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/obstacles.h"

/* "SOURCE DIR TYPE OPTIONS ..." of one /proc/mounts line, as a tracing directory. */
static char *tracing_of_mount(const struct sys *sys, const char *line)
{
	char dir[256], type[32];

	if (sscanf(line, "%*s %255s %31s", dir, type) != 2)
		return NULL;
	if (!strcmp(type, "tracefs") && sys_exists(sys, "%s/events", dir))
		return xstrdup(dir);
	if (!strcmp(type, "debugfs") && sys_exists(sys, "%s/tracing/events", dir))
		return xasprintf("%s/tracing", dir);
	return NULL;
}

static char *from_mounts(const struct sys *sys)
{
	struct strbuf b = STRBUF_INIT;
	char *found = NULL, *line, *rest;

	if (!sys_read(sys, &b, "/proc/mounts"))
		for (rest = b.s; !found && (line = strsep(&rest, "\n"));)
			found = tracing_of_mount(sys, line);
	strbuf_release(&b);
	return found;
}

static bool is_mounted(const struct sys *sys, const char *dir)
{
	struct strbuf b = STRBUF_INIT;
	char *what = xasprintf(" %s tracefs ", dir);
	bool mounted = !sys_read(sys, &b, "/proc/mounts") && strstr(b.s, what);

	free(what);
	strbuf_release(&b);
	return mounted;
}

/*
 * A tracefs that no directory shows: a mount that only this process holds, by a descriptor, and
 * that ends with it.  Its descriptor; -1: this user or this kernel cannot (before Linux 5.2).
 */
static int hold_mount(void)
{
	enum { CLOEXEC = 1, CONFIG_CREATE = 6 };
	int context = (int)syscall(SYS_fsopen, "tracefs", CLOEXEC), held = -1;

	if (context < 0)
		return -1;
	if (!syscall(SYS_fsconfig, context, CONFIG_CREATE, NULL, NULL, 0))
		held = (int)syscall(SYS_fsmount, context, CLOEXEC, 0);
	close(context);
	return held;
}

/* The path of that tracefs; NULL: there is none.  It lasts as long as the process, as paths do. */
static char *held_tracefs(const struct sys *sys)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int held = -1;
	char *path = NULL;

	if (sys && sys->root && *sys->root) /* not this machine */
		return NULL;
	pthread_mutex_lock(&lock);
	/* a program that this is a library of may have closed the descriptor */
	if (held < 0 || !sys_exists(sys, "/proc/self/fd/%d/events", held))
		held = hold_mount();
	if (held >= 0)
		path = xasprintf("/proc/self/fd/%d", held);
	pthread_mutex_unlock(&lock);
	if (path && !sys_exists(sys, "%s/events", path)) {
		free(path);
		path = NULL;
	}
	return path;
}

static bool is_locked_down(const struct sys *sys)
{
	struct obstacle_site at;

	obstacle_site_init(&at, sys, NULL, 0);
	return obstacle_find(&at, OBSTACLE_TRACEFS_LOCKDOWN, OBSTACLE_TRACEFS_LOCKDOWN) !=
	       OBSTACLES;
}

void tracefs_hint(const struct sys *sys, const char *dir, struct reason *r)
{
	obstacle_hint(is_locked_down(sys) ? OBSTACLE_TRACEFS_LOCKDOWN : OBSTACLE_TRACEFS_UNREADABLE,
		      &(struct obstacle_words){ .what = dir }, r);
}

int tracefs_refuse_read(const struct sys *sys, const char *dir, int err, struct reason *r)
{
	if (err != EACCES && err != EPERM)
		return reason_errno(r, err, "cannot read %s/events", dir);
	return obstacle_refuse(is_locked_down(sys) ? OBSTACLE_TRACEFS_LOCKDOWN
						   : OBSTACLE_TRACEFS_UNREADABLE,
			       &(struct obstacle_words){ .what = dir }, err, r);
}

int tracefs_refuse_change(const char *dir, const char *file, int err, struct reason *r)
{
	bool user = !strcmp(file, "uprobe_events");
	const char *option = user ? "CONFIG_UPROBE_EVENTS=y" : "CONFIG_KPROBE_EVENTS=y";

	if (err == ENOENT)
		return obstacle_refuse(OBSTACLE_NO_PROBES,
				       &(struct obstacle_words){ .what = user ? "user" : "kernel",
								 .is = file,
								 .needs = option },
				       ENODEV, r);
	if (err == EROFS)
		return obstacle_refuse(OBSTACLE_TRACEFS_READ_ONLY,
				       &(struct obstacle_words){ .what = file, .is = dir }, err, r);
	if (err == EPERM && is_locked_down(NULL))
		return obstacle_refuse(OBSTACLE_TRACEFS_LOCKDOWN,
				       &(struct obstacle_words){ .what = file }, err, r);
	if (err == EACCES || err == EPERM)
		return obstacle_refuse(
			OBSTACLE_PROBES_NEED_ROOT,
			&(struct obstacle_words){ .what = file, .is = strerror(err) }, err, r);
	return reason_errno(r, err, "cannot change %s of tracefs", file);
}

/* A directory that exists, but that we may not read, is a different problem. */
static char *refuse(const struct sys *sys, struct reason *r)
{
	static const char usual[] = "/sys/kernel/tracing";
	const struct obstacle_words words = { .what = usual };

	/* then it has no files, wherever it is mounted */
	if (is_locked_down(sys))
		obstacle_refuse(OBSTACLE_TRACEFS_LOCKDOWN, &words, EPERM, r);
	else if (is_mounted(sys, usual))
		obstacle_refuse(OBSTACLE_TRACEFS_UNREADABLE, &words, EACCES, r);
	else
		obstacle_refuse(OBSTACLE_TRACEFS_NOT_MOUNTED, &words, ENOENT, r);
	reason_machine(r);
	return NULL;
}

static const char *asked_dir;

void tracefs_use(const char *dir)
{
	asked_dir = dir;
}

char *tracefs_find(const struct sys *sys, struct reason *r)
{
	static const char *const usual[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	const char *dir = sys && sys->tracing_dir ? sys->tracing_dir : asked_dir;
	char *found;

	if (dir) {
		if (sys_exists(sys, "%s/events", dir))
			return xstrdup(dir);
		if (sys_exists(sys, "%s/tracing/events", dir))
			return xasprintf("%s/tracing", dir);
		reason_set(r, ENOENT, "no tracepoints below '%s'", dir);
		reason_hint(
			r, "--debugfs-dir takes the directory where debugfs or tracefs is mounted");
		reason_machine(r);
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		if (sys_exists(sys, "%s/events", usual[i]))
			return xstrdup(usual[i]);
	found = from_mounts(sys);
	if (!found)
		found = held_tracefs(sys);
	return found ? found : refuse(sys, r);
}

int tracefs_id(const struct sys *sys, const char *dir, const char *system, const char *name,
	       u64 *id)
{
	return sys_read_u64(sys, id, "%s/events/%s/%s/id", dir, system, name);
}

int tracefs_systems(const struct sys *sys, const char *dir, struct strlist *names)
{
	char *path = xasprintf("%s/events", dir);
	int err = sys_list(sys, names, true, path);

	free(path);
	return err;
}

/* Keep the names that have an id. */
static void drop_without_id(const struct sys *sys, const char *path, struct strlist *names)
{
	size_t kept = 0;

	for (size_t i = 0; i < names->list.count; i++) {
		char *name = names->list.items[i];

		if (sys_exists(sys, "%s/%s/id", path, name))
			names->list.items[kept++] = name;
		else
			free(name);
	}
	names->list.count = kept;
}

int tracefs_tracepoints(const struct sys *sys, const char *dir, const char *system,
			struct strlist *names)
{
	char *path = xasprintf("%s/events/%s", dir, system);
	int err = sys_list(sys, names, true, path);

	/* "ftrace" describes the records of tracers, of which few are events, too;
	   everywhere else each directory is one, and 2,000 looks are saved */
	if (!err && !strcmp(system, "ftrace"))
		drop_without_id(sys, path, names);
	free(path);
	return err;
}
