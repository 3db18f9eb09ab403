// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/stat.h"

static size_t cells(const struct stat_table *t)
{
	return t->domains->list.count * t->set->list.count;
}

static size_t cell(const struct stat_table *t, size_t domain, u32 event)
{
	return domain * t->set->list.count + event;
}

void stat_table_init(struct stat_table *t, const struct event_set *set,
		     const struct stat_domains *domains)
{
	size_t n;

	*t = (struct stat_table){ .set = set, .domains = domains };
	n = cells(t) + 1;
	t->now = xcalloc(n, sizeof(*t->now));
	t->before = xcalloc(n, sizeof(*t->before));
	t->series = xcalloc(n, sizeof(*t->series));
	t->supported = xcalloc(set->list.count + 1, sizeof(*t->supported));
}

void stat_table_release(struct stat_table *t)
{
	free(t->now);
	free(t->before);
	free(t->series);
	free(t->supported);
}

void stat_table_clear(struct stat_table *t)
{
	memset(t->now, 0, cells(t) * sizeof(*t->now));
}

void stat_table_add(struct stat_table *t, size_t column, u32 event, const struct stat_count *c)
{
	struct stat_count *to;

	if (column >= t->domains->columns || event >= t->set->list.count)
		return;
	to = &t->now[cell(t, t->domains->of_column[column], event)];
	to->value += c->value;
	to->enabled += c->enabled;
	to->running += c->running;
	to->counters += c->supported && c->enabled;
	to->supported |= c->supported;
	t->supported[event] |= c->supported;
}

/* Returns the count that the event would have if it had run all the time it was enabled. */
static double extrapolated(const struct stat_count *c)
{
	if (!c->running || c->running >= c->enabled)
		return (double)c->value;
	return (double)c->value * ((double)c->enabled / (double)c->running);
}

static void push(struct stat_series *s, double value)
{
	double from_old = value - s->mean;

	s->runs++;
	s->mean += from_old / (double)s->runs;
	s->m2 += from_old * (value - s->mean);
}

static void push_count(struct stat_series *s, const struct stat_count *c)
{
	push(s, extrapolated(c));
	s->enabled += ((double)c->enabled - s->enabled) / (double)s->runs;
	s->running += ((double)c->running - s->running) / (double)s->runs;
	s->counters = c->counters;
	s->supported |= c->supported;
}

void stat_table_end_run(struct stat_table *t, u64 wall)
{
	for (size_t i = 0; i < cells(t); i++)
		push_count(&t->series[i], &t->now[i]);
	push(&t->wall, (double)wall);
	stat_table_clear(t);
}

void stat_table_forget(struct stat_table *t)
{
	memset(t->series, 0, cells(t) * sizeof(*t->series));
	t->wall = (struct stat_series){ 0 };
	stat_table_clear(t);
}

void stat_table_end_interval(struct stat_table *t, u64 wall)
{
	for (size_t i = 0; i < cells(t); i++) {
		struct stat_count *now = &t->now[i], *before = &t->before[i];
		struct stat_count since = { .value = now->value - before->value,
					    .enabled = now->enabled - before->enabled,
					    .running = now->running - before->running,
					    .counters = now->counters,
					    .supported = now->supported };

		/* a level is a state, not a sum */
		if (t->set->list.items[i % t->set->list.count]->snapshot)
			since.value = now->value;
		t->series[i] = (struct stat_series){ 0 };
		push_count(&t->series[i], &since);
		*before = *now;
	}
	t->wall = (struct stat_series){ 0 };
	push(&t->wall, (double)wall);
	stat_table_clear(t);
}

double stat_error(const struct stat_series *s)
{
	if (s->runs < 2)
		return 0;
	return sqrt(s->m2 / (double)(s->runs - 1) / (double)s->runs);
}

void stat_read(const struct stat_table *t, size_t domain, const struct event *ev,
	       struct stat_reading *out)
{
	const struct stat_series *s = &t->series[cell(t, domain, ev->index)];

	*out = (struct stat_reading){
		.value = s->mean,
		.enabled = s->enabled,
		.running = s->running,
		.counters = s->counters,
		.noise = s->mean > 0 ? 100.0 * stat_error(s) / s->mean : 0,
		.supported = t->supported[ev->index],
		.counted = s->supported && s->running > 0 && s->enabled > 0,
	};
}
