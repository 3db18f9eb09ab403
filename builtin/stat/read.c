// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat: counters into the table of domains and events. */
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/stat/internal.h"
#include "event/names.h"
#include "sys/numbers.h"

/* ---- domains ---- */

static void thread_domains(struct stat_session *q)
{
	size_t count = live_thread_count(q->live);
	s32 *tids = xcalloc(count, sizeof(*tids));
	char **comms = xcalloc(count, sizeof(*comms));

	for (size_t i = 0; i < count; i++) {
		tids[i] = live_thread(q->live, i);
		comms[i] = sys_read_line(&q->events.sys, "/proc/%d/comm", tids[i]);
	}
	stat_domains_of_threads(&q->out.domains, tids, (const char *const *)comms, count);
	for (size_t i = 0; i < count; i++)
		free(comms[i]);
	free(comms);
	free(tids);
}

void stat_prepare_table(struct stat_session *q)
{
	size_t count = live_cpu_count(q->live);
	s32 *cpus = xcalloc(count, sizeof(*cpus));

	for (size_t i = 0; i < count; i++)
		cpus[i] = live_cpu(q->live, i);
	if (q->ask.by == STAT_BY_THREAD)
		thread_domains(q);
	else
		stat_domains_of_cpus(&q->out.domains, (enum stat_by)q->ask.by, &q->out.topology,
				     cpus, count);
	free(cpus);
	stat_table_init(&q->out.table, &q->events.set, &q->out.domains);
	q->out.table.metrics = q->events.metrics.list.count ? &q->events.metrics : NULL;
	q->out.ready = true;
}

/* ---- reading ---- */

static struct stat_count tool_count(const struct stat_session *q, const struct event *ev, u64 wall)
{
	struct stat_count c = { .enabled = wall, .running = wall, .supported = true };

	if (ev->tool == TOOL_NUMBER) {
		/* "num_cpus:u", "tool/num_cpus/" */
		const char *start = ev->name + (str_starts(ev->name, "tool/") ? 5 : 0);
		char *name = xstrndup(start, strcspn(start, ":/"));

		c.supported = !machine_number(&q->events.sys, name, &c.value);
		free(name);
		return c;
	}
	c.value = wall;
	return c;
}

static void add_tool(struct stat_session *q, const struct event *ev, u64 wall)
{
	struct stat_count c;
	struct live_count same;

	if (ev->tool == TOOL_USER_TIME || ev->tool == TOOL_SYSTEM_TIME) {
		stat_times_add(q, ev, wall);
		return;
	}
	c = tool_count(q, ev, wall);
	same = (struct live_count){ c.value, c.enabled, c.running, 0, true };
	stat_table_add(&q->out.table, 0, ev->index, &c);
	stat_record_count(q, ev, 0, 0, &same);
}

/*
 * Times that differ by less are equal: the two counters are started and read one after the other.
 */
static const u64 instant = 500000;

/*
 * Limits the time for which an event of a task was enabled on a named CPU to the time that the task
 * ran there.
 */
static void limit_enabled(struct stat_session *q, size_t cpu, size_t thread, struct live_count *c)
{
	struct live_count here;

	if (!q->here || live_read(q->here, q->here_set.list.items[0], cpu, thread, &here))
		return;
	c->enabled = MAX(MIN(c->enabled, here.running), c->running);
	if (c->enabled - c->running < instant)
		c->enabled = c->running;
}

static int read_event(struct stat_session *q, const struct event *ev, size_t cpu, size_t thread,
		      struct reason *r)
{
	struct live_count c;
	struct stat_count one;
	int got = ev->by_bpf ? stat_bpf_read(q, ev, cpu, thread, &c)
			     : live_read(q->live, ev, cpu, thread, &c);

	if (got < 0)
		return reason_errno(r, -got, "cannot read the counter of '%s'", ev->name);
	if (!got && !ev->by_bpf && c.running)
		q->enabled = MAX(q->enabled, c.enabled);
	if (!got && !ev->by_bpf)
		limit_enabled(q, cpu, thread, &c);
	if (!got)
		stat_record_count(q, ev, cpu, thread, &c);
	one = (struct stat_count){ .value = c.value,
				   .enabled = c.enabled,
				   .running = c.running,
				   .supported = c.supported };
	if (!q->ask.scale)
		one.enabled = one.running;
	stat_table_add(&q->out.table, q->ask.by == STAT_BY_THREAD ? thread : cpu, ev->index, &one);
	return 0;
}

/* Prints "EVENT: count enabled running" for -v, before anything is extrapolated. */
static void print_raw_counts(const struct stat_session *q)
{
	size_t events = q->events.set.list.count;
	struct strbuf b = STRBUF_INIT;

	for (size_t e = 0; e < events; e++) {
		struct stat_count sum = { 0 };

		for (size_t d = 0; d < q->out.domains.list.count; d++) {
			const struct stat_count *c = &q->out.table.now[d * events + e];

			sum.value += c->value;
			sum.enabled += c->enabled;
			sum.running += c->running;
		}
		strbuf_f(&b, "%s: %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			 q->events.set.list.items[e]->name, sum.value, sum.enabled, sum.running);
	}
	if (q->host->say)
		q->host->say(STAT_SAID_TEXT, strbuf_cstr(&b));
	strbuf_release(&b);
}

/* Moves to a CPU for --affinity: a counter that is read on its own CPU interrupts no other. */
static void move_to_cpu(s32 cpu)
{
	cpu_set_t set;

	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Reads the counters group by group on each CPU and thread, so members are of one instant. */
int stat_read_counters(struct stat_session *q, u64 wall, struct reason *r)
{
	size_t cpus = live_cpu_count(q->live), threads = live_thread_count(q->live);
	cpu_set_t before;
	int err = 0;

	q->enabled = 0;
	stat_bpf_refresh(q);
	if (q->ask.affinity)
		sched_getaffinity(0, sizeof(before), &before);
	for (size_t c = 0; c < cpus; c++) {
		if (q->ask.affinity)
			move_to_cpu(live_cpu(q->live, c));
		for (size_t t = 0; t < threads; t++)
			vec_for_each(&q->events.set.list, it)
				if (!err && !(*it)->tool)
					err = read_event(q, *it, c, t, r);
	}
	if (q->ask.affinity)
		sched_setaffinity(0, sizeof(before), &before);
	stat_times_look(q);
	vec_for_each(&q->events.set.list, it)
		if ((*it)->tool)
			add_tool(q, *it, wall);
	if (!err && q->ask.verbose && stat_for_people(&q->ask))
		print_raw_counts(q);
	return err;
}
