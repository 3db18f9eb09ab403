// SPDX-License-Identifier: GPL-2.0-or-later
/* Running tar(1). */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive/internal.h"
#include "base/child.h"
#include "base/out.h"
#include "base/progress.h"

static int wait_for_tar(const struct context *ctx, const char *doing, pid_t pid, int *status)
{
	enum { MS = 10 };
	struct progress p;
	u64 waited = 0;
	pid_t ended;

	progress_begin(&p, ctx);
	while (!(ended = waitpid(pid, status, WNOHANG)) || (ended < 0 && errno == EINTR)) {
		poll(NULL, 0, MS);
		waited += MS;
		progress_say(&p, "%s: %.0f s", doing, (double)waited / 1000);
	}
	progress_end(&p);
	return ended < 0 ? -errno : 0;
}

struct descriptors {
	int output, keep; /* or -1 */
	bool quiet;
};

/* In the child. */
static void arrange(void *arg)
{
	const struct descriptors *d = arg;
	int null = d->quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;

	if (d->output >= 0)
		dup2(d->output, STDOUT_FILENO);
	if (d->keep >= 0)
		fcntl(d->keep, F_SETFD, 0);
	if (null >= 0)
		dup2(null, STDERR_FILENO);
}

int tar_run(const struct context *ctx, const char *doing, const char *const *argv, int output,
	    int keep, bool quiet, struct reason *r)
{
	struct descriptors d = { output, keep, quiet };
	pid_t pid;
	int status, err;

	err = spawn_bound((char *const *)(uintptr_t)argv, arrange, &d, &pid);
	if (err) {
		reason_errno(r, err, "cannot run tar");
		reason_hint(r, "perf archive needs the programs tar and bzip2");
		return -err;
	}
	err = wait_for_tar(ctx, doing, pid, &status);
	if (err)
		return reason_errno(r, -err, "cannot wait for tar");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int tar_file_of(const struct strbuf *text, struct reason *r)
{
	int fd = memfd_create("perf-archive", MFD_CLOEXEC), err;

	if (fd < 0)
		return reason_errno(r, errno, "cannot make a temporary file");
	err = write_all(fd, strbuf_cstr(text), text->len);
	if (!err && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	close(fd);
	return reason_errno(r, err ? -err : errno, "cannot write a temporary file");
}
