// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Resets what this process handles: until exec, its handlers would swallow a signal to the child.
 */
static void reset_handlers(void)
{
	struct sigaction act, plain = { .sa_handler = SIG_DFL };

	for (int sig = 1; sig < NSIG; sig++)
		if (!sigaction(sig, NULL, &act) && act.sa_handler != SIG_DFL &&
		    act.sa_handler != SIG_IGN)
			sigaction(sig, &plain, NULL);
}

pid_t fork_bound(int sig)
{
	pid_t parent = getpid(), pid;
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = fork();
	err = errno;
	if (!pid)
		reset_handlers();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = err;
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, sig);
	if (getppid() != parent) /* it ended before the request */
		_exit(1);
	return 0;
}

__attribute__((noreturn)) static void become(char *const argv[], void (*prepare)(void *arg),
					     void *arg, int report)
{
	int err;

	if (prepare)
		prepare(arg);
	execvp(argv[0], argv);
	err = errno;
	if (write(report, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

/* The pipe closes when the program begins. */
int spawn_bound(char *const argv[], void (*prepare)(void *arg), void *arg, pid_t *pid)
{
	int fds[2], err;
	ssize_t n;

	if (pipe2(fds, O_CLOEXEC))
		return errno;
	*pid = fork_bound(SIGTERM);
	err = errno;
	if (!*pid)
		become(argv, prepare, arg, fds[1]);
	close(fds[1]);
	if (*pid > 0) {
		do
			n = read(fds[0], &err, sizeof(err));
		while (n < 0 && errno == EINTR);
		if (n != sizeof(err))
			err = 0;
		else
			waitpid(*pid, NULL, 0);
	}
	close(fds[0]);
	return err;
}
