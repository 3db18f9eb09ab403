// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sched seccomp-notify: a parent answers its child's system calls, so each costs two switches
 * between tasks. Source: seccomp_unotify(2); the flag for synchronous wake-ups is of Linux 6.6.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "builtin/bench/internal.h"
#include "cli/say.h"

#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif

enum { MAGIC = 99 }; /* what the parent lets gettid(2) return */

static int listen_for(int call)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (u32)call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = ARRAY_SIZE(filter), .filter = filter };

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			    &program);
}

/*
 * Runs in the child: installs the filter, sends the descriptor's number to the parent, and calls.
 */
static void call_often(int tell, u64 loops)
{
	int fd;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	fd = listen_for(SYS_gettid);
	if (fd < 0)
		fd = -errno;
	if (write(tell, &fd, sizeof(fd)) != (ssize_t)sizeof(fd) || fd < 0)
		_exit(1);
	for (u64 i = 0; i < loops; i++)
		if (syscall(SYS_gettid) != MAGIC)
			_exit(1);
	_exit(0);
}

static int answer(int fd, u64 loops)
{
	struct seccomp_notif_resp response;
	struct seccomp_notif request;

	for (u64 i = 0; i < loops; i++) {
		memset(&request, 0, sizeof(request));
		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &request))
			return -errno;
		memset(&response, 0, sizeof(response));
		response.id = request.id;
		response.val = MAGIC;
		if (ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &response))
			return -errno;
	}
	return 0;
}

/* Takes the child's descriptor into this process. Returns it, or -1 after an error line. */
static int take_listener(pid_t child, int told, bool sync)
{
	int number, pidfd, fd;

	if (read(told, &number, sizeof(number)) != (ssize_t)sizeof(number))
		number = -ECHILD;
	if (number < 0) {
		bench_failed(-number, "cannot install a seccomp filter with a listener");
		return -1;
	}
	pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	fd = pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
	if (fd < 0)
		bench_failed(errno, "cannot take the listener from the child");
	if (pidfd >= 0)
		close(pidfd);
	if (fd >= 0 && sync &&
	    ioctl(fd, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)) {
		bench_failed(errno, "cannot ask for synchronous wake-ups");
		say_hint("they need Linux 6.6 or later");
		close(fd);
		return -1;
	}
	return fd;
}

static int measure(struct bench *b, pid_t child, int told, int loops, bool sync)
{
	int fd = take_listener(child, told, sync), err, status;
	u64 start;

	if (fd < 0) {
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		return 1;
	}
	start = clock_now();
	err = answer(fd, (u64)loops);
	if (err)
		kill(child, SIGKILL);
	if (waitpid(child, &status, 0) != child || status)
		err = err ? err : -ECHILD;
	start = clock_now() - start;
	close(fd);
	if (err)
		return bench_failed(-err, "cannot answer the child's system calls");
	if (b->format == BENCH_DEFAULT)
		bench_text(b, "# Executed %d system calls\n\n", loops);
	bench_rate(b, start, (u64)loops);
	return 0;
}

int bench_seccomp_notify(struct bench *b, int argc, const char **argv)
{
	int loops = 1000000, fds[2], code;
	bool sync = false;
	const struct option_row rows[] = {
		{ OPTION_INT, 'l', "loop", &loops, .help = "number of loops (default: 1000000)" },
		{ OPTION_FLAG, 's', "sync-mode", &sync,
		  .help = "wake the other side up synchronously" },
		OPT_END_ROW,
	};
	pid_t child;

	code = bench_options(b, rows, &argc, argv);
	if (code)
		return bench_parsed(code);
	if (loops <= 0) {
		say_error("--loop: at least one is needed, not %d", loops);
		return EXIT_USAGE;
	}
	bench_begin(b);
	if (pipe2(fds, O_CLOEXEC))
		return bench_failed(errno, "cannot make a pipe");
	child = bench_fork();
	if (!child) {
		close(fds[0]);
		call_often(fds[1], (u64)loops);
	}
	close(fds[1]);
	code = child < 0 ? bench_failed(errno, "cannot start a process")
			 : measure(b, child, fds[0], loops, sync);
	close(fds[0]);
	return code;
}
