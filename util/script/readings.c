// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples with the values of counters (PERF_SAMPLE_READ): a reading of a group is a small perf stat
 * of the time since the group was read last, so its ratios are those of perf stat.
 */
#include <stdlib.h>

#include "script/internal.h"

struct reading {
	struct stat_domains domains; /* one: all that a reading counted */
	struct stat_table table;
	VEC(struct counter_step) steps; /* the readings in the sample that is being shown */
};

struct counter_step {
	const struct event *event;
	u64 change;
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
	vec_release(&rd->steps);
	free(rd);
}

/* How far each counter went since it was read last. */
static void take_steps(struct script *s, const struct sample *sample, struct reading *rd)
{
	vec_clear(&rd->steps);
	for (u64 i = 0; i < sample->read_count; i++) {
		struct sample_read_value v = sample_read(s->set, sample, i);
		const struct event *ev = event_by_id(s->set, v.id);
		u64 *last;

		if (!ev)
			continue;
		last = map64_put(&s->read_values, v.id, NULL);
		vec_push(&rd->steps, (struct counter_step){ ev, v.value - *last });
		*last = v.value;
	}
}

/* The counters of a group run at the same times: nothing is extrapolated. */
static void count_steps(struct reading *rd)
{
	stat_table_forget(&rd->table);
	vec_for_each(&rd->steps, it)
		stat_table_add(&rd->table, 0, it->event->index,
			       &(struct stat_count){ .value = it->change, .enabled = 1, .running = 1, .supported = true });
	stat_table_end_run(&rd->table, 0);
}

static bool wants_ratios(const struct script *s)
{
	for (int t = 0; t < SCRIPT_TYPES; t++)
		if (s->fields.type[t].fields & BIT64(SHOW_METRIC))
			return true;
	return false;
}

/* The lines of ratios come after those of all counters. */
static void show_metrics(struct script *s, const struct session_sample *ss, const struct reading *rd,
			 script_add_lines add_metrics)
{
	vec_for_each(&rd->steps, it) {
		const struct event_view *v = &s->views.items[it->event->index];
		struct out *out = v->file ? v->file : s->out;

		if (!it->change || !shows(v, SHOW_METRIC))
			continue;
		add_metrics(s, ss, v, out_buf(out));
		out_done(out);
	}
}

int script_read_counters(struct script *s, const struct session_sample *ss, script_show show,
			 script_add_lines add_metrics, struct reason *r)
{
	struct reading *rd = reading_of(s);
	bool ratios = wants_ratios(s);
	int err = 0;

	take_steps(s, ss->sample, rd);
	if (ratios)
		count_steps(rd);
	for (size_t i = 0; i < rd->steps.count && !err; i++)
		if (rd->steps.items[i].change)
			err = show(s, ss, rd->steps.items[i].event, rd->steps.items[i].change, r);
	if (!err && ratios && s->o->form == SCRIPT_TEXT)
		show_metrics(s, ss, rd, add_metrics);
	vec_clear(&rd->steps);
	return err;
}

size_t script_metrics(const struct script *s, const struct event *ev, struct stat_metric out[STAT_METRICS_MAX])
{
	if (!s->reading || !s->reading->steps.count)
		return 0;
	return stat_metrics(&s->reading->table, 0, ev, out);
}

static const struct counter_step *find_step(const struct reading *rd, u64 config, u64 modes)
{
	const u64 all = ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;

	vec_for_each(&rd->steps, it) {
		const struct perf_event_attr *a = &it->event->attr;

		/* the upper half names the kind of core on a hybrid machine: a group is of one */
		if (a->type == PERF_TYPE_HARDWARE && (u32)a->config == config &&
		    (modes == UINT64_MAX || (a->flags & all) == modes))
			return it;
	}
	return NULL;
}

bool script_reading_ipc(const struct script *s, u64 *instructions, u64 *cycles)
{
	const u64 all = ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
	const struct counter_step *c, *i;

	if (!s->reading)
		return false;
	c = find_step(s->reading, PERF_COUNT_HW_CPU_CYCLES, UINT64_MAX);
	i = c ? find_step(s->reading, PERF_COUNT_HW_INSTRUCTIONS, c->event->attr.flags & all) : NULL;
	if (!i)
		return false;
	*cycles = c->change;
	*instructions = i->change;
	return true;
}
