/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of a machine that sample memory accesses, for perf mem and perf c2c.
 *
 * sysfs lists the hardware, and the table in arch/memory.h the events. The caller owns it;
 * memory_events_release(). Errors: -errno with a reason.
 */
#ifndef EVENT_MEMORY_H
#define EVENT_MEMORY_H

#include "arch/memory.h"
#include "sys/sys.h"

struct memory_events {
	const struct arch_memory_sampler *sampler; /* NULL if this machine has none */
	struct strlist pmus;                       /* the machine's PMUs of the sampler */
	const struct sys *sys;
	unsigned chosen; /* bits: events of the sampler by number */
	u64 latency;     /* cycles: leaves out shorter loads; 0 means the default */
	bool latency_given;
	bool wider; /* what was requested cannot be sampled alone */
};

/* Finds the sampler; a sys of NULL is the host. */
void memory_events_find(struct memory_events *m, const struct sys *sys);
void memory_events_release(struct memory_events *m);

/*
 * Returns -ENODEV if there is no sampler, and says what is missing, which hardware has it, and what
 * is possible instead.
 */
int memory_events_require(const struct memory_events *m, struct reason *r) MUST_CHECK;
/* Writes lines "ldlat-loads  : available", as '-e list' shows them; full: with the events' text. */
void memory_events_list(const struct memory_events *m, bool full, struct strbuf *out);
/* Chooses events by the user's words: parts of the tags, separated by commas. */
int memory_events_choose(struct memory_events *m, const char *text, struct reason *r) MUST_CHECK;
/* Chooses events by what they sample, MEMORY_*; one event for all of it if there is one. */
int memory_events_choose_ops(struct memory_events *m, unsigned ops, struct reason *r) MUST_CHECK;
/* Reports whether samples of the chosen events have a weight. */
bool memory_events_have_cost(const struct memory_events *m);
/* Adds "-e" and the text of each chosen event, once for each PMU. */
int memory_events_words(const struct memory_events *m, struct strlist *words,
			struct reason *r) MUST_CHECK;

#endif
