// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPUs that go offline while they are recorded.  The kernel takes the events of a CPU away
 * with it and does not bring them back, so nothing comes from it any more, also when it
 * is online again: that is said, since the file looks as if the CPU had been idle.
 * Events of a task are not concerned, they go where the task goes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "record/internal.h"
#include "sys/topology.h"

static bool has(const u32 *cpus, size_t count, s32 cpu)
{
	for (size_t i = 0; i < count; i++)
		if ((s32)cpus[i] == cpu)
			return true;
	return false;
}

static void say_gone(struct recorder *rec, s32 cpu, u64 ns)
{
	char object[16];

	snprintf(object, sizeof(object), "CPU %d", cpu);
	condition_add(&rec->ctx->conditions, CONDITION_WARNING, "cpu-offline", object, NULL, 1,
		      "when it is online again, record it again",
		      "CPU %d went offline about %llu.%llu s after the start: nothing is recorded on it from then on",
		      cpu, (unsigned long long)(ns / 1000000000),
		      (unsigned long long)(ns / 100000000 % 10));
}

void offline_update(struct recorder *rec, struct offline_watch *w, u64 now)
{
	enum { EVERY_NS = 1000000000 };

	u32 *online = NULL;
	size_t count = 0;
	bool first;

	if (!w->since)
		w->since = now;
	if (now < w->next || (!rec->target->system_wide && rec->target->tid_count))
		return;
	w->next = now + EVERY_NS;
	if (sys_cpus(rec->sys, "online", &online, &count, NULL))
		return;
	first = !w->gone;
	if (first)
		w->gone = xcalloc(live_ring_count(rec->live) + 1, sizeof(*w->gone));
	for (size_t i = 0; i < live_ring_count(rec->live); i++) {
		s32 cpu = live_ring_cpu(rec->live, i);

		if (cpu < 0 || w->gone[i] || live_ring_is_added(rec->live, i) ||
		    live_ring_is_backward(rec->live, i) || has(online, count, cpu))
			continue;
		w->gone[i] = true;
		/* not listed, though its events could be opened: a list that is not the kernel's */
		if (!first)
			say_gone(rec, cpu, now - w->since);
	}
	free(online);
}
