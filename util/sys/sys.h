/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this kernel says, in files: /proc, /sys, tracefs.
 *
 * What it is: a root directory under which all of them are read.  The host's is
 * "/"; tests give the root of a tree that they wrote, and drive the shipped code
 * with a machine they do not have.  Every function takes sys == NULL for the
 * host.  Paths are absolute, as on a running system ("/proc/meminfo").
 * Threads: no state; a struct sys is read-only.
 * Errors: -errno; nothing is explained here, see sys/explain.h.
 */
#ifndef SYS_SYS_H
#define SYS_SYS_H

#include "base/perf_abi.h"
#include "base/reason.h"
#include "base/strbuf.h"
#include "base/text.h"

struct sys {
	const char *root;        /* "" or NULL: the host */
	const char *tracing_dir; /* where tracefs is, below root; NULL: find it */
};

/* Root and path in one string; the caller frees it. */
char *sys_path(const struct sys *sys, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Append a whole file to out: 0 or -errno. */
int sys_read(const struct sys *sys, struct strbuf *out, const char *path);
/* First line without its newline: NULL when unreadable; the caller frees it. */
char *sys_read_line(const struct sys *sys, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The number a file consists of (decimal or 0x): 0 or -errno. */
int sys_read_u64(const struct sys *sys, u64 *value, const char *fmt, ...) PRINTF_LIKE(3, 4);
int sys_read_s64(const struct sys *sys, s64 *value, const char *fmt, ...) PRINTF_LIKE(3, 4);
bool sys_exists(const struct sys *sys, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Names in a directory but "." and "..", sorted: 0 or -errno.  dirs_only drops files. */
int sys_list(const struct sys *sys, struct strlist *names, bool dirs_only, const char *path);

/*
 * perf_event_open(2): a descriptor or -errno.  flags: PERF_FLAG_* of
 * linux/perf_event.h; PERF_FLAG_FD_CLOEXEC is always added.
 */
int sys_perf_event_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			unsigned long flags);

#endif
