// SPDX-License-Identifier: GPL-2.0-or-later
/* Idle states and frequencies of CPUs. */
#include "builtin/timechart/internal.h"

enum { MOST_KHZ = 20000000 }; /* a larger value is damaged */

void scene_idle(struct scene *s, u32 cpu, u64 time, u32 state, bool begins)
{
	struct cpu_row *c = scene_cpu(s, cpu);

	if (!c)
		return;
	if (c->idle)
		scene_part(s, scene_lane(s, &c->idle_lane), PART_RUN, c->idle_since, time,
			   c->idle_state, 0);
	c->idle = begins;
	c->idle_since = time;
	c->idle_state = state;
}

void scene_frequency(struct scene *s, u32 cpu, u64 time, u64 khz)
{
	struct cpu_row *c = scene_cpu(s, cpu);

	if (!c || khz > MOST_KHZ)
		return;
	if (c->freq)
		scene_part(s, scene_lane(s, &c->freq_lane), PART_RUN, c->freq_since, time, c->freq,
			   0);
	c->freq = (u32)khz;
	c->freq_since = time;
	s->most_freq = MAX(s->most_freq, c->freq);
}
