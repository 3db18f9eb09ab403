// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/threads.h"
#include "base/trace.h"

/* Architectures whose first calls had 16-bit user ids have other calls for 32 bits. */
#ifdef SYS_setfsuid32
enum { SET_FSUID = SYS_setfsuid32, SET_FSGID = SYS_setfsgid32, SET_GROUPS = SYS_setgroups32 };
#else
enum { SET_FSUID = SYS_setfsuid, SET_FSGID = SYS_setfsgid, SET_GROUPS = SYS_setgroups };
#endif

/* Reads the effective ids of a process, which are the second numbers of "Uid:" and "Gid:". */
int user_rights_of(s32 pid, struct user_rights *out)
{
	char path[40], line[256];
	unsigned id;
	int found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (found < 2 && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Uid: %*u %u", &id) == 1) {
			out->uid = id;
			found++;
		} else if (sscanf(line, "Gid: %*u %u", &id) == 1) {
			out->gid = id;
			found++;
		}
	}
	fclose(f);
	return found == 2 ? 0 : -ESRCH;
}

struct user_rights user_rights_own(void)
{
	return (struct user_rights){ geteuid(), getegid() };
}

int process_root_open(s32 pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int open_below(int root, const char *path, int flags)
{
	struct open_how how = { .flags = (u64)(flags | O_CLOEXEC),
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int fd, tries = 0;

	do /* EAGAIN means that a directory was renamed meanwhile */
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	while (fd < 0 && errno == EAGAIN && ++tries < 100);
	if (fd < 0 && errno == ENOSYS) { /* before Linux 5.6: open only what needs no link */
		path += strspn(path, "/");
		fd = openat(root, *path ? path : ".", flags | O_NOFOLLOW | O_CLOEXEC);
	}
	return fd < 0 ? -errno : fd;
}

struct opening {
	const struct user_rights *user;
	int dir;
	const char *path;
	int fd; /* or -errno */
};

static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (syscall(SYS_capget, &head, data))
		return -errno;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		data[i].effective = 0;
	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

/*
 * Takes the user's rights in this thread alone; the C library's functions would change all threads.
 * An ordinary user cannot become another one, and need not: files are opened with the user's own
 * rights.
 */
static int become(const struct user_rights *u)
{
	if (!u->uid && !geteuid())
		return 0;
	if (!geteuid() && syscall(SET_GROUPS, 0, NULL))
		return -errno;
	syscall(SET_FSGID, u->gid);
	syscall(SET_FSUID, u->uid);
	if (!geteuid() &&
	    ((uid_t)syscall(SET_FSUID, -1) != u->uid || (gid_t)syscall(SET_FSGID, -1) != u->gid))
		return -EPERM;
	return drop_capabilities();
}

static void *open_in_thread(void *arg)
{
	struct opening *o = arg;

	o->fd = become(o->user);
	if (!o->fd)
		o->fd = open_below(o->dir, o->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	return NULL;
}

/*
 * Reports whether the user may own the file. Root's file is as good as the user's own, unless
 * others can write it.
 */
bool user_may_own(const struct user_rights *u, int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       (st.st_uid == u->uid || (!st.st_uid && !(st.st_mode & (S_IWGRP | S_IWOTH))));
}

int open_as(const struct user_rights *u, int dir, const char *path)
{
	struct opening o = { .user = u, .dir = dir, .path = path };
	pthread_t thread;
	int err = thread_beside(&thread, open_in_thread, &o);

	if (err)
		return -err;
	pthread_join(thread, NULL);
	if (o.fd >= 0 && !user_may_own(u, o.fd)) {
		close(o.fd);
		o.fd = -EPERM;
	}
	if (o.fd < 0)
		TRACE(object, "'%s' is not opened with the rights of user %u: %s", path,
		      (unsigned)u->uid, strerror(-o.fd));
	return o.fd;
}
