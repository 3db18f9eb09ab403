/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptors of a process: fds.c keeps them, fd_changes.c learns from calls, selected.c asks for them. */
#ifndef TRACE_PROCESS_H
#define TRACE_PROCESS_H

#include "trace/internal.h"

enum { CLOSE_ON_EXEC = 02000000, CURRENT_DIRECTORY = -100 };

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

/* NULL: there is none of this number, and none is made (make). */
struct trace_fd *fd_get(struct trace_process *p, s64 fd, bool make);
void fd_clear(struct trace_fd *f);
/* Takes name, which malloc() gave. */
void fd_set_name(struct trace_process *p, s64 fd, char *name, bool close_on_exec);
/* What a call passed as text; NULL: it was not copied. */
const struct syscall_item *call_text(const struct syscall_call *s, u32 arg);
/* The absolute path of what a call named, below a directory, to be freed; NULL: not known. */
char *process_path(struct trace_process *p, s32 dir, const struct syscall_item *text);

#endif
