// SPDX-License-Identifier: GPL-2.0-or-later
/* Workloads that exercise the kernel. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "builtin/test/workload.h"

/* Touches a page that was just given back: one minor fault each time. */
static int fault_loop(u64 loops, struct reason *r)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *p =
		mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return reason_errno(r, errno, "cannot map a page");
	for (u64 i = 0; i < loops; i++) {
		*p = 1;
		madvise((void *)p, page, MADV_DONTNEED);
	}
	munmap((void *)p, page);
	return 0;
}

int workload_traploop(int argc, const char **argv, struct reason *r)
{
	u64 loops;
	int err = workload_number(argc, argv, 0, UINT64_MAX, 1000, &loops, r);

	return err ? err : fault_loop(loops, r);
}

/*
 * Makes numbers that a count must equal: LOOPS times getppid(2), LOOPS writes of one byte to
 * /dev/null, LOOPS minor faults beyond those of a run with LOOPS 0.
 */
int workload_deterministic(int argc, const char **argv, struct reason *r)
{
	u64 loops;
	int fd, err = workload_number(argc, argv, 0, UINT64_MAX, 1000, &loops, r);

	if (err)
		return err;
	fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return reason_errno(r, errno, "cannot open /dev/null");
	for (u64 i = 0; !err && i < loops; i++) {
		syscall(SYS_getppid);
		if (write(fd, "x", 1) != 1)
			err = reason_errno(r, errno, "cannot write to /dev/null");
	}
	close(fd);
	return err ? err : fault_loop(loops, r);
}

static void hand_on(int from, int to, u64 loops)
{
	char c = 0;

	for (u64 i = 0; i < loops; i++)
		if (read(from, &c, 1) != 1 || write(to, &c, 1) != 1)
			return;
}

int workload_context_switch_loop(int argc, const char **argv, struct reason *r)
{
	int there[2], back[2], status, err;
	u64 loops;
	pid_t pid;

	err = workload_number(argc, argv, 0, UINT64_MAX, 1000, &loops, r);
	if (err)
		return err;
	if (pipe2(there, O_CLOEXEC) || pipe2(back, O_CLOEXEC))
		return reason_errno(r, errno, "cannot make a pipe");
	pid = fork_bound(SIGKILL);
	if (pid < 0)
		return reason_errno(r, errno, "cannot fork");
	if (!pid) {
		hand_on(there[0], back[1], loops);
		_exit(0);
	}
	for (u64 i = 0; i < loops; i++) {
		char c = 'x';

		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			break;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	for (int i = 0; i < 2; i++) {
		close(there[i]);
		close(back[i]);
	}
	return 0;
}

/*
 * The numbers of the landlock calls are the same on every architecture; the
 * second and third call carry arguments a tracer can show (a bad descriptor).
 */
enum { NR_LANDLOCK_CREATE = 444, NR_LANDLOCK_ADD_RULE = 445 };

struct landlock_path_rule {
	u64 allowed_access;
	s32 parent_fd;
} __attribute__((packed));

struct landlock_port_rule {
	u64 allowed_access, port;
};

int workload_landlock(int argc, const char **argv, struct reason *r)
{
	struct landlock_path_rule path = { .allowed_access = 1, .parent_fd = 14 };
	struct landlock_port_rule port = { .allowed_access = 1, .port = 19 };

	(void)argc;
	(void)argv;
	(void)r;
	syscall(NR_LANDLOCK_CREATE, NULL, 0, 1);
	syscall(NR_LANDLOCK_ADD_RULE, 11, 1, &path, 45);
	syscall(NR_LANDLOCK_ADD_RULE, 11, 2, &port, 45);
	return 0;
}
