// SPDX-License-Identifier: GPL-2.0-or-later
/* Switches counters on and off, those of the workload and of this process. */
#include "builtin/stat/internal.h"

int stat_enable(struct stat_session *q)
{
	int err = q->here ? live_enable(q->here) : 0;

	stat_times_enable(q, false);
	stat_bpf_enable(q, true);
	return err ? err : live_enable(q->live);
}

int stat_disable(struct stat_session *q)
{
	int err = live_disable(q->live);

	stat_bpf_enable(q, false);
	stat_times_disable(q);
	return err || !q->here ? err : live_disable(q->here);
}
