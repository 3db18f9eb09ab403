// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/live_cpus.h"

#include "sys/topology.h"

int live_cpus_check(const struct sample_choice *c, struct reason *r)
{
	return sys_check_cpus(NULL, c->cpus, c->cpu_count, "online", r);
}
