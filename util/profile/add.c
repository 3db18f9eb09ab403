// SPDX-License-Identifier: GPL-2.0-or-later
/* Adds one sample to the tables, with what all kinds of rows need. */
#include "profile/internal.h"

void profile_add_one(struct profile *p, unsigned worker, const struct session_sample *s,
		     struct hist_sample *h)
{
	h->key = &s->key;
	h->task = s->task;
	h->comm = s->comm;
	h->stack_end = s->stack_end;
	h->swap = session_events(p->session)->swap;
	if (p->set.latency)
		h->parallelism = profile_parallelism(p, s->sample->id.time);
	hist_collector_add(p->workers[worker].collector, h);
}
