/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes that live as long as a run: `perf record --probe` and `-e sdt_PROVIDER:NAME`.
 *
 * They are events of tracefs like others. A guard process, which is started before the first one is
 * added, removes them when this process ends in any way: it waits for the end of a pipe whose other
 * end only this process has.
 * Threads: one at a time; start them before other threads are started.
 * Errors: -errno and a reason.
 * Life: probe_temporary_new allocates; probe_temporary_free removes the probes and frees.
 */
#ifndef PROBE_TEMPORARY_H
#define PROBE_TEMPORARY_H

#include "probe/event.h"

struct context;
struct probe_temporary;

/* Makes it; vmlinux is the kernel's debug information, or NULL to search for it. */
struct probe_temporary *probe_temporary_new(struct context *ctx, const char *vmlinux);
/*
 * Resolves "[PATH ]DEFINITION", or the name of SDT markers ("sdt_P:N", "%NAME"; may be a glob), and
 * appends the events to out. Changes nothing in the kernel.
 */
int probe_temporary_resolve(struct probe_temporary *t, const char *text, struct probe_events *out,
			    struct reason *r) MUST_CHECK;
/* Puts the events into tracefs, all or none, until t is freed. */
int probe_temporary_put(struct probe_temporary *t, const struct probe_event *events, size_t count,
			struct reason *r) MUST_CHECK;
/* Removes the probes. The events that were opened on them must be closed before. */
void probe_temporary_free(struct probe_temporary *t);

#endif
