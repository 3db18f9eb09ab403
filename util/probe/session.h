/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes that live as long as a session of record or stat: --probe and -e sdt_PROVIDER:NAME.
 *
 * A probe without arguments goes through the kernel's kprobe or uprobe PMU where possible; the
 * others are put into tracefs and removed again (probe/temporary.h).
 * Threads: one at a time. Errors: -errno and a reason.
 * Life: the caller zeroes a struct session_probes and fills in the first members;
 * session_probes_release() frees the rest, after the events were closed.
 */
#ifndef PROBE_SESSION_H
#define PROBE_SESSION_H

#include "base/context.h"
#include "event/event.h"
#include "probe/event.h"

struct probe_temporary;

/* An event that the kernel's kprobe or uprobe PMU can probe, until it is known whether it may. */
struct session_pmu_probe {
	u32 index; /* the index of the event in the set */
	struct probe_event probe;
};

struct session_probes {
	struct context *ctx;
	const char *command;               /* "record", "stat" */
	const char *vmlinux;               /* for the first probe; NULL: searched for */
	struct probe_temporary *temporary; /* NULL: none yet */
	VEC(struct session_pmu_probe) by_pmu;
};

/* Appends the events of --probe "[FILE ]DEFINITION" to set. */
int session_probe_add(struct session_probes *p, struct event_set *set, const char *text,
		      struct reason *r);
/* Resolves an event's name, as event_parser's resolve; arg is a struct session_probes. */
int session_probe_resolve(void *arg, struct event_set *set, const char *name, struct reason *r);
/*
 * Converts events from position first on to tracepoints of tracefs. The PMU takes no filter, and an
 * inherited event of it makes the fork fail, as the new process lacks the text that names what is
 * probed.
 */
int session_probe_to_tracefs(struct session_probes *p, struct event_set *set, u32 first,
			     struct reason *r);
/* Releases the probes, after the events were closed and the set was released. */
void session_probes_release(struct session_probes *p);

#endif
