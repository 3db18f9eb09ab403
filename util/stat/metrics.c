// SPDX-License-Identifier: GPL-2.0-or-later
#include "stat/metrics_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/names.h"
#include "event/pmu.h"
#include "stat/expr.h"
#include "sys/facts.h"
#include "sys/sys.h"

/*
 * Returns the processor that the user names instead of this one, as a header's cpuid, or NULL.
 * Other perfs write it as vendor, family, model and stepping, in hexadecimal, separated by hyphens.
 * The caller frees it.
 */
static char *named_cpuid(void)
{
	const char *id = getenv("PERF_CPUID");
	unsigned family, model, stepping;
	char vendor[16], end;

	if (!id || !*id)
		return NULL;
	if (sscanf(id, "%15[A-Za-z]-%x-%x-%x%c", vendor, &family, &model, &stepping, &end) == 4)
		return xasprintf("%s,%u,%u,%u", vendor, family, model, stepping);
	return xstrdup(id);
}

int metric_set_init(struct metric_set *m, const struct sys *sys, struct reason *r)
{
	char *named = named_cpuid();
	struct machine_facts facts = { 0 };
	int err = machine_facts_read(sys, &facts, r);

	memset(m, 0, sizeof(*m));
	m->sys = sys;
	if (!err)
		catalogue_load(&m->catalogue, metric_catalogue_text, named ? named : facts.cpuid);
	free(named);
	pmu_core_names(sys, &m->cores);
	metric_slots_read(m);
	metric_slots_settle(m);
	machine_facts_release(&facts);
	return err;
}

void metric_set_init_for(struct metric_set *m, const char *cpuid,
			 const struct cpu_topology *topology)
{
	memset(m, 0, sizeof(*m));
	m->topology = topology;
	catalogue_load(&m->catalogue, metric_catalogue_text, cpuid ? cpuid : "");
}

void metric_use_free(struct metric_use *u)
{
	vec_for_each(&u->events, it) {
		free(it->text);
		free(it->name);
	}
	vec_release(&u->events);
	free(u->label);
	free(u);
}

void metric_set_release(struct metric_set *m)
{
	vec_for_each(&m->list, it)
		metric_use_free(*it);
	vec_release(&m->list);
	vec_for_each(&m->left_out, it)
		free(it->why);
	vec_release(&m->left_out);
	strlist_release(&m->cores);
	catalogue_release(&m->catalogue);
}

/* ---- from a metric to its events ---- */

static bool has_event(const struct metric_use *u, const char *text)
{
	vec_for_each(&u->events, it)
		if (!strcmp(it->text, text))
			return true;
	return false;
}

static int add_names(const struct metric_set *m, const struct metric_entry *entry, const char *text,
		     struct metric_use *u, int depth, struct reason *r);

/* Adds the events of a name, which is an alias, another metric, or an event. */
static int add_name(const struct metric_set *m, const struct metric_entry *entry, const char *name,
		    struct metric_use *u, int depth, struct reason *r)
{
	const char *text = catalogue_event(&m->catalogue, entry->section, name);
	const struct metric_entry *other =
		text ? NULL : catalogue_find(&m->catalogue, name, u->kind);

	if (*name == '#')
		return 0;
	if (other && other != entry)
		return depth < METRICS_NESTED
			       ? add_names(m, other, other->expression, u, depth + 1, r)
			       : reason_set(r, ELOOP, "the metric '%s' refers to itself", name);
	if (!text)
		text = name;
	if (!has_event(u, text))
		vec_push(&u->events,
			 (struct metric_event){ .text = xstrdup(text), .name = xstrdup(name) });
	return 0;
}

static int add_names(const struct metric_set *m, const struct metric_entry *entry, const char *text,
		     struct metric_use *u, int depth, struct reason *r)
{
	struct strlist names = { VEC_INIT };
	struct expr *e = expr_parse(text, r);
	int err = e ? 0 : -EINVAL;

	expr_names(e, &names);
	vec_for_each(&names.list, it)
		if (!err && strcmp(*it, entry->name))
			err = add_name(m, entry, *it, u, depth, r);
	strlist_release(&names);
	expr_free(e);
	if (err)
		reason_prefix(r, "metric '%s'", entry->name);
	return err;
}

static void set_label(struct metric_use *u)
{
	const struct metric_entry *m = u->entry;

	free(u->label);
	u->label = xasprintf("%s%s%s%s%s%s", m->unit, *m->unit ? "  " : "", m->name,
			     u->kind ? " (" : "", u->kind ? u->kind : "", u->kind ? ")" : "");
}

struct metric_use *metric_use_new(const struct metric_set *m, const struct metric_entry *entry,
				  const char *kind, struct reason *r)
{
	struct metric_use *u = xcalloc(1, sizeof(*u));
	int err;

	u->entry = entry;
	u->kind = kind;
	set_label(u);
	err = add_names(m, entry, entry->expression, u, 0, r);
	if (!err && !m->no_threshold && *entry->threshold)
		err = add_names(m, entry, entry->threshold, u, 0, r);
	if (!err)
		return u;
	metric_use_free(u);
	return NULL;
}

/* ---- adding them to a set ---- */

/*
 * Reports whether the event can be in a group: counters of the CPU can; clocks, times and uncore
 * PMUs stay outside.
 */
static bool can_group(const struct event *ev)
{
	if (ev->tool || ev->instance_of)
		return false;
	return ev->attr.type == PERF_TYPE_HARDWARE || ev->attr.type == PERF_TYPE_HW_CACHE ||
	       ev->attr.type == PERF_TYPE_RAW ||
	       (ev->pmu && (!strcmp(ev->pmu, "cpu") || str_starts(ev->pmu, "cpu_") ||
			    str_starts(ev->pmu, "armv")));
}

static void group_events(struct event_set *set, size_t first)
{
	size_t n = first;

	while (n < set->list.count && can_group(set->list.items[n]))
		n++;
	if (n - first < 2)
		return;
	for (size_t i = first; i < n; i++)
		set->list.items[i]->leader = set->list.items[first];
	set->list.items[first]->members = (u32)(n - first);
	set->list.items[first]->weak_group = true;
}

/* Returns the order: software events and clocks come after events that can be in a group. */
static int order_of(const char *text)
{
	const struct event_symbol *s = event_symbol_find(text, strlen(text));

	return s && (s->tool || s->type == PERF_TYPE_SOFTWARE);
}

/*
 * Shares an event outside of groups, which is counted once for all metrics. Returns false if no
 * other metric has it.
 */
static bool share_single(const struct metric_set *m, struct metric_event *event)
{
	vec_for_each(&m->list, u)
		vec_for_each(&(*u)->events, it)
			if (!m->no_merge && !strcmp(it->text, event->text)) {
				event->index = it->index;
				return true;
			}
	return false;
}

static int add_events(const struct metric_set *m, struct metric_use *u,
		      const struct event_parser *all, struct event_set *set, struct reason *r)
{
	struct event_parser own = *all, *parser = &own;
	int err = 0;

	if (u->kind)
		own.core_pmu = u->kind;

	for (int round = 0; round < 2; round++)
		vec_for_each(&u->events, it) {
			if (err || it->given || order_of(it->text) != round ||
			    (round && share_single(m, it)))
				continue;
			it->index = (u32)set->list.count;
			err = event_parse(parser, set, it->text, r);
		}
	return err;
}

/*
 * Shares the events of another metric that counts all of u's events. Returns false if there is
 * none.
 */
static bool share_events(const struct metric_set *m, struct metric_use *u)
{
	for (size_t i = 0; !m->no_merge && i < m->list.count; i++) {
		const struct metric_use *other = m->list.items[i];
		size_t found = 0;

		if (other->kind != u->kind)
			continue;
		vec_for_each(&u->events, a)
			vec_for_each(&other->events, b)
				if (!strcmp(a->text, b->text)) {
					a->index = b->index;
					found++;
				}
		if (found == u->events.count)
			return true;
	}
	return false;
}

/* Uses the user's own event for NAME if it has the term metric-id=NAME. */
static void take_given(struct metric_use *u, const struct event_set *set)
{
	vec_for_each(&u->events, it)
		vec_for_each(&set->list, ev)
			if (!it->given && (*ev)->metric_id && !strcmp((*ev)->metric_id, it->name)) {
				it->given = true;
				it->index = (*ev)->index;
			}
}

static int add_use(struct metric_set *m, struct metric_use *u, const struct event_parser *parser,
		   struct event_set *set, struct reason *r)
{
	size_t first = set->list.count;
	int err = 0;

	take_given(u, set);
	if (!share_events(m, u)) {
		err = add_events(m, u, parser, set, r);
		if (!err && !m->no_group)
			group_events(set, first);
		if (err)
			event_set_truncate(set, first);
	}
	u->anchor = u->events.count ? u->events.items[0].index : 0;
	if (!err)
		vec_push(&m->list, u);
	else
		metric_use_free(u);
	m->base_events = (u32)set->list.count;
	return err;
}

static void leave_out(struct metric_set *m, const char *name, const struct reason *r)
{
	struct metric_left_out one = { .name = name,
				       .why = xstrndup(r->text, strcspn(r->text, "\n")) };

	vec_push(&m->left_out, one);
}

/*
 * Adds metrics. The first impossible metric is an error if the user named it, or if none is
 * possible.
 */
static int add_uses(struct metric_set *m, struct metric_use *const *uses, size_t count,
		    const struct event_parser *parser, struct event_set *set, struct reason *r)
{
	struct reason first = REASON_INIT;
	bool any = false;
	int err = 0, first_err = 0;

	for (size_t i = 0; i < count; i++) {
		const char *name = uses[i]->entry->name;
		bool of_group = uses[i]->of_group;
		struct reason why = REASON_INIT;

		if (err) {
			metric_use_free(uses[i]);
			continue;
		}
		err = add_use(m, uses[i], parser, set, &why);
		any |= !err;
		if (err && of_group)
			leave_out(m, name, &why);
		if (err && !first_err) {
			first_err = err;
			reason_move(&first, &why);
			reason_prefix(&first, "metric '%s'", name);
		}
		if (of_group)
			err = 0;
		reason_release(&why);
	}
	if (!err && !any)
		err = first_err;
	if (err)
		reason_move(r, &first);
	reason_release(&first);
	return err;
}

static int by_events(const void *a, const void *b)
{
	const struct metric_use *x = *(struct metric_use *const *)a;
	const struct metric_use *y = *(struct metric_use *const *)b;

	int order = strcmp(x->entry->name, y->entry->name);

	if (x->events.count != y->events.count)
		return x->events.count < y->events.count ? 1 : -1;
	return order || !x->kind || !y->kind ? order : strcmp(x->kind, y->kind);
}

int metric_unknown(const struct metric_set *m, const char *name, struct reason *r)
{
	struct strlist names = { VEC_INIT };
	const char *near;

	vec_for_each(&m->catalogue.list, it) {
		strlist_add(&names, it->name);
		vec_for_each(&it->groups.list, g)
			strlist_add(&names, *g);
	}
	near = nearest_name(name, (const char *const *)names.list.items, names.list.count);
	reason_set(r, EINVAL, "there is no metric or metric group '%s' for this machine", name);
	if (near)
		reason_hint(r, "did you mean '%s'?", near);
	else
		reason_hint(r, "'perf list metric' and 'perf list metricgroup' show them");
	strlist_release(&names);
	return -EINVAL;
}

/* Reports whether one of the events counts on the cores themselves. */
static bool counts_on_cores(const struct metric_set *m, const struct metric_use *u,
			    const struct event_parser *parser)
{
	struct event_set set;
	bool found = false;

	event_set_init(&set);
	vec_for_each(&u->events, it)
		if (!event_parse(parser, &set, it->text, NULL))
			vec_for_each(&set.list, ev)
				found |= (*ev)->pmu && strlist_has(&m->cores, (*ev)->pmu);
	event_set_release(&set);
	return found;
}

struct metric_uses {
	VEC(struct metric_use *) list;
};

/* Adds a metric once for each kind of cores; each kind has its own metrics. */
static int add_by_kind(const struct metric_set *m, const struct metric_entry *entry,
		       const struct event_parser *parser, struct metric_uses *uses,
		       struct reason *r)
{
	vec_for_each(&m->cores.list, kind) {
		struct metric_use *u;

		if ((parser->core_pmu && strcmp(parser->core_pmu, *kind)) ||
		    catalogue_find(&m->catalogue, entry->name, *kind) != entry)
			continue;
		u = metric_use_new(m, entry, *kind, r);
		if (!u)
			return -EINVAL;
		vec_push(&uses->list, u);
		if (entry->pmu || counts_on_cores(m, u, parser))
			continue;
		u->kind = NULL;
		set_label(u);
		break;
	}
	return 0;
}

static int add_entry(const struct metric_set *m, const struct metric_entry *entry,
		     const struct event_parser *parser, struct metric_uses *uses, struct reason *r)
{
	struct metric_use *u;

	if (m->cores.list.count > 1)
		return add_by_kind(m, entry, parser, uses, r);
	u = metric_use_new(m, entry, NULL, r);
	if (u)
		vec_push(&uses->list, u);
	return u ? 0 : -EINVAL;
}

int metric_set_add(struct metric_set *m, const struct event_parser *parser, struct event_set *set,
		   const char *list, struct reason *r)
{
	struct strlist names = { VEC_INIT };
	struct metric_uses uses = { VEC_INIT };
	int err = 0;

	strlist_split(&names, list, ",");
	vec_for_each(&names.list, name) {
		size_t before = uses.list.count;

		vec_for_each(&m->catalogue.list, it) {
			bool named = !strcmp(it->name, *name);
			size_t first = uses.list.count;

			if (!err && (named || metric_in_group(it, *name)))
				err = add_entry(m, it, parser, &uses, r);
			for (; first < uses.list.count; first++)
				uses.list.items[first]->of_group = !named;
		}
		if (!err && uses.list.count == before)
			err = metric_unknown(m, *name, r);
	}
	/* metrics with the most events first: the others may find theirs among them */
	vec_sort(&uses.list, by_events);
	if (!err)
		err = add_uses(m, uses.list.items, uses.list.count, parser, set, r);
	else
		vec_for_each(&uses.list, it)
			metric_use_free(*it);
	vec_release(&uses.list);
	strlist_release(&names);
	return err;
}

/* ---- what is possible here ---- */

static int try_open(const struct event *ev)
{
	struct perf_event_attr attr = ev->attr;
	s32 cpu = ev->cpus ? (s32)ev->cpus[0] : -1;
	int fd;

	if (ev->tool)
		return 0;
	attr.flags |= ATTR_DISABLED;
	attr.sample_type = attr.sample_period = 0;
	fd = sys_perf_event_open(&attr, cpu < 0 ? 0 : -1, cpu, -1, 0);
	if (fd == -EACCES || fd == -EPERM) {
		attr.flags |= ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
		fd = sys_perf_event_open(&attr, cpu < 0 ? 0 : -1, cpu, -1, 0);
	}
	if (fd >= 0)
		close(fd);
	/* an event without permission is not missing */
	return fd >= 0 || fd == -EACCES || fd == -EPERM ? 0 : fd;
}

char *metric_unavailable(const struct metric_set *m, const struct metric_entry *metric)
{
	struct event_parser parser = {
		.command = "stat", .counting = true, .sys = m->sys, .core_pmu = metric->pmu
	};
	struct reason r = REASON_INIT;
	struct metric_use *u = metric_use_new(m, metric, metric->pmu, &r);
	struct event_set set;
	char *why = u ? NULL : xstrdup(r.text);

	event_set_init(&set);
	for (size_t i = 0; u && !why && i < u->events.count; i++) {
		const char *text = u->events.items[i].text;

		if (event_parse(&parser, &set, text, &r))
			why = xasprintf("there is no event '%s' here", text);
	}
	for (size_t i = 0; !why && i < set.list.count; i++)
		if (try_open(set.list.items[i]))
			why = xasprintf("'%s' cannot be counted here", set.list.items[i]->name);
	event_set_release(&set);
	reason_release(&r);
	if (u)
		metric_use_free(u);
	return why;
}
