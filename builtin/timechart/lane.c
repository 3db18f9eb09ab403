// SPDX-License-Identifier: GPL-2.0-or-later
/* CPUs and lanes of the scene, made when they first appear. */
#include "builtin/timechart/internal.h"

enum { MOST_CPUS = 4096 };

struct cpu_row *scene_cpu(struct scene *s, u32 cpu)
{
	if (cpu >= MOST_CPUS)
		return NULL;
	while (s->cpus.count <= cpu)
		vec_push(&s->cpus, (struct cpu_row){ .lane = NOBODY,
						     .idle_lane = NOBODY,
						     .freq_lane = NOBODY });
	return &s->cpus.items[cpu];
}

u32 scene_lane(struct scene *s, u32 *lane)
{
	if (*lane == NOBODY)
		*lane = s->lane_count++;
	return *lane;
}
