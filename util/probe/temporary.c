// SPDX-License-Identifier: GPL-2.0-or-later
/* Probes that live as long as a run, and the process that guards them. */
#include "probe/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/context.h"
#include "base/out.h"
#include "base/strbuf.h"
#include "probe/probe.h"
#include "probe/tracefs.h"

/* Events that still are open are tried again this often, at these intervals. */
#define REMOVE_TRIES    100
#define REMOVE_PAUSE_US 50000

struct probe_temporary {
	struct prober *prober;
	int pipe;    /* names go to the guard, one a line; its end says that we ended */
	pid_t guard; /* 0: not started */
};

struct probe_temporary *probe_temporary_new(struct context *ctx, const char *vmlinux)
{
	const struct probe_settings settings = {
		.buildid_dir = ctx->buildid_dir,
		.vmlinux = vmlinux,
		.force = true,
	};
	struct probe_temporary *t = xcalloc(1, sizeof(*t));

	t->prober = prober_new(ctx, &settings);
	t->pipe = -1;
	return t;
}

/* Reads all names that were written until the pipe ended. */
static void read_names(int fd, struct strbuf *names)
{
	char *to;
	ssize_t n;

	do {
		to = strbuf_grow(names, 4096);
		n = read(fd, to, 4096);
		if (n > 0)
			names->len += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	strbuf_char(names, '\0');
}

static void remove_event(const struct probe_tracefs *t, const struct probe_event *e)
{
	for (int i = 0; i < REMOVE_TRIES && probe_tracefs_delete(t, e, NULL) == -EBUSY; i++)
		usleep(REMOVE_PAUSE_US);
}

/* Removes the probe of a line "u GROUP/EVENT" or "k GROUP/EVENT". */
static void remove_line(const struct probe_tracefs *t, char *line)
{
	char *slash = strchr(line, '/');
	struct probe_event e = { .path = *line == 'u' ? line : NULL };

	if (!slash)
		return;
	*slash = '\0';
	e.group = line + 2;
	e.event = slash + 1;
	remove_event(t, &e);
}

/* Runs the guard. Signals of the terminal are meant for the process that is guarded. */
static void guard(int fd)
{
	struct strbuf names = STRBUF_INIT;
	struct probe_tracefs *t;
	char *rest, *line;

	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_IGN);
	setsid();
	prctl(PR_SET_NAME, "perf-guard", 0, 0, 0);
	for (int other = 0; other < 1024; other++)
		if (other != fd)
			close(other);
	read_names(fd, &names);
	if (!probe_tracefs_open(NULL, &t, NULL))
		for (rest = names.s; (line = strsep(&rest, "\n"));)
			remove_line(t, line);
	_exit(0);
}

static int start_guard(struct probe_temporary *t, struct reason *r)
{
	int ends[2];

	if (t->guard)
		return 0;
	if (pipe2(ends, O_CLOEXEC))
		return reason_errno(r, errno, "cannot make a pipe");
	t->guard = fork();
	if (!t->guard)
		guard(ends[0]);
	close(ends[0]);
	if (t->guard > 0) {
		t->pipe = ends[1];
		return 0;
	}
	t->guard = 0;
	close(ends[1]);
	return reason_errno(r, errno, "cannot start the process that removes the probes");
}

/* Gives the names to the guard before the kernel gets them: one too many does no harm. */
static int tell_guard(const struct probe_temporary *t, const struct probe_event *events,
		      size_t count, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;
	int err;

	for (size_t i = 0; i < count; i++)
		strbuf_f(&b, "%c %s/%s\n", events[i].path ? 'u' : 'k', events[i].group,
			 events[i].event);
	err = write_all(t->pipe, strbuf_cstr(&b), b.len);
	strbuf_release(&b);
	return err ? reason_errno(r, -err, "cannot reach the process that removes the probes") : 0;
}

/* Takes the path of "PATH DEFINITION": a first word with a slash. Returns the rest. */
static const char *take_path(const char *text, struct probe_definition *d)
{
	size_t n = strcspn(text, " \t");

	if (!memchr(text, '/', n) || !text[n] || memchr(text, '=', n) || memchr(text, ':', n))
		return text;
	d->target.kind = PROBE_USER;
	d->target.name = xstrndup(text, n);
	return text + n + 1;
}

int probe_temporary_resolve(struct probe_temporary *t, const char *text, struct probe_events *out,
			    struct reason *r)
{
	struct probe_definition d = { .group = NULL };
	int err = probe_definition_parse(&d, take_path(text, &d), r);

	if (!err)
		err = prober_resolve(t->prober, &d, out, r);
	probe_definition_release(&d);
	return err;
}

int probe_temporary_put(struct probe_temporary *t, const struct probe_event *events, size_t count,
			struct reason *r)
{
	struct probe_tracefs *tracefs;
	int err = prober_tracefs(t->prober, &tracefs, r);

	if (!err)
		err = start_guard(t, r);
	if (!err)
		err = tell_guard(t, events, count, r);
	if (!err)
		err = probe_tracefs_add(tracefs, events, count, r);
	return err;
}

void probe_temporary_free(struct probe_temporary *t)
{
	if (!t)
		return;
	if (t->guard) {
		close(t->pipe);
		while (waitpid(t->guard, NULL, 0) < 0 && errno == EINTR)
			;
	}
	prober_free(t->prober);
	free(t);
}
