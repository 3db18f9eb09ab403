// SPDX-License-Identifier: GPL-2.0-or-later
#include "stat/catalogue.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

static char *trimmed(const char *s, size_t n)
{
	while (n && *s == ' ') {
		s++;
		n--;
	}
	while (n && s[n - 1] == ' ')
		n--;
	return xstrndup(s, n);
}

static bool model_fits(const char *regex, const char *cpuid)
{
	char *whole = xasprintf("^(%s)$", regex);
	regex_t r;
	bool fits = !regcomp(&r, whole, REG_EXTENDED | REG_NOSUB);

	if (fits) {
		fits = !regexec(&r, cpuid, 0, NULL, 0);
		regfree(&r);
	}
	free(whole);
	return fits;
}

static char *event_key(u32 section, const char *alias)
{
	return xasprintf("%u %s", section, alias);
}

static void add_event(struct metric_catalogue *c, u32 section, const char *line)
{
	const char *equals = strstr(line, " = ");
	char *alias, *text, *key;

	if (!equals)
		return;
	alias = trimmed(line, (size_t)(equals - line));
	text = trimmed(equals + 3, strlen(equals + 3));
	key = event_key(section, alias);
	*strmap_put(&c->events, key, NULL) = c->texts.list.count;
	strlist_add(&c->texts, text);
	free(key);
	free(text);
	free(alias);
}

static void metric_free(struct metric_entry *m)
{
	free(m->name);
	free(m->unit);
	free(m->expression);
	free(m->threshold);
	free(m->description);
	free(m->pmu);
	strlist_release(&m->groups);
}

/* Splits a unit's text: "100%" -> 100, "%". */
static void set_unit(struct metric_entry *m, char *text)
{
	char *end;

	m->scale = strtod(text, &end);
	if (end == text)
		m->scale = 1;
	m->unit = xstrdup(end);
	free(text);
}

enum { COLUMNS = 6 };

static bool same_pmu(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void add_metric(struct metric_catalogue *c, u32 section, const char *pmu, const char *line)
{
	struct metric_entry m = { .section = section, .pmu = pmu ? xstrdup(pmu) : NULL };
	char *columns[COLUMNS];
	size_t n = 0;

	for (const char *at = line; n < COLUMNS; n++) {
		/* "|" is also an operator, without spaces around it in these files */
		const char *end = n + 1 < COLUMNS ? strstr(at, " |") : NULL;
		size_t len = end ? (size_t)(end - at) : strlen(at);

		columns[n] = trimmed(at, len);
		at += end ? len + 2 : len;
	}
	m.name = columns[0];
	strlist_split(&m.groups, columns[1], ",");
	free(columns[1]);
	set_unit(&m, columns[2]);
	m.expression = columns[3];
	m.threshold = columns[4];
	m.description = columns[5];
	vec_for_each(&c->list, it)
		if (!strcmp(it->name, m.name) && same_pmu(it->pmu, m.pmu)) {
			metric_free(it);
			*it = m;
			return;
		}
	vec_push(&c->list, m);
}

static int by_name(const void *a, const void *b)
{
	const struct metric_entry *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->pmu ? x->pmu : "", y->pmu ? y->pmu : "");
}

/*
 * Reports whether "model REGEX" or "model REGEX on PMU" matches this machine. Sets *pmu to NULL, or
 * a copy.
 */
static bool section_fits(const char *line, const char *cpuid, char **pmu)
{
	const char *on = strstr(line, " on ");
	char *regex = xstrndup(line, on ? (size_t)(on - line) : strlen(line));
	bool fits = model_fits(regex, cpuid);

	free(*pmu);
	*pmu = fits && on ? xstrdup(on + 4) : NULL;
	free(regex);
	return fits;
}

void catalogue_load(struct metric_catalogue *c, const char *text, const char *cpuid)
{
	struct strlist lines = { VEC_INIT };
	bool fits = false;
	char *pmu = NULL;
	u32 section = 0;

	memset(c, 0, sizeof(*c));
	strlist_split(&lines, text, "\n");
	vec_for_each(&lines.list, it) {
		if (str_starts(*it, "model ")) {
			fits = section_fits(*it + strlen("model "), cpuid, &pmu);
			section++;
		} else if (fits && str_starts(*it, "event ")) {
			add_event(c, section, *it + strlen("event "));
		} else if (fits && str_starts(*it, "metric ")) {
			add_metric(c, section, pmu, *it + strlen("metric "));
		}
	}
	free(pmu);
	strlist_release(&lines);
	vec_sort(&c->list, by_name);
}

void catalogue_leave_out(struct metric_catalogue *c, size_t index)
{
	metric_free(&c->list.items[index]);
	memmove(&c->list.items[index], &c->list.items[index + 1],
		(--c->list.count - index) * sizeof(*c->list.items));
}

void catalogue_release(struct metric_catalogue *c)
{
	vec_for_each(&c->list, it)
		metric_free(it);
	vec_release(&c->list);
	strmap_release(&c->events);
	strlist_release(&c->texts);
}

const struct metric_entry *catalogue_find(const struct metric_catalogue *c, const char *name,
					  const char *pmu)
{
	const struct metric_entry *any = NULL;

	vec_for_each(&c->list, it) {
		if (strcmp(it->name, name))
			continue;
		if (same_pmu(it->pmu, pmu))
			return it;
		if (!it->pmu)
			any = it;
	}
	return any;
}

bool metric_in_group(const struct metric_entry *m, const char *group)
{
	return strlist_has(&m->groups, group);
}

const char *catalogue_event(const struct metric_catalogue *c, u32 section, const char *alias)
{
	char *key = event_key(section, alias);
	u64 *index = strmap_get(&c->events, key);

	free(key);
	return index ? c->texts.list.items[*index] : NULL;
}
