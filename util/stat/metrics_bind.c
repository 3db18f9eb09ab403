// SPDX-License-Identifier: GPL-2.0-or-later
/* Binds metrics of a file to the events that were recorded. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/names.h"
#include "stat/metrics_internal.h"

/*
 * Reports whether name[0..n) is text, or another name of the same event ("faults", "page-faults").
 */
static bool same_event(const char *name, size_t n, const char *text)
{
	const struct event_symbol *symbol = event_symbol_find(text, strlen(text));
	u64 config, other;

	if (n == strlen(text) && !strncmp(name, text, n))
		return true;
	if (symbol)
		return event_symbol_find(name, n) == symbol;
	return cache_event_parse(text, strlen(text), &config) &&
	       cache_event_parse(name, n, &other) && config == other;
}

/*
 * Finds the recorded event for a text: by one of its names, by the name= in it, or with modifiers.
 * Returns NULL if there is none.
 */
static const struct event *recorded_event(const struct event_set *set, const char *text,
					  const char *kind)
{
	const char *name = strstr(text, "name=");
	const struct event *ev;
	char *given = kind ? xasprintf("%s/%s/", kind, text) : xstrdup(text);

	ev = event_by_name(set, given);
	free(given);
	if (!ev && kind)
		ev = event_by_name(set, text);
	if (!ev && name) {
		given = xstrndup(name + 5, strcspn(name + 5, ",/"));
		ev = event_by_name(set, given);
		free(given);
	}
	if (ev)
		return ev;
	vec_for_each(&set->list, it)
		if (same_event((*it)->name, strlen((*it)->name), text))
			return *it;
	vec_for_each(&set->list, it) {
		const char *colon = strrchr((*it)->name, ':');

		if (colon && !event_is_tracepoint(*it) &&
		    same_event((*it)->name, (size_t)(colon - (*it)->name), text))
			return *it;
	}
	return NULL;
}

/*
 * Finds a recorded event with metric-id=NAME in its text, which then means NAME; or returns NULL.
 */
static const struct event *given_event(const struct event_set *set, const char *name)
{
	static const char term[] = "metric-id=";

	vec_for_each(&set->list, it) {
		const char *at = strstr((*it)->name, term), *value;

		if (!at || at == (*it)->name || !strchr("/,", at[-1]))
			continue;
		value = at + strlen(term);
		if (strcspn(value, ",/") == strlen(name) && !strncmp(value, name, strlen(name)))
			return *it;
	}
	return NULL;
}

static bool bind_events(struct metric_use *u, const struct event_set *set, const char **missing)
{
	vec_for_each(&u->events, it) {
		const struct event *ev = given_event(set, it->name);

		if (!ev)
			ev = recorded_event(set, it->text, u->kind);
		*missing = it->text;
		if (!ev)
			return false;
		it->index = ev->index;
	}
	if (u->events.count)
		u->anchor = u->events.items[0].index;
	return true;
}

static int bind_entry(struct metric_set *m, const struct event_set *set,
		      const struct metric_entry *entry, const char *kind, struct reason *r)
{
	const char *missing = NULL;
	struct metric_use *u = metric_use_new(m, entry, kind, r);

	if (!u)
		return -EINVAL;
	if (bind_events(u, set, &missing)) {
		vec_push(&m->list, u);
		return 0;
	}
	/* a group shows those of its metrics that are possible */
	reason_set(r, ENOENT, "metric '%s' needs '%s', which was not recorded", entry->name,
		   missing);
	metric_use_free(u);
	return 0;
}

static int bind_name(struct metric_set *m, const struct event_set *set, const char *name,
		     struct reason *r)
{
	size_t before = m->list.count;
	bool known = false;
	int err = 0;

	vec_for_each(&m->catalogue.list, it) {
		if (err || (strcmp(it->name, name) && !metric_in_group(it, name)))
			continue;
		known = true;
		if (!m->cores.list.count)
			err = bind_entry(m, set, it, NULL, r);
		vec_for_each(&m->cores.list, kind)
			if (!err && catalogue_find(&m->catalogue, it->name, *kind) == it)
				err = bind_entry(m, set, it, *kind, r);
	}
	if (err)
		return err;
	if (!known)
		return metric_unknown(m, name, r);
	if (m->list.count == before)
		return -ENOENT;
	reason_release(r);
	return 0;
}

/* Finds the kinds of cores of the file's machine, by events such as "cpu_core/cycles/". */
static void find_kinds(struct metric_set *m, const struct event_set *set)
{
	vec_for_each(&set->list, it) {
		size_t n = strcspn((*it)->name, "/");
		char *kind = xstrndup((*it)->name, n);

		if ((*it)->name[n] && str_starts(kind, "cpu_") && !strlist_has(&m->cores, kind))
			strlist_add(&m->cores, kind);
		free(kind);
	}
}

int metric_set_bind(struct metric_set *m, const struct event_set *set, const char *list,
		    struct reason *r)
{
	struct strlist names = { VEC_INIT };
	int err = 0;

	if (!m->cores.list.count)
		find_kinds(m, set);

	strlist_split(&names, list, ",");
	vec_for_each(&names.list, it)
		if (!err)
			err = bind_name(m, set, *it, r);
	m->base_events = (u32)set->list.count;
	strlist_release(&names);
	return err;
}
