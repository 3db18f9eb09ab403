// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/offline.h"

#include <stdlib.h>

#include "sys/topology.h"

static bool has(const u32 *cpus, size_t count, s32 cpu)
{
	for (size_t i = 0; i < count; i++)
		if ((s32)cpus[i] == cpu)
			return true;
	return false;
}

static bool feeds_nothing_else(const struct live *l, size_t ring)
{
	return live_ring_cpu(l, ring) >= 0 && live_ring_thread(l, ring) < 0 && !live_ring_is_added(l, ring) &&
	       !live_ring_is_backward(l, ring);
}

void offline_look(struct offline_watch *w, const struct live *l, const struct sys *sys, u64 now,
		  void (*gone)(void *arg, s32 cpu, u64 after), void *arg)
{
	enum { EVERY_NS = 1000000000 };

	u32 *online = NULL;
	size_t count = 0;
	bool first;

	if (!w->since)
		w->since = now;
	if (now < w->next)
		return;
	w->next = now + EVERY_NS;
	if (sys_cpus(sys, "online", &online, &count, NULL))
		return;
	first = !w->gone;
	if (first)
		w->gone = xcalloc(live_ring_count(l) + 1, sizeof(*w->gone));
	for (size_t i = 0; i < live_ring_count(l); i++) {
		s32 cpu = live_ring_cpu(l, i);

		if (w->gone[i] || !feeds_nothing_else(l, i) || has(online, count, cpu))
			continue;
		w->gone[i] = true;
		/* not listed, though its events could be opened: a list that is not the kernel's */
		if (!first)
			gone(arg, cpu, now - w->since);
	}
	free(online);
}

void offline_release(struct offline_watch *w)
{
	free(w->gone);
	*w = (struct offline_watch){ 0 };
}
