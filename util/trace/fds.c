// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What descriptors are, and where a process is, as its own calls tell it: a path is known from
 * the call that opened it, never from what /proc says later of a number that is used again.
 * /proc is asked once, for what a process had open when it was first seen.
 */
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "sys/sys.h"
#include "trace/internal.h"

enum { MOST_FDS = 1 << 16, CLOSE_ON_EXEC = 02000000, CURRENT_DIRECTORY = -100 };

struct trace_fd {
	char *name; /* "/etc/passwd", "TCP:[...]"; NULL: not known */
	char *text; /* "</etc/passwd>", printable, as lines show it; made when it is first asked for */
	u32 text_length;
	bool close_on_exec;
};

struct trace_process {
	u32 pid;
	u64 start; /* as /proc says it, in ticks */
	bool gone; /* the number can be another process's by now */
	VEC(struct trace_fd) fds;
	char *directory; /* NULL: not known */
};

static struct trace_fd *fd_of(struct trace_process *p, s64 fd, bool make)
{
	if (!p || fd < 0 || fd >= MOST_FDS)
		return NULL;
	while (make && (s64)p->fds.count <= fd)
		vec_push_zero(&p->fds);
	return fd < (s64)p->fds.count ? &p->fds.items[fd] : NULL;
}

static void clear_fd(struct trace_fd *f)
{
	free(f->name);
	free(f->text);
	f->name = f->text = NULL;
}

static void set_fd(struct trace_process *p, s64 fd, char *name, bool close_on_exec)
{
	struct trace_fd *f = fd_of(p, fd, name);

	if (!f) {
		free(name);
		return;
	}
	clear_fd(f);
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

static void read_proc(struct trace_process *p, u32 pid)
{
	char path[64];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		char what[32];

		if (e->d_name[0] == '.')
			continue;
		snprintf(what, sizeof(what), "fd/%.16s", e->d_name);
		set_fd(p, atoi(e->d_name), read_link(pid, what), false);
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
			set_fd(to, (s64)i, xstrdup(from->fds.items[i].name), from->fds.items[i].close_on_exec);
	free(to->directory);
	to->directory = from->directory ? xstrdup(from->directory) : NULL;
}

static bool read_stat(u32 pid, u32 *parent, u64 *start)
{
	char *line = sys_read_line(NULL, "/proc/%u/stat", pid), *end = line ? strrchr(line, ')') : NULL;
	unsigned long long ticks = 0;
	bool ok = end && sscanf(end + 1, " %*c %u %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
				parent, &ticks) == 2;

	*start = ticks;
	free(line);
	return ok;
}

/*
 * A process that began under our eyes has what its parent had.  One that was there before perf has
 * descriptors of its own, whatever is known of its parent.
 */
static void learn(struct trace *t, struct trace_process *p)
{
	u32 parent = 0, ignored;
	u64 own = 0;
	bool young = read_stat(p->pid, &parent, &p->start) && read_stat((u32)getpid(), &ignored, &own) && p->start >= own;
	struct trace_process *from = young ? find(t, parent) : NULL;

	if (from)
		copy_fds(p, from);
	else
		read_proc(p, p->pid);
}

static void forget_fds(struct trace_process *p)
{
	vec_for_each(&p->fds, f)
		clear_fd(f);
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
	if (!t->o.input) /* what /proc says is of today */
		learn(t, p);
	return p;
}

/* Its threads may still be heard of, and so the number stays until another process has it. */
void process_end(struct trace *t, u32 pid)
{
	struct trace_process *p = find(t, pid);

	if (!p)
		return;
	forget_fds(p);
	p->gone = !t->o.input;
}

/* The workload begins with the descriptors that perf has, but for those that close at its exec. */
void process_read_own(struct trace *t, u32 pid)
{
	struct trace_process *p = xcalloc(1, sizeof(*p));
	char what[16];
	u32 ignored;

	p->pid = pid;
	read_stat(pid, &ignored, &p->start);
	*map64_put(&t->processes, pid, NULL) = (u64)(uintptr_t)p;
	for (int fd = 0; fd <= 2; fd++) {
		snprintf(what, sizeof(what), "fd/%d", fd);
		set_fd(p, fd, read_link((u32)getpid(), what), false);
	}
	p->directory = read_link((u32)getpid(), "cwd");
}

void process_say_fd(struct trace *t, u32 pid, s32 fd, struct strbuf *out)
{
	struct trace_fd *f = fd_of(process_get(t, pid), fd, false);

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

/* ---- what calls change ---- */

static const struct syscall_item *text_of(const struct syscall_call *s, u32 arg)
{
	return s->in[arg].data ? &s->in[arg] : NULL;
}

/* An absolute path of what a call named, below a directory; NULL: not known. */
static char *path_of(struct trace_process *p, s32 dir, const struct syscall_item *text)
{
	struct trace_fd *f = dir == CURRENT_DIRECTORY ? NULL : fd_of(p, dir, false);
	const char *base = dir == CURRENT_DIRECTORY ? p->directory : f ? f->name : NULL;
	char *path, *whole;

	if (!text)
		return NULL;
	path = xstrndup((const char *)text->data, strnlen((const char *)text->data, text->size));
	if (path[0] == '/' || !base)
		return path;
	if (!strcmp(path, ".") || !path[0]) {
		free(path);
		return xstrdup(base);
	}
	while (!strncmp(path, "./", 2))
		memmove(path, path + 2, strlen(path + 2) + 1);
	whole = xasprintf("%s%s%s", base, str_ends(base, "/") ? "" : "/", path);
	free(path);
	return whole;
}

static void note_open(struct trace_process *p, const struct syscall_call *s)
{
	bool at = s->call->args[0].kind == KIND_DIR;
	u32 flags_arg = at ? 2 : 1;
	u64 flags = !strcmp(s->call->name, "creat") ? 0 : s->args[flags_arg];

	if (!strcmp(s->call->name, "openat2"))
		flags = s->in[2].data && s->in[2].size >= 4 ? s->in[2].data[2] << 16 : 0;
	set_fd(p, s->result, path_of(p, at ? (s32)s->args[0] : CURRENT_DIRECTORY, text_of(s, at)),
	       flags & CLOSE_ON_EXEC);
	/* without the text nothing is known of this number any more */
	if (!text_of(s, at)) {
		struct trace_fd *f = fd_of(p, s->result, false);

		if (f)
			clear_fd(f);
	}
}

static const char *socket_kind(u64 family, u64 type)
{
	bool stream = (type & 0xf) == 1;

	switch (family) {
	case 1:
		return "UNIX";
	case 2:
		return stream ? "TCP" : (type & 0xf) == 2 ? "UDP" : "INET";
	case 10:
		return stream ? "TCPv6" : (type & 0xf) == 2 ? "UDPv6" : "INET6";
	case 16:
		return "NETLINK";
	default:
		return "socket";
	}
}

static void note_copy(struct trace_process *p, s64 from, s64 to, bool close_on_exec)
{
	struct trace_fd *f = fd_of(p, from, false);
	char *name = f && f->name ? xstrdup(f->name) : NULL;
	struct trace_fd *old = fd_of(p, to, false);

	if (from == to) {
		free(name);
		return;
	}
	if (!name && old) {
		clear_fd(old);
		return;
	}
	set_fd(p, to, name, close_on_exec);
}

static void note_close(struct trace_process *p, s64 fd)
{
	struct trace_fd *f = fd_of(p, fd, false);

	if (f)
		clear_fd(f);
}

/* "127.0.0.1:80", "/run/x" of a sockaddr; NULL: none. */
static char *address_text(const u8 *data, u32 size)
{
	struct strbuf b = STRBUF_INIT;
	char *text = NULL, *at, *end;

	syscall_print_sockaddr(data, size, &b);
	at = strstr(strbuf_cstr(&b), ".path: \"");
	if (at) {
		at += strlen(".path: \"");
		end = strchr(at, '"');
		return end ? (text = xstrndup(at, (size_t)(end - at)), strbuf_release(&b), text) : NULL;
	}
	at = strstr(strbuf_cstr(&b), ".addr: ");
	if (at) {
		char *port = strstr(strbuf_cstr(&b), ".port: ");
		bool six = strchr(at + 7, ':');

		end = strchr(at + 7, ' ');
		if (port && end)
			text = xasprintf("%s%.*s%s:%lu", six ? "[" : "", (int)(end - at - 7), at + 7, six ? "]" : "",
					 strtoul(port + 7, NULL, 10));
	}
	strbuf_release(&b);
	return text;
}

/* "TCP:[->1.2.3.4:80]": the kind that socket() gave, and the address. */
static void note_address(struct trace_process *p, s64 fd, const struct syscall_item *item, bool peer, const char *kind)
{
	struct trace_fd *f = fd_of(p, fd, false);
	char *address = item->data ? address_text(item->data, item->size) : NULL;
	const char *name = kind ? kind : f ? f->name : NULL;

	if (address && name)
		set_fd(p, fd, xasprintf("%.*s:[%s%s]", (int)strcspn(name, ":["), name, peer ? "->" : "", address),
		       f && f->close_on_exec);
	free(address);
}

static void note_pair(struct trace_process *p, const struct syscall_item *item, const char *name)
{
	s32 fds[2];

	if (!item->data || item->size < sizeof(fds))
		return;
	memcpy(fds, item->data, sizeof(fds));
	set_fd(p, fds[0], xstrdup(name), false);
	set_fd(p, fds[1], xstrdup(name), false);
}

static void note_exec(struct trace_process *p)
{
	vec_for_each(&p->fds, f)
		if (f->close_on_exec) {
			clear_fd(f);
			f->close_on_exec = false;
		}
}

static void note_directory(struct trace_process *p, const struct syscall_call *s)
{
	struct trace_fd *f = fd_of(p, (s32)s->args[0], false);
	char *path = s->call->args[0].kind == KIND_PATH ? path_of(p, CURRENT_DIRECTORY, text_of(s, 0))
			: f && f->name			? xstrdup(f->name)
							: NULL;

	free(p->directory);
	p->directory = path;
}

static void note_new_fd(struct trace_process *p, const struct syscall_call *s)
{
	const char *name = s->call->name;
	bool close_on_exec = false;
	char *what = NULL;

	if (!strcmp(name, "socket")) {
		what = xstrdup(socket_kind(s->args[0], s->args[1]));
		close_on_exec = s->args[1] & CLOSE_ON_EXEC;
	} else if (!strcmp(name, "memfd_create") && text_of(s, 0)) {
		what = xasprintf("/memfd:%.*s", (int)strnlen((const char *)s->in[0].data, s->in[0].size), s->in[0].data);
	} else if (str_starts(name, "epoll_create")) {
		what = xstrdup("anon_inode:[eventpoll]");
	} else if (str_starts(name, "eventfd")) {
		what = xstrdup("anon_inode:[eventfd]");
	} else if (!strcmp(name, "timerfd_create")) {
		what = xstrdup("anon_inode:[timerfd]");
	} else if (str_starts(name, "signalfd")) {
		what = xstrdup("anon_inode:[signalfd]");
	} else if (str_starts(name, "inotify_init")) {
		what = xstrdup("anon_inode:inotify");
	} else if (!strcmp(name, "perf_event_open")) {
		what = xstrdup("anon_inode:[perf_event]");
	}
	note_close(p, s->result);
	if (what)
		set_fd(p, s->result, what, close_on_exec);
}

static void note_result_fd(struct trace_process *p, const struct syscall_call *s)
{
	const char *name = s->call->name;

	if (str_starts(name, "open") || !strcmp(name, "creat"))
		note_open(p, s);
	else if (!strcmp(name, "dup") || !strcmp(name, "dup2") || !strcmp(name, "dup3"))
		note_copy(p, (s32)s->args[0], s->result, name[3] == '3' && s->args[2] & CLOSE_ON_EXEC);
	else if (str_starts(name, "accept")) {
		struct trace_fd *f = fd_of(p, (s32)s->args[0], false);
		char *kind = xstrdup(f && f->name ? f->name : "socket");

		kind[strcspn(kind, ":[")] = '\0';
		set_fd(p, s->result, xstrdup(kind), false);
		note_address(p, s->result, &s->out[1], true, kind);
		free(kind);
	} else
		note_new_fd(p, s);
}

void process_note(struct trace *t, const struct trace_call *c, const struct syscall_call *s)
{
	enum { DUPFD = 0, DUPFD_CLOEXEC = 1030, IN_PROGRESS = 115 };
	const char *name = s->call->name;
	struct trace_process *p;

	/* reads and writes, which are most of all calls, change nothing */
	if (!s->call->known || (syscall_failed(s->result) && s->result != -IN_PROGRESS))
		return;
	if (s->call->result == RESULT_FD) {
		note_result_fd(process_get(t, c->pid), s);
		return;
	}
	switch (name[0]) {
	case 'b':
	case 'c':
	case 'e':
	case 'f':
	case 'p':
	case 's':
		break;
	default:
		return;
	}
	p = process_get(t, c->pid);
	if (!strcmp(name, "close"))
		note_close(p, (s32)s->args[0]);
	else if (!strcmp(name, "connect"))
		note_address(p, (s32)s->args[0], &s->in[1], true, NULL);
	else if (!strcmp(name, "bind"))
		note_address(p, (s32)s->args[0], &s->in[1], false, NULL);
	else if (!strcmp(name, "chdir") || !strcmp(name, "fchdir"))
		note_directory(p, s);
	else if (!strcmp(name, "execve") || !strcmp(name, "execveat"))
		note_exec(p);
	else if (!strcmp(name, "pipe") || !strcmp(name, "pipe2"))
		note_pair(p, &s->out[0], "pipe");
	else if (!strcmp(name, "socketpair"))
		note_pair(p, &s->out[3], socket_kind(s->args[0], s->args[1]));
	else if (s->call->result == RESULT_BY_COMMAND && (s->args[1] == DUPFD || s->args[1] == DUPFD_CLOEXEC))
		note_copy(p, (s32)s->args[0], s->result, s->args[1] == DUPFD_CLOEXEC);
}

/* ---- --path, --fd ---- */

static bool path_matches(const char *pattern, const char *path)
{
	return path && (!strcmp(pattern, path) || glob_match(pattern, path));
}

static bool names_path(struct trace *t, struct trace_process *p, const struct syscall_call *s)
{
	for (u32 i = 0; i < s->call->arg_count; i++) {
		const struct syscall_arg *a = &s->call->args[i];
		bool found = false;

		if (a->kind == KIND_PATH && text_of(s, i)) {
			bool at = i && s->call->args[i - 1].kind == KIND_DIR;
			char *path = path_of(p, at ? (s32)s->args[i - 1] : CURRENT_DIRECTORY, text_of(s, i));

			found = path_matches(t->o.path, path);
			free(path);
		} else if (a->kind == KIND_FD || a->kind == KIND_DIR) {
			struct trace_fd *f = fd_of(p, (s32)s->args[i], false);

			found = f && path_matches(t->o.path, f->name);
		}
		if (found)
			return true;
	}
	return false;
}

static bool names_fd(const struct trace *t, const struct syscall_call *s)
{
	struct strlist list = { 0 };
	bool found = false;

	strlist_split(&list, t->o.fds, ",");
	vec_for_each(&list.list, text)
		for (u32 i = 0; i < s->call->arg_count; i++) {
			u8 kind = s->call->args[i].kind;

			if ((kind == KIND_FD || kind == KIND_DIR) && (s32)s->args[i] == atoi(*text))
				found = true;
		}
	vec_for_each(&list.list, text)
		found |= s->ended && s->call->result == RESULT_FD && s->result == atoi(*text);
	strlist_release(&list);
	return found;
}

bool process_matches(struct trace *t, const struct trace_call *c, const struct syscall_call *s)
{
	if (t->o.path && !names_path(t, process_get(t, c->pid), s))
		return false;
	return !t->o.fds || names_fd(t, s);
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
}
