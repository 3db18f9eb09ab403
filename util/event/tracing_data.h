/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The formats that a recording keeps of its tracepoints, read from this machine's tracefs.
 * What they say is read again by tracepoint/tracepoint.h.
 */
#ifndef EVENT_TRACING_DATA_H
#define EVENT_TRACING_DATA_H

#include "base/strbuf.h"
#include "event/event.h"

/*
 * The bytes of TRACING_DATA for these events, as Debian's perf writes it; the
 * caller releases out.
 */
int tracing_data_collect(const struct event_set *set, struct strbuf *out, struct reason *r);

/*
 * The same formats for a session without a file: those of all tracepoints in the set, whose events
 * then have them.  NULL: there is no tracepoint, or tracefs cannot be read, which has a reason.
 * The caller frees them after the set's last use.
 */
struct tracepoint_formats *tracing_data_formats(struct event_set *set, struct reason *r);

#endif
