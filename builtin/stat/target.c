// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat: the tasks and CPUs that are counted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin/stat/internal.h"

bool stat_counts_command(const struct stat_session *q)
{
	return q->argv && !q->ask.system_wide && !q->ask.cpus && !stat_counts_tasks(&q->ask);
}

static char *command_line(const char *const *argv)
{
	struct strbuf b = STRBUF_INIT;

	strbuf_char(&b, '\'');
	for (; *argv; argv++)
		strbuf_f(&b, "%s%s", *argv, argv[1] ? " " : "'");
	return strbuf_detach(&b);
}

int stat_choose_target(struct stat_session *q, struct reason *r)
{
	const struct stat_request *ask = &q->ask;
	bool tasks = stat_counts_tasks(ask), by_thread = ask->by == STAT_BY_THREAD;
	int err = 0;

	q->target.inherit = ask->inherit;
	q->target.per_thread = by_thread;
	if (ask->cpus || ask->system_wide)
		q->target.system_wide = !tasks && !by_thread;
	if (ask->system_wide && by_thread)
		err = target_add_all(&q->target, r);
	if (ask->cpus)
		err = sys_choose_cpus(&q->events.sys, q->ask.cpus, "online", &q->target.cpus,
				      &q->target.cpu_count, r);
	if (!err && ask->pids)
		err = target_add_pids(&q->target, ask->pids, r);
	if (!err && ask->tids)
		err = target_add_tids(&q->target, ask->tids, r);
	q->target.by_user = ask->user;
	q->out.title = ask->bpf_prog      ? xasprintf("BPF program(s) %s", ask->bpf_prog)
		       : ask->pids        ? xasprintf("process id '%s'", ask->pids)
		       : ask->tids        ? xasprintf("thread id '%s'", ask->tids)
		       : ask->user        ? xasprintf("user '%s'", ask->user)
		       : ask->cpus        ? xasprintf("'CPU(s) %s'", ask->cpus)
		       : ask->system_wide ? xstrdup("'system wide'")
					  : command_line(q->argv);
	return err;
}

int stat_cache_level(const char *text, u32 *level, struct reason *r)
{
	const char *digits = text ? text + (*text == 'l' || *text == 'L') : NULL;

	*level = 0;
	if (!text)
		return 0;
	if (*digits < '1' || *digits > '9' ||
	    (digits[1] && strcmp(digits + 1, "d") && strcmp(digits + 1, "i"))) {
		reason_usage(r, "'%s' is not a cache level", text);
		reason_hint(r,
			    "give a level such as 2, L3 or L1d, or none for the last level of each "
			    "CPU");
		return -EINVAL;
	}
	*level = (u32)(*digits - '0');
	return 0;
}

int stat_read_caches(struct stat_session *q, struct reason *r)
{
	const char *text = q->ask.cache_level;
	u32 level;
	int err;

	if (q->ask.by != STAT_BY_CACHE)
		return 0;
	err = stat_cache_level(text, &level, r);
	if (err)
		return err;
	cpu_topology_read_caches(&q->events.sys, &q->out.topology, level);
	vec_for_each(&q->out.topology.cpus, it)
		if (it->cache >= 0)
			return 0;
	if (text)
		reason_set(r, ENOENT, "this machine reports no level %s cache", text);
	else
		reason_set(r, ENOENT, "this machine does not report its caches");
	reason_hint(r, "'cat /sys/devices/system/cpu/cpu0/cache/index*/level' shows the levels it "
		       "reports");
	return -ENOENT;
}
