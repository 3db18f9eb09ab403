// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a process's descriptors refer to, and its working directory, as its own calls show. A path
 * is known from the call that opened it, never from a later look into /proc, when the number may
 * have been reused. /proc is read once, for what a process had open when it was first seen.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "builtin/trace/process.h"
#include "sys/sys.h"

enum { MOST_FDS = 1 << 16 };

struct trace_fd *fd_get(struct trace_process *p, s64 fd, bool make)
{
	if (!p || fd < 0 || fd >= MOST_FDS)
		return NULL;
	while (make && (s64)p->fds.count <= fd)
		vec_push_zero(&p->fds);
	return fd < (s64)p->fds.count ? &p->fds.items[fd] : NULL;
}

void fd_clear(struct trace_fd *f)
{
	free(f->name);
	free(f->text);
	f->name = f->text = NULL;
}

void fd_set_name(struct trace_process *p, s64 fd, char *name, bool close_on_exec)
{
	struct trace_fd *f = fd_get(p, fd, name);

	if (!f) {
		free(name);
		return;
	}
	fd_clear(f);
	f->name = name;
	f->close_on_exec = close_on_exec;
}

static char *read_link(u32 pid, const char *what)
{
	char path[64], target[4096];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, what);
	n = readlink(path, target, sizeof(target) - 1);
	return n <= 0 ? NULL : xstrndup(target, (size_t)n);
}

/*
 * Returns what /proc says about a descriptor, sockets by their addresses, or NULL; the caller frees
 * it.
 */
static char *described(struct trace *t, u32 pid, const char *fd, bool *reread)
{
	char what[32], *link, *name;

	snprintf(what, sizeof(what), "fd/%.16s", fd);
	link = read_link(pid, what);
	name = link ? socket_name(t, pid, fd, link, reread) : NULL;
	if (!name)
		return link;
	free(link);
	return name;
}

static void read_proc(struct trace *t, struct trace_process *p, u32 pid)
{
	bool reread = false;
	char path[64];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		if (e->d_name[0] != '.')
			fd_set_name(p, atoi(e->d_name), described(t, pid, e->d_name, &reread),
				    false);
	}
	if (d)
		closedir(d);
	free(p->directory);
	p->directory = read_link(pid, "cwd");
}

static struct trace_process *find(struct trace *t, u32 pid)
{
	u64 *slot = map64_get(&t->processes, pid);

	return slot ? (struct trace_process *)(uintptr_t)*slot : NULL;
}

static void copy_fds(struct trace_process *to, const struct trace_process *from)
{
	for (size_t i = 0; i < from->fds.count; i++)
		if (from->fds.items[i].name)
			fd_set_name(to, (s64)i, xstrdup(from->fds.items[i].name),
				    from->fds.items[i].close_on_exec);
	free(to->directory);
	to->directory = from->directory ? xstrdup(from->directory) : NULL;
}

static bool read_stat(u32 pid, u32 *parent, u64 *start)
{
	char *line = sys_read_line(NULL, "/proc/%u/stat", pid),
	     *end = line ? strrchr(line, ')') : NULL;
	unsigned long long ticks = 0;
	bool ok = end &&
		  sscanf(end + 1,
			 " %*c %u %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
			 "%*d %llu",
			 parent, &ticks) == 2;

	*start = ticks;
	free(line);
	return ok;
}

/*
 * Finds the descriptors of a process. One that started during the trace inherits its parent's. For
 * one that is older than perf, the parent's descriptors say nothing.
 */
static void learn(struct trace *t, struct trace_process *p)
{
	u32 parent = 0, ignored;
	u64 own = 0;
	bool young = read_stat(p->pid, &parent, &p->start) &&
		     read_stat((u32)getpid(), &ignored, &own) && p->start >= own;
	struct trace_process *from = young ? find(t, parent) : NULL;

	if (from)
		copy_fds(p, from);
	else
		read_proc(t, p, p->pid);
}

static void forget_fds(struct trace_process *p)
{
	vec_for_each(&p->fds, f)
		fd_clear(f);
	vec_release(&p->fds);
	free(p->directory);
	p->directory = NULL;
}

struct trace_process *process_get(struct trace *t, u32 pid)
{
	struct trace_process *p = find(t, pid);
	u32 parent;
	u64 start;

	if (p && (!p->gone || t->o.input || !read_stat(pid, &parent, &start) || start == p->start))
		return p;
	if (!p) {
		p = xcalloc(1, sizeof(*p));
		p->pid = pid;
		*map64_put(&t->processes, pid, NULL) = (u64)(uintptr_t)p;
	}
	p->gone = false;
	if (!t->o.input) /* /proc describes the present, not the time of a recording */
		learn(t, p);
	return p;
}

/*
 * Ends a process. Events of its threads may still come, so its entry stays until another process
 * has the number.
 */
void process_end(struct trace *t, u32 pid)
{
	struct trace_process *p = find(t, pid);

	if (!p)
		return;
	forget_fds(p);
	p->gone = !t->o.input;
}

void process_forget(struct trace *t, u32 pid)
{
	struct trace_process *p = find(t, pid);

	if (!p)
		return;
	forget_fds(p);
	free(p);
	map64_remove(&t->processes, pid);
}

/* Reads perf's descriptors, with which the workload starts, except those closed on exec. */
void process_read_own(struct trace *t, u32 pid)
{
	struct trace_process *p = xcalloc(1, sizeof(*p));
	bool reread = false;
	char number[16];
	u32 ignored;

	p->pid = pid;
	read_stat(pid, &ignored, &p->start);
	*map64_put(&t->processes, pid, NULL) = (u64)(uintptr_t)p;
	for (int fd = 0; fd <= 2; fd++) {
		snprintf(number, sizeof(number), "%d", fd);
		fd_set_name(p, fd, described(t, (u32)getpid(), number, &reread), false);
	}
	p->directory = read_link((u32)getpid(), "cwd");
}

void process_say_fd(struct trace *t, u32 pid, s32 fd, struct strbuf *out)
{
	struct trace_fd *f = fd_get(process_get(t, pid), fd, false);

	if (!f || !f->name)
		return;
	if (!f->text) {
		struct strbuf b = STRBUF_INIT;

		strbuf_char(&b, '<');
		strbuf_printable(&b, f->name);
		strbuf_char(&b, '>');
		f->text_length = (u32)b.len;
		f->text = strbuf_detach(&b);
	}
	strbuf_add(out, f->text, f->text_length);
}

const struct syscall_item *call_text(const struct syscall_call *s, u32 arg)
{
	return s->in[arg].data ? &s->in[arg] : NULL;
}

char *process_path(struct trace_process *p, s32 dir, const struct syscall_item *text)
{
	struct trace_fd *f = dir == CURRENT_DIRECTORY ? NULL : fd_get(p, dir, false);
	const char *base = dir == CURRENT_DIRECTORY ? p->directory : f ? f->name : NULL;
	char *path, *rest, *whole;

	if (!text)
		return NULL;
	path = xstrndup((const char *)text->data, strnlen((const char *)text->data, text->size));
	if (path[0] == '/' || !base)
		return path;
	if (!strcmp(path, ".") || !path[0]) {
		free(path);
		return xstrdup(base);
	}
	rest = path;
	while (str_starts(rest, "./"))
		rest += 2;
	whole = xasprintf("%s%s%s", base, str_ends(base, "/") ? "" : "/", rest);
	free(path);
	return whole;
}

void processes_free(struct trace *t)
{
	for (size_t i = 0; i < t->processes.space; i++) {
		struct trace_process *p;

		if (!t->processes.slots[i].used)
			continue;
		p = (struct trace_process *)(uintptr_t)t->processes.slots[i].value;
		forget_fds(p);
		free(p);
	}
	map64_release(&t->processes);
	sockets_free(t);
}
