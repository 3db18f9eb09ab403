/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefs: where it is, and the tracepoints it lists.
 *
 * tracefs is looked for in sys->tracing_dir, the directory of tracefs_use(), /sys/kernel/tracing,
 * /sys/kernel/debug/tracing and then in /proc/mounts.  Where none is mounted, and this user may,
 * there is one for this process alone, as long as it runs, which no directory shows.  Else
 * a missing tracefs is a reason whose hint is the command that mounts it.
 */
#ifndef SYS_TRACEFS_H
#define SYS_TRACEFS_H

#include "sys/sys.h"

/*
 * Of every call for which sys names none; DIR of --debugfs-dir, which lives as long as the program.
 */
void tracefs_use(const char *dir);
/* Its directory, without sys->root: NULL with a reason; the caller frees it. */
char *tracefs_find(const struct sys *sys, struct reason *r);
/* How a user who may not read the tracefs at dir gets the right to. */
void tracefs_hint(const struct sys *sys, const char *dir, struct reason *r);
/* Why the files of events below dir cannot be read; err: positive errno. Returns -err. */
int tracefs_refuse_read(const struct sys *sys, const char *dir, int err, struct reason *r);
/*
 * Why kprobe_events or uprobe_events below dir cannot be opened for writing; err: positive errno.
 * Returns a negative one.
 */
int tracefs_refuse_change(const char *dir, const char *file, int err, struct reason *r);
/* Id of SYSTEM:NAME below the directory dir that tracefs_find returned: 0 or -errno. */
int tracefs_id(const struct sys *sys, const char *dir, const char *system, const char *name,
	       u64 *id);
/* Names of the systems / of the tracepoints of one system, sorted. */
int tracefs_systems(const struct sys *sys, const char *dir, struct strlist *names);
int tracefs_tracepoints(const struct sys *sys, const char *dir, const char *system,
			struct strlist *names);

#endif
