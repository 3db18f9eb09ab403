// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/child.h"

#include <sys/prctl.h>
#include <unistd.h>

pid_t fork_bound(int sig)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, sig);
	if (getppid() != parent) /* it ended before that was asked for */
		_exit(1);
	return 0;
}
