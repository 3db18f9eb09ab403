// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests which signals end a child that has not become its program yet. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/child.h"

static void handle(int sig)
{
	(void)sig;
}

/* Returns the signal that ended fork_bound()'s child, or 0 if it lived on. */
static int child_gets(int sig)
{
	pid_t pid = fork_bound(SIGKILL);
	int status = -1;

	if (!pid) {
		raise(sig);
		_exit(0);
	}
	assert_true(waitpid(pid, &status, 0) == pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void test_signals_of_a_child(void **state)
{
	(void)state;
	sigset_t set, after;

	assert_true(signal(SIGINT, handle) != SIG_ERR);
	assert_int_equal(child_gets(SIGINT), SIGINT);
	assert_true(signal(SIGINT, SIG_IGN) == handle); /* the parent's own is as it was */
	assert_int_equal(child_gets(SIGINT), 0);
	signal(SIGINT, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	assert_int_equal(child_gets(SIGUSR1), 0);
	sigprocmask(SIG_UNBLOCK, &set, &after);
	assert_int_equal(sigismember(&after, SIGUSR1), 1);
	assert_int_equal(sigismember(&after, SIGTERM), 0);
	assert_int_equal(child_gets(SIGUSR1), SIGUSR1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_signals_of_a_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
