/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The formats that a recording keeps of its tracepoints, read from this machine's tracefs.
 * tracepoint/tracepoint.h reads them again.
 */
#ifndef EVENT_TRACING_DATA_H
#define EVENT_TRACING_DATA_H

#include "base/strbuf.h"
#include "event/event.h"

/*
 * Collects the bytes of TRACING_DATA for these events, as Debian's perf writes it; the caller
 * releases out.
 */
int tracing_data_collect(const struct event_set *set, struct strbuf *out, struct reason *r);

/*
 * Collects the formats of all tracepoints in the set, for a session without a file, and gives them
 * to the events. Returns NULL if there is no tracepoint, or with a reason if tracefs cannot be
 * read. The caller frees them after the set's last use.
 */
struct tracepoint_formats *tracing_data_formats(struct event_set *set, struct reason *r);

#endif
