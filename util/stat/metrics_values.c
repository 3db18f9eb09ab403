// SPDX-License-Identifier: GPL-2.0-or-later
/* Computes values of metrics: the formula over the counts of one domain. */
#include <math.h>
#include <string.h>

#include "event/names.h"
#include "stat/expr.h"
#include "stat/metrics_internal.h"

struct metric_values {
	const struct metric_set *m;
	const struct stat_table *t;
	size_t domain;
	const struct metric_use *use;
	const struct metric_entry *entry; /* whose names are looked up */
	u32 offset;                       /* where the copies for a cgroup begin */
	int depth;
};

static double event_value(const struct metric_values *v, u32 index)
{
	const struct event *ev = v->t->set->list.items[index];
	const struct stat_domains *d = v->t->domains;
	/*
	 * the time of the run is counted once, in the first column, and is valid for every domain
	 */
	size_t domain = event_tool_is_whole(ev->tool) && d->columns ? d->of_column[0] : v->domain;
	struct stat_reading r;
	double sum;

	stat_read(v->t, domain, ev, &r);
	if (!r.counted)
		return NAN;
	sum = r.value;
	vec_for_each(&v->t->set->list, it) {
		if (ev->instance_of != ev || *it == ev || (*it)->instance_of != ev)
			continue;
		stat_read(v->t, v->domain, *it, &r);
		sum += r.counted ? r.value : 0;
	}
	if (ev->tool == TOOL_DURATION_TIME || ev->tool == TOOL_USER_TIME ||
	    ev->tool == TOOL_SYSTEM_TIME)
		return sum * 1e-9;
	return sum * ev->scale;
}

static double lookup(void *arg, const char *name)
{
	struct metric_values *v = arg;
	const struct metric_entry *own = v->entry, *other;
	const char *text = catalogue_event(&v->m->catalogue, own->section, name);
	struct expr *e;
	double value = NAN;
	u64 number;

	if (*name == '#') {
		int err = metric_number(v->m, name + 1, &number);

		return err ? NAN : (double)number;
	}
	vec_for_each(&v->use->events, it)
		if (!strcmp(it->text, text ? text : name))
			return event_value(v, it->index + v->offset);
	other = catalogue_find(&v->m->catalogue, name, v->use->kind);
	if (!other || v->depth >= METRICS_NESTED)
		return NAN;
	e = expr_parse(other->expression, NULL);
	v->entry = other;
	v->depth++;
	if (e)
		value = expr_value(e, lookup, v);
	v->depth--;
	v->entry = own;
	expr_free(e);
	return value;
}

static double text_value(struct metric_values *v, const char *text)
{
	struct expr *e = expr_parse(text, NULL);
	double value = e ? expr_value(e, lookup, v) : NAN;

	expr_free(e);
	return value;
}

size_t metric_set_values(const struct metric_set *m, const struct stat_table *t, size_t domain,
			 const struct event *ev, struct stat_metric *out, size_t space)
{
	u32 base = m->base_events ? ev->index % m->base_events : 0;
	size_t n = 0;

	for (size_t i = 0; i < m->list.count && n < space; i++) {
		const struct metric_use *u = m->list.items[i];
		struct metric_values v = { .m = m,
					   .t = t,
					   .domain = domain,
					   .use = u,
					   .entry = u->entry,
					   .offset = ev->index - base };
		double value;

		if (u->anchor != base || !u->events.count)
			continue;
		value = text_value(&v, u->entry->expression);
		if (isnan(value))
			continue;
		out[n++] = (struct stat_metric){
			.value = value * u->entry->scale,
			.format = *u->entry->unit ? "%8.1f" : "%8.2f",
			.unit = u->label,
			.asked = true,
			.has_threshold = !m->no_threshold && *u->entry->threshold,
			.bad = !m->no_threshold && *u->entry->threshold &&
			       text_value(&v, u->entry->threshold) > 0,
		};
	}
	return n;
}

bool metric_set_value(const struct metric_set *m, const struct stat_table *t, size_t domain,
		      const char *name, double *out)
{
	for (size_t i = 0; i < m->list.count; i++) {
		const struct metric_use *u = m->list.items[i];
		struct metric_values v = {
			.m = m, .t = t, .domain = domain, .use = u, .entry = u->entry
		};

		if (strcmp(u->entry->name, name))
			continue;
		*out = text_value(&v, u->entry->expression) * u->entry->scale;
		return true;
	}
	return false;
}

const char *metric_set_name(const struct metric_set *m, size_t number)
{
	return m->list.items[number]->entry->name;
}

size_t metric_set_labels(const struct metric_set *m, const struct event *ev, const char **out,
			 size_t space)
{
	u32 base = m->base_events ? ev->index % m->base_events : 0;
	size_t n = 0;

	vec_for_each(&m->list, it)
		if ((*it)->anchor == base && (*it)->events.count && n < space)
			out[n++] = (*it)->label;
	return n;
}
