/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptors of a process: fds.c stores them, fd_changes.c updates them from calls, selected.c
 * reads them.
 */
#ifndef BUILTIN_TRACE_PROCESS_H
#define BUILTIN_TRACE_PROCESS_H

#include "builtin/trace/internal.h"

enum { CLOSE_ON_EXEC = 02000000, CURRENT_DIRECTORY = -100 };

struct trace_fd {
	char *name; /* "/etc/passwd", "TCP:[...]"; NULL: not known */
	char *text; /* "</etc/passwd>", printable, as shown in lines; made on first use */
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

/* Returns a descriptor, or NULL if there is no such descriptor and make is false. */
struct trace_fd *fd_get(struct trace_process *p, s64 fd, bool make);
void fd_clear(struct trace_fd *f);
/* Takes name, which malloc() gave. */
void fd_set_name(struct trace_process *p, s64 fd, char *name, bool close_on_exec);
/* Returns what a call passed as text, or NULL if that was not copied. */
const struct syscall_item *call_text(const struct syscall_call *s, u32 arg);
/*
 * Returns the absolute path of a name that a call gave relative to a directory, or NULL if unknown.
 * The caller frees it.
 */
char *process_path(struct trace_process *p, s32 dir, const struct syscall_item *text);

/*
 * sockets.c: the name of a socket that was made before perf looked, from the link of
 * /proc/PID/fd/FD; the caller frees it. NULL: it is not a socket, or the kernel does not say.
 * *reread begins as false for each process, whose other descriptors then get it as well: the lists
 * of sockets are read again at most once.
 */
char *socket_name(struct trace *t, u32 pid, const char *fd, const char *link, bool *reread);
void sockets_free(struct trace *t);

#endif
