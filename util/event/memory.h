/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of a machine that sample memory accesses, for perf mem and perf c2c.
 *
 * Which hardware there is comes from sysfs, the events from the table in arch/memory.h.
 * Owned by the caller; memory_events_release().  Errors: -errno with a reason.
 */
#ifndef EVENT_MEMORY_H
#define EVENT_MEMORY_H

#include "arch/memory.h"
#include "sys/sys.h"

struct memory_events {
	const struct arch_memory_sampler *sampler; /* NULL: this machine has none */
	struct strlist pmus;                       /* those of them that have it */
	const struct sys *sys;
	unsigned chosen; /* bits: events of the sampler by number */
	u64 latency;     /* cycles: shorter loads are left out; 0: as is usual */
	bool latency_given;
	bool wider; /* what was asked for cannot be sampled alone */
};

/* sys as always: NULL is the host. */
void memory_events_find(struct memory_events *m, const struct sys *sys);
void memory_events_release(struct memory_events *m);

/* -ENODEV with what is missing, which hardware has it, and what is possible instead. */
int memory_events_require(const struct memory_events *m, struct reason *r) MUST_CHECK;
/* Lines "ldlat-loads  : available", as '-e list' shows them; full: with the events' text. */
void memory_events_list(const struct memory_events *m, bool full, struct strbuf *out);
/* By the user's words: parts of the tags, with commas between them. */
int memory_events_choose(struct memory_events *m, const char *text, struct reason *r) MUST_CHECK;
/* By what they sample: MEMORY_*; one event for all of it where there is one. */
int memory_events_choose_ops(struct memory_events *m, unsigned ops, struct reason *r) MUST_CHECK;
/* Do samples of the chosen events carry a weight? */
bool memory_events_have_cost(const struct memory_events *m);
/* "-e" and the text of each chosen event, once for each PMU. */
int memory_events_words(const struct memory_events *m, struct strlist *words,
			struct reason *r) MUST_CHECK;

#endif
