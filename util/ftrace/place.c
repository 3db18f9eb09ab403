// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An instance of tracefs, or tracefs itself, and the process that takes everything back.
 *
 * The guard reads a pipe until its end, which comes when we close it or when we are gone, and then does what
 * the lines say, the last one first: "w FILE VALUE" writes, "d DIR" removes an instance.
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

#include "ftrace/internal.h"
#include "sys/tracefs.h"

enum { INSTANCE_TRIES = 100, REMOVE_TRIES = 100, REMOVE_PAUSE_US = 50000 };

struct ftrace_place {
	char *dir;
	bool instance;
	int pipe;
	pid_t guard;
	struct strlist written; /* files whose old values the guard knows */
};

/* ---- files ---- */

static int write_file(const char *dir, const char *file, const char *value, int flags)
{
	char *path = xasprintf("%s/%s", dir, file);
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags), err = fd < 0 ? -errno : 0;
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

static int read_file(const char *dir, const char *file, struct strbuf *b)
{
	char *path = xasprintf("%s/%s", dir, file), *to;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = fd < 0 ? -errno : 0;
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

/* ---- the guard ---- */

static void remove_instance(const char *dir)
{
	write_file(dir, "tracing_on", "0", O_TRUNC);
	write_file(dir, "current_tracer", "nop", O_TRUNC);
	for (int i = 0; i < REMOVE_TRIES && rmdir(dir) && errno == EBUSY; i++)
		usleep(REMOVE_PAUSE_US);
}

/* "w FILE<tab>VALUE", FILE with its directory */
static void restore(char *line)
{
	char *tab = strchr(line, '\t'), *slash;

	if (*line == 'd')
		remove_instance(line + 2);
	if (*line != 'w' || !tab)
		return;
	*tab = '\0';
	slash = strrchr(line, '/');
	if (!slash)
		return;
	*slash = '\0';
	write_file(line + 2, slash + 1, tab + 1, O_TRUNC);
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

/* Signals of the terminal are meant for the process that is guarded. */
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

static int start_guard(struct ftrace_place *p, struct reason *r)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return reason_errno(r, errno, "cannot make a pipe");
	p->guard = fork();
	if (!p->guard)
		guard(ends[0]);
	close(ends[0]);
	if (p->guard > 0) {
		p->pipe = ends[1];
		return 0;
	}
	close(ends[1]);
	return reason_errno(r, errno, "cannot start the process that ends tracing");
}

/* value NULL: the directory is to go. */
static int promise(struct ftrace_place *p, const char *path, const char *value, struct reason *r)
{
	struct strbuf line = STRBUF_INIT;
	int err;

	strbuf_f(&line, value ? "w %s\t%s\n" : "d %s\n", path, value);
	err = write_all(p->pipe, line.s, line.len);
	strbuf_release(&line);
	return err ? reason_errno(r, -err, "cannot reach the process that ends tracing") : 0;
}

/* ---- open ---- */

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at += n)
		if ((at == text || at[-1] == ' ') && strchr(" \n", at[n]))
			return true;
	return false;
}

static bool has_tracer(const char *dir, const char *tracer)
{
	struct strbuf b = STRBUF_INIT;
	bool has = !read_file(dir, "available_tracers", &b) && has_word(b.s, tracer);

	strbuf_release(&b);
	return has;
}

static bool has_files(const struct ftrace_place *p, const char *const *files)
{
	while (*files && ftrace_place_has(p, *files))
		files++;
	return !*files;
}

static int make_instance(struct ftrace_place *p, const char *tracefs, struct reason *r)
{
	int err;

	p->instance = true;
	p->dir = xasprintf("%s/instances/perf-%d", tracefs, (int)getpid());
	/* a process with our number in another namespace may have an instance: the guard must not get its name */
	for (int i = 1; i < INSTANCE_TRIES && !access(p->dir, F_OK); i++) {
		free(p->dir);
		p->dir = xasprintf("%s/instances/perf-%d-%d", tracefs, (int)getpid(), i);
	}
	if (!access(p->dir, F_OK))
		return reason_set(r, EEXIST, "the instance '%s' already exists", p->dir);
	err = promise(p, p->dir, NULL, r);
	if (err)
		return err;
	if (mkdir(p->dir, 0700))
		return reason_errno(r, errno, "cannot make the instance '%s'", p->dir);
	return 0;
}

/* The kernel turns this event on by itself with the first BPF program that prints, for good. */
static bool is_used(const struct strbuf *events)
{
	return events->len && strcmp(strbuf_cstr(events), "bpf_trace:bpf_trace_printk\n") != 0;
}

/* No tracer is set and no event is enabled. */
static int check_idle(struct ftrace_place *p, struct reason *r)
{
	struct strbuf tracer = STRBUF_INIT, events = STRBUF_INIT;
	int err = 0;

	if (read_file(p->dir, "current_tracer", &tracer) || strncmp(tracer.s, "nop", 3))
		err = reason_set(r, EBUSY, "the tracer of '%s' is in use", p->dir);
	else if (!read_file(p->dir, "set_event", &events) && is_used(&events))
		err = reason_set(r, EBUSY, "events of '%s' are in use", p->dir);
	if (err)
		reason_hint(r, "this kernel cannot run that tracer in an instance of its own, and what another "
			       "user traces is left alone");
	strbuf_release(&tracer);
	strbuf_release(&events);
	return err;
}

static int no_tracer(const char *dir, const char *tracer, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;

	read_file(dir, "available_tracers", &b);
	if (b.len)
		strbuf_truncate(&b, b.len - 1);
	reason_set(r, ENOENT, "this kernel has no tracer '%s', only: %s", tracer, strbuf_cstr(&b));
	if (!strncmp(tracer, "function", 8))
		reason_hint(r, "it is built without CONFIG_%s_TRACER; 'perf ftrace latency -b' (with kprobes) or -e measures by BPF",
			    strcmp(tracer, "function") ? "FUNCTION_GRAPH" : "FUNCTION");
	strbuf_release(&b);
	return -ENOENT;
}

int ftrace_place_open(const char *tracer, const char *const *files, struct ftrace_place **out,
		      struct reason *r)
{
	struct ftrace_place *p = xcalloc(1, sizeof(*p));
	struct reason why = REASON_INIT;
	char *tracefs = tracefs_find(NULL, &why);
	int err = 0;

	p->pipe = -1;
	if (!tracefs && why.err == EACCES) {
		err = reason_set(r, EACCES, "only root may use the kernel's tracers");
		reason_machine(r);
	} else if (!tracefs) {
		err = -ENOENT;
		reason_move(r, &why);
	}
	reason_release(&why);
	if (!err && !has_tracer(tracefs, tracer))
		err = no_tracer(tracefs, tracer, r);
	if (!err)
		err = start_guard(p, r);
	if (!err)
		err = make_instance(p, tracefs, r);
	if (!err && (!has_tracer(p->dir, tracer) || !has_files(p, files))) {
		ftrace_place_close(p);
		p = xcalloc(1, sizeof(*p));
		p->pipe = -1;
		p->dir = xstrdup(tracefs);
		err = check_idle(p, r);
		if (!err)
			err = start_guard(p, r);
	}
	free(tracefs);
	if (err) {
		ftrace_place_close(p);
		return err;
	}
	*out = p;
	return 0;
}

void ftrace_place_close(struct ftrace_place *p)
{
	if (!p)
		return;
	if (p->pipe >= 0)
		close(p->pipe);
	while (p->guard > 0 && waitpid(p->guard, NULL, 0) < 0 && errno == EINTR)
		;
	strlist_release(&p->written);
	free(p->dir);
	free(p);
}

/* ---- use ---- */

bool ftrace_place_has(const struct ftrace_place *p, const char *file)
{
	char *path = xasprintf("%s/%s", p->dir, file);
	bool has = !access(path, F_OK);

	free(path);
	return has;
}

/* "7 (expanded: 1408)" is a size that is not in use so far; the kernel takes one number alone. */
static void cut_size(struct strbuf *old)
{
	char *expanded = old->len ? strstr(old->s, "(expanded: ") : NULL;
	size_t digits;

	if (!expanded)
		return;
	expanded += strlen("(expanded: ");
	digits = strspn(expanded, "0123456789");
	memmove(old->s, expanded, digits);
	strbuf_truncate(old, digits);
}

/* A filter that is empty reads as a comment. */
static int keep_old(struct ftrace_place *p, const char *file, struct reason *r)
{
	struct strbuf old = STRBUF_INIT, path = STRBUF_INIT;
	char *end;
	int err;

	if (p->instance || strlist_has(&p->written, file))
		return 0;
	strlist_add(&p->written, file);
	err = read_file(p->dir, file, &old);
	if (err)
		err = reason_errno(r, -err, "cannot read '%s/%s'", p->dir, file);
	else if (old.len && *old.s == '#')
		strbuf_truncate(&old, 0);
	end = old.len ? strchr(old.s, '\n') : NULL;
	if (!err && end && end[1])
		err = reason_set(r, EBUSY, "'%s/%s' is in use", p->dir, file);
	if (end)
		strbuf_truncate(&old, (size_t)(end - old.s));
	cut_size(&old);
	strbuf_f(&path, "%s/%s", p->dir, file);
	if (!err)
		err = promise(p, path.s, strbuf_cstr(&old), r);
	strbuf_release(&old);
	strbuf_release(&path);
	return err;
}

static int put(struct ftrace_place *p, const char *file, const char *value, int flags, struct reason *r)
{
	int err = keep_old(p, file, r);

	if (err)
		return err;
	err = write_file(p->dir, file, value, flags);
	return err ? reason_errno(r, -err, "cannot write '%s' into '%s/%s'", value, p->dir, file) : 0;
}

int ftrace_place_write(struct ftrace_place *p, const char *file, const char *value, struct reason *r)
{
	return put(p, file, value, O_TRUNC, r);
}

int ftrace_place_append(struct ftrace_place *p, const char *file, const char *value, struct reason *r)
{
	/* what another user left there is not among what is asked for */
	return put(p, file, value, p->instance || strlist_has(&p->written, file) ? O_APPEND : O_TRUNC, r);
}

int ftrace_place_read(const struct ftrace_place *p, const char *file, struct strbuf *b, struct reason *r)
{
	int err = read_file(p->dir, file, b);

	return err ? reason_errno(r, -err, "cannot read '%s/%s'", p->dir, file) : 0;
}

int ftrace_place_pipe(const struct ftrace_place *p, struct reason *r)
{
	char *path = xasprintf("%s/trace_pipe", p->dir);
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		fd = reason_errno(r, errno, "cannot open '%s'", path);
	free(path);
	return fd;
}
