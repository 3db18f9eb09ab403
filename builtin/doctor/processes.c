// SPDX-License-Identifier: GPL-2.0-or-later
/* Looks at processes of other users, of the host, and at those that are nobody's children. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/perf_abi.h"
#include "builtin/doctor/internal.h"
#include "sys/obstacles.h"

static const struct obstacle_words no_words = { NULL };

/* Opens a counter of a process that runs as another user: 0, or why not. */
static int open_other(pid_t pid, struct reason *r)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = ATTR_SIZE_VER5,
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.flags = ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV };
	int fd = open_or_explain(&attr, "task-clock:u", pid, -1, r);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Tries the first process of another user in /proc that does not end meanwhile. */
static int try_those_shown(DIR *d, struct reason *r)
{
	int err = DOCTOR_NOTHING_TO_TRY;

	for (const struct dirent *e; err && (e = readdir(d));) {
		struct stat st;

		if (!isdigit((unsigned char)e->d_name[0]) || fstatat(dirfd(d), e->d_name, &st, 0) ||
		    st.st_uid == geteuid())
			continue;
		err = open_other((pid_t)strtol(e->d_name, NULL, 10), r);
		if (err != -ESRCH)
			return err;
		err = DOCTOR_NOTHING_TO_TRY;
	}
	return err;
}

int try_other_users(const struct context *ctx, struct reason *r)
{
	DIR *d = opendir("/proc");
	struct stat st;
	int err;

	(void)ctx;
	if (!d)
		return reason_errno(r, errno, "cannot read /proc");
	err = try_those_shown(d, r);
	closedir(d);
	/* the kernel knows the first process, and /proc does not show it */
	if (err > 0 && stat("/proc/1", &st) && kill(1, 0) && errno == EPERM)
		return obstacle_refuse(OBSTACLE_HIDEPID, &no_words, EACCES, r);
	return err;
}

int try_host_pids(const struct context *ctx, struct reason *r)
{
	(void)ctx;
	if (in_first_pid_namespace(NULL))
		return 0;
	return obstacle_refuse(OBSTACLE_PID_NAMESPACE, &no_words, ESRCH, r);
}

/*
 * Starts a process that is not a child of this one. It ends when the other end of the pipe `lives`
 * is closed; 0: it could not be started.
 */
static pid_t start_orphan(int lives[2])
{
	int number[2];
	pid_t child, orphan = 0;

	if (pipe(number))
		return 0;
	child = fork();
	if (!child) {
		char byte;

		orphan = fork();
		if (!orphan) {
			close(lives[1]);
			close(number[1]);
			while (read(lives[0], &byte, 1) < 0 && errno == EINTR)
				;
			_exit(0);
		}
		_exit(write(number[1], &orphan, sizeof(orphan)) != sizeof(orphan));
	}
	close(number[1]);
	if (child < 0 || read(number[0], &orphan, sizeof(orphan)) != sizeof(orphan))
		orphan = 0;
	close(number[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return MAX(orphan, 0);
}

int try_memory_of_others(const struct context *ctx, struct reason *r)
{
	int lives[2], err = DOCTOR_NOTHING_TO_TRY;
	struct obstacle_site at;
	pid_t orphan;
	char here = 0, there;
	struct iovec to = { &there, 1 }, from = { &here, 1 };

	(void)ctx;
	if (pipe(lives))
		return err;
	orphan = start_orphan(lives);
	if (orphan)
		err = process_vm_readv(orphan, &to, 1, &from, 1, 0) == 1 ? 0 : -errno;
	close(lives[0]);
	close(lives[1]);
	if (err >= 0)
		return err;
	obstacle_site_init(&at, NULL, NULL, 0);
	if (err == -EPERM && obstacle_find(&at, OBSTACLE_YAMA, OBSTACLE_YAMA) != OBSTACLES)
		return obstacle_refuse(OBSTACLE_YAMA, &no_words, EPERM, r);
	return reason_errno(r, -err, "cannot read the memory of a process of the same user");
}
