// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command that is measured: forked early, so that events can be opened on
 * it, and held at a pipe until they are.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/out.h"
#include "base/text.h"
#include "live/internal.h"

static int may_execute(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EACCES;
	return file_access(path, X_OK) ? -errno : 0;
}

/*
 * Looks in the directories of PATH as execvp() does: 0, -ENOENT, -EACCES. On success *found is to
 * be freed.
 */
static int find_in_path(const char *program, char **found)
{
	const char *path = getenv("PATH");
	struct strlist dirs = { VEC_INIT };
	int result = -ENOENT;

	strlist_split(&dirs, path ? path : "/bin:/usr/bin", ":");
	vec_for_each(&dirs.list, dir) {
		char *full = xasprintf("%s/%s", **dir ? *dir : ".", program);
		int err = may_execute(full);

		if (!err) {
			*found = full;
			result = 0;
			break;
		}
		free(full);
		if (err == -EACCES)
			result = err;
	}
	/* an empty part of PATH is the current directory */
	if (result && path &&
	    (strstr(path, "::") || *path == ':' || str_ends(path, ":") || !*path) &&
	    !may_execute(program)) {
		*found = xstrdup(program);
		result = 0;
	}
	strlist_release(&dirs);
	return result;
}

static int find_program(const char *program, char **found)
{
	int err;

	if (!strchr(program, '/'))
		return find_in_path(program, found);
	err = may_execute(program);
	*found = err ? NULL : xstrdup(program);
	return err;
}

bool workload_warn_privileged(struct context *ctx, const struct workload *w)
{
	char *path = NULL;
	bool warned = !find_program(w->program, &path) && live_warn_privileged(ctx, path);

	free(path);
	return warned;
}

static int refused_code; /* why the one command that a process measures could not run */

int workload_refused(void)
{
	return refused_code;
}

static int explain_exec(const char *program, int err, struct reason *r)
{
	refused_code = err == ENOENT ? 127 : 126;
	reason_errno(r, err, "cannot run '%s'", program);
	if (err == ENOENT && !strchr(program, '/'))
		reason_hint(
			r,
			"it is in no directory of PATH; options for perf come before the command");
	else if (err == EACCES)
		reason_hint(r, "it is not an executable file, or you may not execute it");
	else if (err == ENOEXEC)
		reason_hint(r, "a script needs a first line like '#!/bin/sh'");
	return -err;
}

/* Puts /dev/null in place of those that the workload shall not use; without one they are closed. */
static void silence(const struct workload *w)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fd == STDIN_FILENO ? !w->no_input : !w->no_output)
			continue;
		if (null < 0 || dup2(null, fd) < 0)
			close(fd);
	}
}

/* In the child: wait for the word, then become the program. */
static void child_run(const struct workload *w, const char *const *argv, int go_fd, int error_fd)
{
	char byte;
	int err;

	prctl(PR_SET_NAME, "perf-exec");
	signal(SIGPIPE, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGUSR2, SIG_DFL);
	if (w->stdout_to_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	silence(w);
	/* end of file: perf ended without starting the workload */
	if (read_all(go_fd, &byte, 1) != 1)
		_exit(0);
	execvp(argv[0], (char *const *)argv);
	err = errno;
	write_all(error_fd, &err, sizeof(err));
	_exit(err == ENOENT ? 127 : 126);
}

int workload_check(const char *const *argv, struct reason *r)
{
	char *found = NULL;
	int err = find_program(argv[0], &found);

	free(found);
	return err ? explain_exec(argv[0], -err, r) : 0;
}

int workload_prepare(struct workload *w, const char *const *argv, struct reason *r)
{
	int go[2] = { -1, -1 }, error[2] = { -1, -1 };
	int err = workload_check(argv, r);

	*w = (struct workload){
		.go_fd = -1,
		.error_fd = -1,
		.stdout_to_stderr = w->stdout_to_stderr,
		.no_input = w->no_input,
		.no_output = w->no_output,
	};
	if (err)
		return err;
	if (pipe2(go, O_CLOEXEC) || pipe2(error, O_CLOEXEC)) {
		err = errno;
		if (go[0] >= 0) {
			close(go[0]);
			close(go[1]);
		}
		return reason_errno(r, err, "cannot make a pipe");
	}
	w->pid = fork_bound(SIGTERM);
	if (!w->pid) {
		close(go[1]);
		close(error[0]);
		child_run(w, argv, go[0], error[1]);
	}
	err = w->pid < 0 ? errno : 0;
	close(go[0]);
	close(error[1]);
	w->go_fd = go[1];
	w->error_fd = error[0];
	w->program = argv[0];
	if (!err)
		return 0;
	close(go[1]);
	close(error[0]);
	w->pid = 0;
	return reason_errno(r, err, "cannot start a process for '%s'", argv[0]);
}

int workload_start(struct workload *w, struct reason *r)
{
	int err = 0;
	ssize_t n;

	write_all(w->go_fd, "", 1);
	close(w->go_fd);
	w->go_fd = -1;
	/* closed by a successful exec */
	n = read_all(w->error_fd, &err, sizeof(err));
	close(w->error_fd);
	w->error_fd = -1;
	if (n != sizeof(err)) {
		w->started = true;
		return 0;
	}
	workload_wait(w, true);
	return explain_exec(w->program, err, r);
}

bool workload_wait(struct workload *w, bool wait)
{
	pid_t got;

	if (w->reaped || w->pid <= 0)
		return true;
	do
		got = waitpid(w->pid, &w->status, wait ? 0 : WNOHANG);
	while (got < 0 && errno == EINTR && wait);
	w->reaped = got == w->pid || (got < 0 && errno == ECHILD);
	return w->reaped;
}

void workload_kill(struct workload *w, int sig)
{
	if (w->pid <= 0 || w->reaped)
		return;
	if (w->go_fd >= 0) { /* not started: it ends by itself when these are closed */
		close(w->go_fd);
		close(w->error_fd);
		w->go_fd = w->error_fd = -1;
		workload_wait(w, true);
		return;
	}
	kill(w->pid, sig);
}

int workload_exit_code(const struct workload *w)
{
	if (WIFSIGNALED(w->status))
		return 128 + WTERMSIG(w->status);
	return WEXITSTATUS(w->status);
}

static int handed_on;

void workload_hand_on(struct workload *w)
{
	if (w->started && workload_wait(w, false))
		handed_on = workload_exit_code(w);
}

int workload_handed_on(void)
{
	return handed_on;
}

int workload_end_signal(const struct workload *w)
{
	return WIFSIGNALED(w->status) ? WTERMSIG(w->status) : 0;
}
