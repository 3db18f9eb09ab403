// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf stat, CPUs that go offline while they are counted. With -I the counters of one that returns
 * are opened again. At the end of a measurement without intervals, perf only reports that they
 * stopped.
 */
#include <stdio.h>

#include "base/clock.h"
#include "builtin/stat/internal.h"

static void say(struct stat_session *q, size_t cpu, const char *what)
{
	char object[16];

	snprintf(object, sizeof(object), "CPU %d", live_cpu(q->live, cpu));
	condition_add(&q->ctx->conditions, CONDITION_WARNING, "stat-cpu-offline", object, NULL, 1,
		      NULL, "%s went offline while it was counted: %s", object, what);
}

static void gone(void *arg, size_t cpu, u64 after)
{
	struct stat_session *q = arg;

	(void)after;
	say(q, cpu,
	    q->ask.interval ? "what ran on it until the interval after its return is missing"
			    : "what ran on it after its return is missing");
}

static bool back(void *arg, size_t cpu, u64 gone_at, u64 after)
{
	struct stat_session *q = arg;

	(void)gone_at, (void)after;
	return q->ask.interval && live_can_reopen(q->live) && !live_reopen(q->live, cpu, NULL);
}

void stat_look_after_cpus(struct stat_session *q)
{
	const struct offline_ops ops = { gone, back };

	q->cpus.next = 0;
	offline_look(&q->cpus, q->live, &q->events.sys, clock_now(), &ops, q);
}
