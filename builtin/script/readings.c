// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples with the values of counters (PERF_SAMPLE_READ): a reading of a group is a small perf stat
 * of the time since the group's last reading, so its ratios are those of perf stat.
 */
#include <stdlib.h>

#include "builtin/script/internal.h"

struct reading {
	struct stat_domains domains; /* one: all that a reading counted */
	struct stat_table table;
};

static struct reading *reading_of(struct script *s)
{
	const s32 any = -1;

	if (s->reading)
		return s->reading;
	s->reading = xcalloc(1, sizeof(*s->reading));
	stat_domains_of_cpus(&s->reading->domains, STAT_BY_ALL, NULL, &any, 1);
	stat_table_init(&s->reading->table, s->set, &s->reading->domains);
	return s->reading;
}

void script_reading_free(struct reading *rd)
{
	if (!rd)
		return;
	stat_table_release(&rd->table);
	stat_domains_release(&rd->domains);
	free(rd);
}

/*
 * Counts the steps of a group's counters. They run at the same times, so nothing is extrapolated.
 */
static void count_steps(struct reading *rd, const struct session_sample *ss)
{
	stat_table_forget(&rd->table);
	for (size_t i = 0; i < ss->step_count; i++)
		stat_table_add(&rd->table, 0, ss->steps[i].event->index,
			       &(struct stat_count){ .value = ss->steps[i].change,
						     .enabled = 1,
						     .running = 1,
						     .supported = true });
	stat_table_end_run(&rd->table, 0);
}

static bool wants_ratios(const struct script *s)
{
	for (int t = 0; t < SCRIPT_TYPES; t++)
		if (s->fields.type[t].fields & BIT64(SHOW_METRIC))
			return true;
	return false;
}

void script_take_reading(struct script *s, const struct session_sample *ss)
{
	if (ss->step_count && session_is_first_step(ss) && wants_ratios(s))
		count_steps(reading_of(s), ss);
}

size_t script_metrics(const struct script *s, const struct session_sample *ss,
		      const struct event *ev, struct stat_metric out[STAT_METRICS_MAX])
{
	if (!s->reading || !ss->step_count)
		return 0;
	return stat_metrics(&s->reading->table, 0, ev, out);
}

static const struct session_step *find_step(const struct session_sample *ss, u64 config, u64 modes)
{
	const u64 all = ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;

	for (size_t i = 0; i < ss->step_count; i++) {
		const struct perf_event_attr *a = &ss->steps[i].event->attr;

		/* the upper half names the kind of core on a hybrid machine: a group is of one */
		if (a->type == PERF_TYPE_HARDWARE && (u32)a->config == config &&
		    (modes == UINT64_MAX || (a->flags & all) == modes))
			return &ss->steps[i];
	}
	return NULL;
}

bool script_reading_ipc(const struct session_sample *ss, u64 *instructions, u64 *cycles)
{
	const u64 all = ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
	const struct session_step *c = find_step(ss, PERF_COUNT_HW_CPU_CYCLES, UINT64_MAX);
	const struct session_step *i =
		c ? find_step(ss, PERF_COUNT_HW_INSTRUCTIONS, c->event->attr.flags & all) : NULL;

	if (!i)
		return false;
	*cycles = c->change;
	*instructions = i->change;
	return true;
}
