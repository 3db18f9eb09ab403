// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Standard output (and error, if it is the same terminal) becomes a pipe to
 * the pager.  A user who leaves early ends us by SIGPIPE, as in any pipeline.
 */
#include "base/file.h"
#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/config.h"

static pid_t pager_pid;

static bool is_off(const char *v)
{
	return !strcmp(v, "false") || !strcmp(v, "no") || !strcmp(v, "off") || !strcmp(v, "0");
}

static bool is_on(const char *v)
{
	return !strcmp(v, "true") || !strcmp(v, "yes") || !strcmp(v, "on") || !strcmp(v, "1");
}

/* Returns the command line of the pager, or NULL for none. */
static const char *pager_command(const struct context *ctx, const char *command)
{
	char key[128];
	const char *set, *env;

	snprintf(key, sizeof(key), "pager.%s", command);
	set = config_get(ctx, key);
	if (set && is_off(set) && ctx->pager != CONTEXT_PAGER_ALWAYS)
		return NULL;
	env = getenv("PERF_PAGER");
	if (!env && set && !is_off(set) && !is_on(set))
		env = set;
	if (!env)
		env = getenv("PAGER");
	if (!env)
		return "less";
	return *env && strcmp(env, "cat") ? env : NULL;
}

static void run_pager(const char *cmd, int in)
{
	dup2(in, STDIN_FILENO);
	close(in);
	/* quit if it fits on a screen, pass colours, leave the text there */
	setenv("LESS", "FRSX", 0);
	execlp("sh", "sh", "-c", cmd, (char *)NULL);
	_exit(127);
}

/* Reports whether sh can find the first word of cmd; otherwise the output would be lost. */
static bool runnable(const char *cmd)
{
	char *word = xstrndup(cmd, strcspn(cmd, " \t"));
	const char *path = getenv("PATH");
	bool found = strchr(word, '/') && !file_access(word, X_OK);

	for (const char *p = path; p && *p && !found && !strchr(word, '/');) {
		size_t len = strcspn(p, ":");
		char *file = xasprintf("%.*s/%s", (int)len, p, word);

		found = !file_access(file, X_OK);
		free(file);
		p += len + (p[len] == ':');
	}
	free(word);
	return found;
}

void pager_start(const struct context *ctx, const char *command)
{
	const char *cmd;
	int fds[2];

	if (pager_pid || ctx->pager == CONTEXT_PAGER_NEVER || !isatty(STDOUT_FILENO))
		return;
	cmd = pager_command(ctx, command);
	if (!cmd || !runnable(cmd) || pipe2(fds, O_CLOEXEC))
		return;
	fflush(stdout);
	pager_pid = fork();
	if (pager_pid == 0)
		run_pager(cmd, fds[0]);
	close(fds[0]);
	if (pager_pid > 0) {
		dup2(fds[1], STDOUT_FILENO);
		if (isatty(STDERR_FILENO))
			dup2(fds[1], STDERR_FILENO);
	} else {
		pager_pid = 0;
	}
	close(fds[1]);
}

bool pager_running(void)
{
	return pager_pid > 0;
}

void pager_finish(void)
{
	if (pager_pid <= 0)
		return;
	fflush(stdout);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (waitpid(pager_pid, NULL, 0) < 0 && errno == EINTR)
		;
	pager_pid = 0;
}
