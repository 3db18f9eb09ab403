/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that carry out the request of perf probe. */
#ifndef PROBE_REQUEST_INTERNAL_H
#define PROBE_REQUEST_INTERNAL_H

#include "probe/event.h"
#include "probe/request.h"

/* request_say.c: to said, unless -q was given. */
void probe_say(const struct probe_request *q, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Adds "  probe_t:work  (on work@t.c in /tmp/t)". */
void probe_put_event(struct prober *p, const struct probe_event *e, struct strbuf *b);

/* add.c: all definitions of a list, as events */
int probe_resolve_all(const struct probe_request *q, struct prober *p, const struct strlist *list,
		      struct probe_events *events, struct reason *r);
/*
 * Adds the probes. unnamed is a prober for which no name is taken, for what is kept in the cache.
 */
int probe_add(const struct probe_request *q, struct prober *p, struct prober *unnamed,
	      struct reason *r);

/* list.c */
int probe_list(const struct probe_request *q, struct prober *p, struct reason *r);
int probe_remove(const struct probe_request *q, struct prober *p, struct reason *r);

#endif
