// SPDX-License-Identifier: GPL-2.0-or-later
#include "stat/metrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/names.h"
#include "stat/expr.h"
#include "sys/facts.h"
#include "sys/numbers.h"
#include "sys/sys.h"

enum { MOST_NESTED = 20 };

/* An event of a metric: its text, and its place in the set. */
struct metric_event {
	char *text, *name; /* name: in the formula */
	u32 index;
	bool given; /* the set has one with metric-id=name */
};

struct metric_use {
	const struct metric_entry *entry;
	VEC(struct metric_event) events; /* in the order of the formula */
	u32 anchor;
	char *label; /* "%  NAME" */
};

int metric_set_init(struct metric_set *m, const struct sys *sys, struct reason *r)
{
	struct machine_facts facts = { 0 };
	int err = machine_facts_read(sys, &facts, r);

	memset(m, 0, sizeof(*m));
	m->sys = sys;
	if (!err)
		catalogue_load(&m->catalogue, metric_catalogue_text, facts.cpuid);
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

static void use_free(struct metric_use *u)
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
		use_free(*it);
	vec_release(&m->list);
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

/* A name is an alias, another metric, or an event. */
static int add_name(const struct metric_set *m, const struct metric_entry *entry, const char *name,
		    struct metric_use *u, int depth, struct reason *r)
{
	const char *text = catalogue_event(&m->catalogue, entry->section, name);
	const struct metric_entry *other = text ? NULL : catalogue_find(&m->catalogue, name);

	if (*name == '#')
		return 0;
	if (other && other != entry)
		return depth < MOST_NESTED ?
			       add_names(m, other, other->expression, u, depth + 1, r) :
			       reason_set(r, ELOOP, "the metric '%s' needs itself", name);
	if (!text)
		text = name;
	if (!has_event(u, text))
		vec_push(&u->events, (struct metric_event){ .text = xstrdup(text),
							      .name = xstrdup(name) });
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

static struct metric_use *use_new(const struct metric_set *m, const struct metric_entry *entry,
				  struct reason *r)
{
	struct metric_use *u = xcalloc(1, sizeof(*u));
	int err;

	u->entry = entry;
	u->label = *entry->unit ? xasprintf("%s  %s", entry->unit, entry->name) :
				  xstrdup(entry->name);
	err = add_names(m, entry, entry->expression, u, 0, r);
	if (!err && !m->no_threshold && *entry->threshold)
		err = add_names(m, entry, entry->threshold, u, 0, r);
	if (!err)
		return u;
	use_free(u);
	return NULL;
}

/* ---- adding them to a set ---- */

/* Counters of the CPU can be one group; clocks, times and uncore PMUs stay outside. */
static bool can_group(const struct event *ev)
{
	if (ev->tool || ev->instance_of)
		return false;
	return ev->attr.type == PERF_TYPE_HARDWARE || ev->attr.type == PERF_TYPE_HW_CACHE ||
	       ev->attr.type == PERF_TYPE_RAW ||
	       (ev->pmu && (!strcmp(ev->pmu, "cpu") || str_starts(ev->pmu, "cpu_core")));
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

/* Software events and clocks go behind those that can be a group. */
static int order_of(const char *text)
{
	const struct event_symbol *s = event_symbol_find(text, strlen(text));

	return s && (s->tool || s->type == PERF_TYPE_SOFTWARE);
}

/* What stays outside of groups is counted once for all metrics. */
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
		      const struct event_parser *parser, struct event_set *set, struct reason *r)
{
	int err = 0;

	for (int round = 0; round < 2; round++)
		vec_for_each(&u->events, it) {
			if (err || it->given || order_of(it->text) != round ||
			    (round && share_single(m, it)))
				continue;
			it->index = (u32)set->list.count;
			err = event_parse(parser, set, it->text, r);
			if (err)
				reason_prefix(r, "metric '%s'", u->entry->name);
		}
	return err;
}

/* Another metric that counts all of u's events: they are shared. */
static bool share_events(const struct metric_set *m, struct metric_use *u)
{
	for (size_t i = 0; !m->no_merge && i < m->list.count; i++) {
		const struct metric_use *other = m->list.items[i];
		size_t found = 0;

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

/* metric-id=NAME: the user's own event stands for NAME. */
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
		use_free(u);
	m->base_events = (u32)set->list.count;
	return err;
}

static int by_events(const void *a, const void *b)
{
	const struct metric_use *x = *(struct metric_use *const *)a;
	const struct metric_use *y = *(struct metric_use *const *)b;

	if (x->events.count != y->events.count)
		return x->events.count < y->events.count ? 1 : -1;
	return strcmp(x->entry->name, y->entry->name);
}

static int unknown_metric(const struct metric_set *m, const char *name, struct reason *r)
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

int metric_set_add(struct metric_set *m, const struct event_parser *parser, struct event_set *set,
		   const char *list, struct reason *r)
{
	struct strlist names = { VEC_INIT };
	VEC(struct metric_use *) uses = VEC_INIT;
	int err = 0;

	strlist_split(&names, list, ",");
	vec_for_each(&names.list, name) {
		size_t before = uses.count;

		vec_for_each(&m->catalogue.list, it) {
			struct metric_use *u;

			if (err || (strcmp(it->name, *name) && !metric_in_group(it, *name)))
				continue;
			u = use_new(m, it, r);
			if (u)
				vec_push(&uses, u);
			else
				err = -EINVAL;
		}
		if (!err && uses.count == before)
			err = unknown_metric(m, *name, r);
	}
	/* those with the most events first: the others may find theirs among them */
	vec_sort(&uses, by_events);
	for (size_t i = 0; i < uses.count; i++) {
		if (err)
			use_free(uses.items[i]);
		else
			err = add_use(m, uses.items[i], parser, set, r);
	}
	vec_release(&uses);
	strlist_release(&names);
	return err;
}

/* Was an event recorded for this text: by the text, by the name= in it, or with modifiers? */
static const struct event *recorded_event(const struct event_set *set, const char *text)
{
	const char *name = strstr(text, "name=");
	const struct event *ev = event_by_name(set, text);
	char *given;

	if (!ev && name) {
		given = xstrndup(name + 5, strcspn(name + 5, ",/"));
		ev = event_by_name(set, given);
		free(given);
	}
	if (ev)
		return ev;
	vec_for_each(&set->list, it) {
		const char *colon = strrchr((*it)->name, ':');

		if (colon && !event_is_tracepoint(*it) &&
		    (size_t)(colon - (*it)->name) == strlen(text) &&
		    !strncmp((*it)->name, text, strlen(text)))
			return *it;
	}
	return NULL;
}

static bool bind_events(struct metric_use *u, const struct event_set *set, const char **missing)
{
	vec_for_each(&u->events, it) {
		const struct event *ev = recorded_event(set, it->text);

		*missing = it->text;
		if (!ev)
			return false;
		it->index = ev->index;
	}
	if (u->events.count)
		u->anchor = u->events.items[0].index;
	return true;
}

static int bind_name(struct metric_set *m, const struct event_set *set, const char *name,
		     struct reason *r)
{
	size_t before = m->list.count;
	bool known = false;

	vec_for_each(&m->catalogue.list, it) {
		const char *missing = NULL;
		struct metric_use *u;

		if (strcmp(it->name, name) && !metric_in_group(it, name))
			continue;
		known = true;
		u = use_new(m, it, r);
		if (!u)
			return -EINVAL;
		if (bind_events(u, set, &missing)) {
			vec_push(&m->list, u);
			continue;
		}
		/* of a group those are shown that can be */
		reason_set(r, ENOENT, "metric '%s' needs '%s', which was not recorded", it->name,
			   missing);
		use_free(u);
	}
	if (!known)
		return unknown_metric(m, name, r);
	if (m->list.count == before)
		return -ENOENT;
	reason_release(r);
	return 0;
}

int metric_set_bind(struct metric_set *m, const struct event_set *set, const char *list,
		    struct reason *r)
{
	struct strlist names = { VEC_INIT };
	int err = 0;

	strlist_split(&names, list, ",");
	vec_for_each(&names.list, it)
		if (!err)
			err = bind_name(m, set, *it, r);
	m->base_events = (u32)set->list.count;
	strlist_release(&names);
	return err;
}

/* ---- values ---- */

struct metric_values {
	const struct metric_set *m;
	const struct stat_table *t;
	size_t domain;
	const struct metric_use *use;
	const struct metric_entry *entry; /* whose names are looked up */
	u32 offset; /* of the copies for a cgroup */
	int depth;
};

static double event_value(const struct metric_values *v, u32 index)
{
	const struct event *ev = v->t->set->list.items[index];
	struct stat_reading r;
	double sum;

	stat_read(v->t, v->domain, ev, &r);
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
		int err = v->m->topology ? topology_number(v->m->topology, name + 1, &number) :
					   machine_number(v->m->sys, name + 1, &number);

		return err ? NAN : (double)number;
	}
	vec_for_each(&v->use->events, it)
		if (!strcmp(it->text, text ? text : name))
			return event_value(v, it->index + v->offset);
	other = catalogue_find(&v->m->catalogue, name);
	if (!other || v->depth >= MOST_NESTED)
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
		struct metric_values v = { .m = m, .t = t, .domain = domain, .use = u,
					   .entry = u->entry, .offset = ev->index - base };
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
	/* not allowed is not missing */
	return fd >= 0 || fd == -EACCES || fd == -EPERM ? 0 : fd;
}

char *metric_unavailable(const struct metric_set *m, const struct metric_entry *metric)
{
	struct event_parser parser = { .command = "stat", .counting = true, .sys = m->sys };
	struct reason r = REASON_INIT;
	struct metric_use *u = use_new(m, metric, &r);
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
		use_free(u);
	return why;
}
