/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes in the running kernel: kprobe_events and uprobe_events of tracefs.
 *
 * All events of one call go to the kernel in one write(2), so a killed perf leaves either all of
 * them or none. When the kernel refuses one, those before it are taken back. A refusal is explained
 * by the kernel's own error_log, with its caret.
 * Threads: any. If two processes add equal names simultaneously, the second is refused.
 * Errors: -errno and a reason; -ENODEV when the kernel has no such probes (and the reason names the
 * configuration option).
 */
#ifndef PROBE_TRACEFS_H
#define PROBE_TRACEFS_H

#include "probe/event.h"

struct sys;
struct probe_tracefs;

/* Opens tracefs; sys is NULL for this host. */
int probe_tracefs_open(const struct sys *sys, struct probe_tracefs **out,
		       struct reason *r) MUST_CHECK;
void probe_tracefs_close(struct probe_tracefs *t);

/*
 * Reports whether the kernel's README has a word, such as "symstr" or "%pd"; true when it cannot be
 * read.
 */
bool probe_tracefs_knows(const struct probe_tracefs *t, const char *word);
/* Appends all probes, kernel first; kinds that this kernel lacks are none. */
int probe_tracefs_list(const struct probe_tracefs *t, struct probe_events *out, struct reason *r);
/*
 * Checks that this kernel has such probes. Returns 0, also when that cannot be determined, or
 * -ENODEV with a reason.
 */
int probe_tracefs_check(const struct probe_tracefs *t, const struct probe_event *events,
			size_t count, struct reason *r) MUST_CHECK;
/* Adds events; kernel and user probes may be mixed. */
int probe_tracefs_add(const struct probe_tracefs *t, const struct probe_event *events, size_t count,
		      struct reason *r);
/* Takes group, event and kind of e. */
int probe_tracefs_delete(const struct probe_tracefs *t, const struct probe_event *e,
			 struct reason *r);

#endif
