// SPDX-License-Identifier: GPL-2.0-or-later
/* Starting the server: the lock, the background, and the word that it is up. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/out.h"
#include "builtin/daemon/internal.h"
#include "cli/say.h"

enum { KEPT_FD = 3 };

static int cannot_use(const char *path, int err, struct reason *r)
{
	if (err == -EPERM)
		return reason_set(r, EPERM, "cannot use '%s': it is not a file of this user alone",
				  path);
	return reason_errno(r, -err, "cannot open '%s'", path);
}

/*
 * Takes the base's lock, so one server runs there. The lock is of the kind that 6.1 takes and ends
 * with the process.
 */
static int take_lock(const char *base, struct reason *r)
{
	char *path = xasprintf("%s/lock", base), text[24] = "";
	int fd = daemon_own_file(path, 0640), err = 0;

	if (fd < 0) {
		err = cannot_use(path, fd, r);
	} else if (lockf(fd, F_TLOCK, 0)) {
		ssize_t n = read(fd, text, sizeof(text) - 1);

		text[n > 0 ? strcspn(text, "\n") : 0] = '\0';
		err = reason_set(r, EBUSY, "another daemon (pid %s) runs on '%s'",
				 n > 0 ? text : "unknown", base);
		reason_hint(r, "'perf daemon stop' stops it");
		close(fd);
	}
	free(path);
	if (err)
		return err;
	snprintf(text, sizeof(text), "%d", getpid());
	/* only information: on a full disk the lock works as well */
	if (ftruncate(fd, 0) || pwrite(fd, text, strlen(text), 0) < 0)
		return 0;
	return 0;
}

static int redirect(const char *base, struct reason *r)
{
	char *path = xasprintf("%s/output", base);
	int in = open("/dev/null", O_RDONLY), out = daemon_own_file(path, 0644);
	int err = 0;

	if (out < 0)
		err = cannot_use(path, out, r);
	else if (in < 0 || ftruncate(out, 0))
		err = reason_errno(r, errno, "cannot write '%s'", path);
	else if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		err = reason_errno(r, errno, "cannot redirect the output");
	if (in > 2)
		close(in);
	if (out > 2)
		close(out);
	free(path);
	return err;
}

/* Serves until the end. The parent waits for a byte at up, which is -1 in the foreground. */
static int serve(struct server *sv, struct wanted *w, int up)
{
	struct reason r = REASON_INIT;
	int err = daemon_check_base(sv->base, up >= 0, &r), socket = -1;

	if (!err)
		err = take_lock(sv->base, &r);
	if (!err) {
		socket = daemon_listen(sv->base, &r);
		err = socket < 0 ? socket : 0;
	}
	if (!err && up >= 0)
		err = redirect(sv->base, &r);
	if (err)
		return say_reason(&r);
	if (up >= 0) {
		write_all(up, "U", 1);
		close(up);
	}
	server_say("daemon started (pid %d)", getpid());
	server_configure(sv, w);
	server_run(sv, socket);
	server_say("daemon exited");
	close(socket);
	return 0;
}

static int go_background(struct server *sv, struct wanted *w)
{
	int up[2];
	char byte;
	pid_t pid;
	bool is_up;

	if (pipe2(up, O_CLOEXEC)) {
		say_error("cannot make a pipe: %s", strerror(errno));
		return 1;
	}
	fflush(stdout);
	pid = fork();
	if (pid < 0) {
		say_error("cannot start a process: %s", strerror(errno));
		return 1;
	}
	if (!pid) {
		/*
		 * a process that waits for the end of an inherited pipe must not wait for the
		 * daemon
		 */
		dup2(up[1], KEPT_FD);
		close_range(KEPT_FD + 1, ~0U, 0);
		setsid();
		if (chdir(sv->base))
			_exit(1);
		_exit(serve(sv, w, KEPT_FD));
	}
	close(up[1]);
	is_up = read(up[0], &byte, 1) == 1;
	close(up[0]);
	/* the child has reported the failure */
	return is_up ? 0 : 1;
}

/*
 * Returns the path of perf itself: sessions run in their own directories, and may outlive the
 * directory where we were started.
 */
static char *own_path(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	return xstrndup(path, n > 0 ? (size_t)n : 0);
}

/*
 * Returns the path in a form that works from any directory; the caller frees it. Links stay links,
 * since they may come to name other files.
 */
static char *from_anywhere(const char *path)
{
	char *here = *path == '/' ? NULL : getcwd(NULL, 0), *whole;

	whole = here ? xasprintf("%s/%s", here, path) : xstrdup(path);
	free(here);
	return whole;
}

int daemon_start(const struct daemon_settings *s)
{
	struct daemon_settings own = *s;
	struct server sv = { .settings = &own, .start = time(NULL) };
	struct wanted w = { .warns = true };
	struct reason r = REASON_INIT;
	char *config = s->config ? from_anywhere(s->config) : NULL;
	int code;

	/* the server changes its directory */
	own.config = config;
	if (wanted_read(&own, &w, &r)) {
		code = say_reason(&r);
	} else {
		sv.base = daemon_base(&own, &w, &r);
		sv.perf = own_path();
		own.base = own.base && sv.base ? sv.base : own.base;
		code = !sv.base        ? say_reason(&r)
		       : s->foreground ? serve(&sv, &w, -1)
				       : go_background(&sv, &w);
	}
	reason_release(&r);
	wanted_release(&w);
	free(config);
	free(sv.base);
	free(sv.perf);
	return code;
}
