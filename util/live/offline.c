// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/offline.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/trace.h"
#include "sys/topology.h"

static bool has(const u32 *cpus, size_t count, s32 cpu)
{
	for (size_t i = 0; i < count; i++)
		if ((s32)cpus[i] == cpu)
			return true;
	return false;
}

static bool any_to_watch(const struct live *l)
{
	return live_cpu(l, 0) >= 0 && live_thread_count(l) == 1 && live_thread(l, 0) < 0;
}

static void first_look(struct offline_watch *w, const struct live *l, const struct sys *sys,
		       const u32 *online, size_t count)
{
	w->count = live_cpu_count(l);
	w->cpus = xcalloc(w->count + 1, sizeof(*w->cpus));
	for (size_t i = 0; i < w->count; i++) {
		w->cpus[i].life = sys_cpu_life(sys, (u32)live_cpu(l, i));
		w->cpus[i].ignored = !has(online, count, live_cpu(l, i));
	}
	TRACE(live, "%zu CPUs: from now on it is noticed when one goes offline", w->count);
}

static void look_at(struct offline_cpu *c, const struct live *l, size_t place, bool listed,
		    u64 life, u64 after, const struct offline_ops *ops, void *arg)
{
	if (!c->went_at && (!listed || life != c->life)) {
		c->went_at = after ? after : 1;
		TRACE(live, "CPU %d went offline", live_cpu(l, place));
		if (ops->gone)
			ops->gone(arg, place, after);
	}
	c->life = life;
	if (c->went_at && listed && ops->back(arg, place, c->went_at, after))
		c->went_at = 0;
}

void offline_look(struct offline_watch *w, const struct live *l, const struct sys *sys, u64 now,
		  const struct offline_ops *ops, void *arg)
{
	enum { EVERY_NS = 1000000000 };

	u32 *online = NULL;
	size_t count = 0;

	if (!w->since)
		w->since = now;
	if (now < w->next)
		return;
	w->next = now + EVERY_NS;
	if (!any_to_watch(l) || sys_cpus(sys, "online", &online, &count, NULL))
		return;
	if (!w->cpus)
		first_look(w, l, sys, online, count);
	for (size_t i = 0; i < w->count; i++)
		if (!w->cpus[i].ignored)
			look_at(&w->cpus[i], l, i, has(online, count, live_cpu(l, i)),
				sys_cpu_life(sys, (u32)live_cpu(l, i)), now - w->since, ops, arg);
	free(online);
}

void offline_release(struct offline_watch *w)
{
	free(w->cpus);
	*w = (struct offline_watch){ 0 };
}
