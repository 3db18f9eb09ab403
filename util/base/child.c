// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/child.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
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
