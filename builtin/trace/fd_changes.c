// SPDX-License-Identifier: GPL-2.0-or-later
/* What completed calls changed: the open descriptors and the working directory of their process. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "builtin/trace/process.h"

static void note_open(struct trace_process *p, const struct syscall_call *s)
{
	bool at = s->call->args[0].kind == KIND_DIR;
	u32 flags_arg = at ? 2 : 1;
	u64 flags = !strcmp(s->call->name, "creat") ? 0 : s->args[flags_arg];

	if (!strcmp(s->call->name, "openat2"))
		flags = s->in[2].data && s->in[2].size >= 4 ? s->in[2].data[2] << 16 : 0;
	fd_set_name(p, s->result,
		    process_path(p, at ? (s32)s->args[0] : CURRENT_DIRECTORY, call_text(s, at)),
		    flags & CLOSE_ON_EXEC);
	/* without the text nothing is known of this number any more */
	if (!call_text(s, at)) {
		struct trace_fd *f = fd_get(p, s->result, false);

		if (f)
			fd_clear(f);
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
	struct trace_fd *f = fd_get(p, from, false);
	char *name = f && f->name ? xstrdup(f->name) : NULL;
	struct trace_fd *old = fd_get(p, to, false);

	if (from == to) {
		free(name);
		return;
	}
	if (!name && old) {
		fd_clear(old);
		return;
	}
	fd_set_name(p, to, name, close_on_exec);
}

static void note_close(struct trace_process *p, s64 fd)
{
	struct trace_fd *f = fd_get(p, fd, false);

	if (f)
		fd_clear(f);
}

/* Returns "127.0.0.1:80" or "/run/x" of a sockaddr, which the caller frees, or NULL. */
static char *address_text(const struct syscall_book *book, const u8 *data, u32 size)
{
	struct strbuf b = STRBUF_INIT;
	const char *at, *end;
	char *text = NULL;

	syscall_print_sockaddr(book, data, size, &b);
	at = strstr(strbuf_cstr(&b), ".path: \"");
	if (at) {
		at += strlen(".path: \"");
		end = strchr(at, '"');
		text = end ? xstrndup(at, (size_t)(end - at)) : NULL;
		strbuf_release(&b);
		return text;
	}
	at = strstr(strbuf_cstr(&b), ".addr: ");
	if (at) {
		const char *port = strstr(strbuf_cstr(&b), ".port: ");
		bool six = strchr(at + 7, ':');

		end = strchr(at + 7, ' ');
		if (port && end)
			text = xasprintf("%s%.*s%s:%lu", six ? "[" : "", (int)(end - at - 7),
					 at + 7, six ? "]" : "", strtoul(port + 7, NULL, 10));
	}
	strbuf_release(&b);
	return text;
}

/* Notes "TCP:[->1.2.3.4:80]": the protocol from socket(), and the address. */
static void note_address(struct trace_process *p, const struct syscall_call *s, s64 fd,
			 const struct syscall_item *item, bool peer, const char *kind)
{
	struct trace_fd *f = fd_get(p, fd, false);
	char *address = item->data ? address_text(s->book, item->data, item->size) : NULL;
	const char *name = kind ? kind : f ? f->name : NULL;

	if (address && name)
		fd_set_name(p, fd,
			    xasprintf("%.*s:[%s%s]", (int)strcspn(name, ":["), name,
				      peer ? "->" : "", address),
			    f && f->close_on_exec);
	free(address);
}

/*
 * Notes the port that the kernel chose. A peer's address, where known, is more informative and
 * stays.
 */
static void note_own_address(struct trace_process *p, const struct syscall_call *s, s64 fd,
			     const struct syscall_item *item)
{
	struct trace_fd *f = fd_get(p, fd, false);

	if (f && f->name && !strstr(f->name, "->"))
		note_address(p, s, fd, item, false, NULL);
}

static void note_pair(struct trace_process *p, const struct syscall_item *item, const char *name)
{
	s32 fds[2];

	if (!item->data || item->size < sizeof(fds))
		return;
	memcpy(fds, item->data, sizeof(fds));
	fd_set_name(p, fds[0], xstrdup(name), false);
	fd_set_name(p, fds[1], xstrdup(name), false);
}

static void note_exec(struct trace_process *p)
{
	vec_for_each(&p->fds, f)
		if (f->close_on_exec) {
			fd_clear(f);
			f->close_on_exec = false;
		}
}

static void note_directory(struct trace_process *p, const struct syscall_call *s)
{
	struct trace_fd *f = fd_get(p, (s32)s->args[0], false);
	char *path = s->call->args[0].kind == KIND_PATH
			     ? process_path(p, CURRENT_DIRECTORY, call_text(s, 0))
		     : f && f->name ? xstrdup(f->name)
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
	} else if (!strcmp(name, "memfd_create") && call_text(s, 0)) {
		what = xasprintf("/memfd:%.*s",
				 (int)strnlen((const char *)s->in[0].data, s->in[0].size),
				 s->in[0].data);
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
		fd_set_name(p, s->result, what, close_on_exec);
}

static void note_result_fd(struct trace_process *p, const struct syscall_call *s)
{
	const char *name = s->call->name;

	if (str_starts(name, "open") || !strcmp(name, "creat"))
		note_open(p, s);
	else if (!strcmp(name, "dup") || !strcmp(name, "dup2") || !strcmp(name, "dup3"))
		note_copy(p, (s32)s->args[0], s->result,
			  name[3] == '3' && s->args[2] & CLOSE_ON_EXEC);
	else if (str_starts(name, "accept")) {
		struct trace_fd *f = fd_get(p, (s32)s->args[0], false);
		char *kind = xstrdup(f && f->name ? f->name : "socket");

		kind[strcspn(kind, ":[")] = '\0';
		fd_set_name(p, s->result, xstrdup(kind), false);
		note_address(p, s, s->result, &s->out[1], true, kind);
		free(kind);
	} else
		note_new_fd(p, s);
}

bool process_is_noted(const struct syscall *c)
{
	static const char *const names[] = { "close", "connect", "bind",      "getsockname",
					     "chdir", "fchdir",  "execve",    "execveat",
					     "pipe",  "pipe2",   "socketpair" };

	if (c->result == RESULT_FD || c->result == RESULT_BY_COMMAND)
		return c->known;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(c->name, names[i]))
			return true;
	return false;
}

void process_note(struct trace *t, const struct trace_call *c, const struct syscall_call *s)
{
	enum { DUPFD = 0, DUPFD_CLOEXEC = 1030, IN_PROGRESS = 115 };
	const char *name = s->call->name;
	struct trace_process *p;

	/* most calls are reads and writes, which change nothing */
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
	case 'g':
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
		note_address(p, s, (s32)s->args[0], &s->in[1], true, NULL);
	else if (!strcmp(name, "bind"))
		note_address(p, s, (s32)s->args[0], &s->in[1], false, NULL);
	else if (!strcmp(name, "getsockname"))
		note_own_address(p, s, (s32)s->args[0], &s->out[1]);
	else if (!strcmp(name, "chdir") || !strcmp(name, "fchdir"))
		note_directory(p, s);
	else if (!strcmp(name, "execve") || !strcmp(name, "execveat"))
		note_exec(p);
	else if (!strcmp(name, "pipe") || !strcmp(name, "pipe2"))
		note_pair(p, &s->out[0], "pipe");
	else if (!strcmp(name, "socketpair"))
		note_pair(p, &s->out[3], socket_kind(s->args[0], s->args[1]));
	else if (s->call->result == RESULT_BY_COMMAND &&
		 (s->args[1] == DUPFD || s->args[1] == DUPFD_CLOEXEC))
		note_copy(p, (s32)s->args[0], s->result, s->args[1] == DUPFD_CLOEXEC);
}

void process_note_unseen(struct trace *t, const struct trace_call *c, const struct syscall_call *s)
{
	const char *name = s->call->name;

	if (!s->call->known || syscall_failed(s->result))
		return;
	/* any new descriptor */
	if (s->call->result == RESULT_FD)
		note_close(process_get(t, c->pid), s->result);
	else if (!strcmp(name, "execve") || !strcmp(name, "execveat"))
		note_exec(process_get(t, c->pid));
}
