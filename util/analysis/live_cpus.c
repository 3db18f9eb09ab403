// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/live_cpus.h"

#include <errno.h>
#include <stdlib.h>

#include "sys/topology.h"

int live_cpus_check(const struct sample_choice *c, struct reason *r)
{
	u32 *online = NULL, wrong = 0;
	size_t count = 0;
	bool absent = false;

	if (!c->cpu_count || sys_cpus(NULL, "online", &online, &count, NULL))
		return 0;
	for (size_t i = 0, at = 0; i < c->cpu_count && !absent; i++) {
		while (at < count && online[at] < c->cpus[i])
			at++;
		absent = at == count || online[at] != c->cpus[i];
		wrong = c->cpus[i];
	}
	free(online);
	if (!absent)
		return 0;
	reason_set(r, EINVAL, "there is no CPU %u online", wrong);
	reason_hint(r, "'cat /sys/devices/system/cpu/online' shows which are");
	return -EINVAL;
}
