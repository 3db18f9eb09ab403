// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The process that takes everything back, and the files of tracefs that it writes.
 *
 * The guard reads a pipe until its end, which comes when perf closes it or has ended. Then it does
 * what the lines say, the last one first: "w FILE<tab>VALUE" writes, "d DIR" removes an instance,
 * and "r FILE<tab>SIZES" gives a ring its usual size (ftrace_ring_mend()).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/privileges.h"
#include "builtin/ftrace/internal.h"

enum { BUSY_TRIES = 100, BUSY_PAUSE_US = 50000 };

/* ---- files ---- */

int ftrace_file_write(const char *dir, const char *file, const char *value, int flags)
{
	char *path = xasprintf("%s/%s", dir, file);
	int fd = file_open_system(path, O_WRONLY | flags), err = fd < 0 ? -errno : 0;
	size_t n = strlen(value);

	free(path);
	if (err)
		return err;
	/* with its newline: without one the kernel reports some errors at the next write alone */
	if (n) {
		char *line = xasprintf("%s\n", value);

		if (write(fd, line, n + 1) < 0)
			err = -errno;
		free(line);
	}
	close(fd);
	return err;
}

int ftrace_file_read(const char *dir, const char *file, struct strbuf *b)
{
	char *path = xasprintf("%s/%s", dir, file), *to;
	int fd = file_open_system(path, O_RDONLY), err = fd < 0 ? -errno : 0;
	ssize_t n = 1;

	free(path);
	while (!err && n > 0) {
		to = strbuf_grow(b, 4096);
		n = read(fd, to, 4096);
		if (n > 0)
			b->len += (size_t)n;
		else if (n < 0 && errno != EINTR)
			err = -errno;
	}
	if (fd >= 0)
		close(fd);
	strbuf_char(b, '\0');
	b->len--;
	return err;
}

/* ---- sizes of rings ---- */

/*
 * Parses a ring's size. "7 (expanded: 1408)" is what it has before it is first used, and what it
 * will have then.
 */
static struct ftrace_ring parse_ring(const char *text)
{
	static const char will_be[] = " (expanded: ";
	char *end;
	struct ftrace_ring ring = { .kb = strtoull(text, &end, 10) };

	if (!strncmp(end, will_be, strlen(will_be)))
		ring.usual_kb = strtoull(end + strlen(will_be), NULL, 10);
	return ring;
}

int ftrace_ring_read(const char *dir, struct ftrace_ring *ring)
{
	struct strbuf b = STRBUF_INIT;
	int err = ftrace_file_read(dir, "buffer_size_kb", &b);

	*ring = parse_ring(strbuf_cstr(&b));
	strbuf_release(&b);
	return err;
}

void ftrace_ring_mend(const char *dir, struct ftrace_ring before)
{
	struct ftrace_ring now;
	char size[24];

	if (!before.usual_kb || ftrace_ring_read(dir, &now) || now.usual_kb || now.kb != before.kb)
		return;
	snprintf(size, sizeof(size), "%" PRIu64, before.usual_kb);
	ftrace_file_write(dir, "buffer_size_kb", size, O_TRUNC);
}

/* ---- the guard ---- */

/*
 * Writes a value back, and tries again while the file is busy: the kernel changes no tracer while
 * somebody has trace_pipe open. When perf is killed, its end of our pipe closes before its
 * trace_pipe does.
 */
static void put_back(const char *dir, const char *file, const char *value)
{
	for (int i = 0; i < BUSY_TRIES && ftrace_file_write(dir, file, value, O_TRUNC) == -EBUSY;
	     i++)
		usleep(BUSY_PAUSE_US);
}

/* Sets a tracer only where one is to go: before Linux 6.7 that alone keeps the main ring small. */
static void remove_instance(const char *dir)
{
	struct strbuf tracer = STRBUF_INIT;
	bool raised;

	ftrace_file_write(dir, "tracing_on", "0", O_TRUNC);
	if (ftrace_file_read(dir, "current_tracer", &tracer) || strcmp(tracer.s, "nop\n") != 0)
		put_back(dir, "current_tracer", "nop");
	strbuf_release(&tracer);
	raised = privileges_raise(dir);
	for (int i = 0; i < BUSY_TRIES && rmdir(dir) && errno == EBUSY; i++)
		usleep(BUSY_PAUSE_US);
	if (raised)
		privileges_lower();
}

/* Restores from a line "KIND FILE<tab>VALUE", FILE with its directory. */
static void restore(char *line)
{
	char *tab = strchr(line, '\t'), *slash;

	if (*line == 'd')
		remove_instance(line + 2);
	if (*line == 'd' || !tab)
		return;
	*tab = '\0';
	slash = strrchr(line, '/');
	if (!slash)
		return;
	*slash = '\0';
	if (*line == 'w')
		put_back(line + 2, slash + 1, tab + 1);
	else if (*line == 'r')
		ftrace_ring_mend(line + 2, parse_ring(tab + 1));
}

static void do_lines(struct strbuf *b)
{
	VEC(char *) lines = VEC_INIT;
	char *rest = b->s, *line;

	while (rest && (line = strsep(&rest, "\n")))
		if (*line)
			vec_push(&lines, line);
	while (lines.count)
		restore(lines.items[--lines.count]);
}

/* Runs the guard. Signals of the terminal are meant for the process that is guarded. */
static void guard(int fd)
{
	struct strbuf b = STRBUF_INIT;
	ssize_t n;

	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_IGN);
	setsid();
	prctl(PR_SET_NAME, "perf-guard", 0, 0, 0);
	for (int other = 0; other < 1024; other++)
		if (other != fd)
			close(other);
	do {
		char *to = strbuf_grow(&b, 4096);

		n = read(fd, to, 4096);
		if (n > 0)
			b.len += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	strbuf_char(&b, '\0');
	do_lines(&b);
	_exit(0);
}

int ftrace_guard_start(struct ftrace_guard *g, struct reason *r)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return reason_errno(r, errno, "cannot make a pipe");
	g->pid = fork();
	if (!g->pid)
		guard(ends[0]);
	close(ends[0]);
	if (g->pid > 0) {
		g->pipe = ends[1];
		return 0;
	}
	close(ends[1]);
	return reason_errno(r, errno, "cannot start the process that ends tracing");
}

void ftrace_guard_end(struct ftrace_guard *g)
{
	if (g->pid <= 0)
		return;
	close(g->pipe);
	while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
	g->pid = 0;
}

static int promise(const struct ftrace_guard *g, struct reason *r, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

static int promise(const struct ftrace_guard *g, struct reason *r, const char *fmt, ...)
{
	struct strbuf line = STRBUF_INIT;
	va_list args;
	int err;

	va_start(args, fmt);
	strbuf_vf(&line, fmt, args);
	va_end(args);
	err = write_all(g->pipe, line.s, line.len);
	strbuf_release(&line);
	return err ? reason_errno(r, -err, "cannot reach the process that ends tracing") : 0;
}

int ftrace_guard_file(const struct ftrace_guard *g, const char *path, const char *value,
		      struct reason *r)
{
	return promise(g, r, "w %s\t%s\n", path, value);
}

int ftrace_guard_instance(const struct ftrace_guard *g, const char *dir, struct reason *r)
{
	return promise(g, r, "d %s\n", dir);
}

int ftrace_guard_ring(const struct ftrace_guard *g, const char *dir, struct ftrace_ring before,
		      struct reason *r)
{
	return promise(g, r, "r %s/buffer_size_kb\t%" PRIu64 " (expanded: %" PRIu64 ")\n", dir,
		       before.kb, before.usual_kb);
}
