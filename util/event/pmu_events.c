// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses events of the PMUs in sysfs, and the kernel's form with slashes: PMU/terms/. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/internal.h"
#include "event/names.h"
#include "event/pmu.h"
#include "event/terms.h"

static void take_cpus(struct event *ev, const struct pmu *pmu)
{
	ev->pmu = xstrdup(pmu->name);
	if (!pmu->cpus)
		return;
	ev->cpus = xmemdup(pmu->cpus, pmu->cpu_count * sizeof(*pmu->cpus));
	ev->cpu_count = (u32)pmu->cpu_count;
}

static int add_on_pmu(struct parse *p, struct terms *terms, const char *name, struct span text)
{
	struct pmu *pmu = pmu_load(p->parser->sys, name, p->r);
	size_t first = p->set->list.count;
	struct event *ev;
	int err;

	if (!pmu)
		return -ENOENT;
	vec_for_each(&terms->list, t)
		t->used = false;
	ev = parse_add(p, pmu->type, 0, text);
	take_cpus(ev, pmu);
	err = terms_apply_pmu(p, terms, pmu, ev);
	if (!err)
		err = terms_apply_common(p, terms, first);
	if (!err)
		err = terms_refuse_rest(p, terms, pmu);
	pmu_free(pmu);
	return err;
}

/*
 * Reports whether a PMU is wanted. --cputype names one kind of cores; it does not affect other
 * PMUs.
 */
static bool core_pmu_wanted(const struct parse *p, const char *pmu)
{
	const char *only = p->parser->core_pmu;

	return !only || !str_starts(pmu, "cpu_") || !strcmp(pmu, only);
}

static void mark_instances(struct event_set *set, size_t first)
{
	if (set->list.count - first < 2)
		return;
	for (size_t i = first; i < set->list.count; i++)
		set->list.items[i]->instance_of = set->list.items[first];
}

static int no_such_pmu(struct parse *p, struct span word)
{
	struct strlist names = { 0 };
	size_t count;
	const struct event_symbol *symbols = event_symbols(&count);

	parse_fault(p, word, "no PMU or event '%.*s'", (int)word.n, word.s);
	pmu_names(p->parser->sys, &names);
	for (size_t i = 0; i < count; i++)
		strlist_add(&names, symbols[i].name);
	parse_suggest(p, word, &names);
	strlist_release(&names);
	return -EINVAL;
}

/*
 * Adds the event on every PMU that the word means. All have the user's text, so they count as one.
 */
static int parse_on_pmus(struct parse *p, struct span word, struct terms *terms)
{
	struct span text = { word.s, (size_t)(p->at - word.s) };
	size_t first = p->set->list.count;
	struct strlist names = { 0 };
	char *pattern = xstrndup(word.s, word.n);
	int err = 0;

	pmu_match(p->parser->sys, pattern, &names);
	if (!names.list.count)
		err = no_such_pmu(p, word);
	for (size_t i = 0; !err && i < names.list.count; i++)
		err = add_on_pmu(p, terms, names.list.items[i], text);
	mark_instances(p->set, first);
	strlist_release(&names);
	free(pattern);
	return err;
}

/* Parses tool/duration_time/. */
static int parse_tool(struct parse *p, const struct terms *terms, struct span word)
{
	const struct event_symbol *s = NULL;
	struct strlist names = { 0 };
	const struct term *t = terms->list.items;
	size_t count;

	if (terms->list.count == 1)
		s = event_symbol_find(t->key, strlen(t->key));
	if (s && s->tool) {
		word.n = (size_t)(p->at - word.s);
		parse_add_symbol(p, s, word);
		return 0;
	}
	if (terms->list.count == 1 && !t->text)
		parse_fault(p, t->name, "no tool event '%s'", t->key);
	else
		parse_fault(p, t ? t->name : word, "expected one tool event");
	s = event_symbols(&count);
	for (size_t i = 0; i < count; i++)
		if (s[i].tool)
			strlist_add(&names, s[i].name);
	if (t)
		parse_suggest(p, t->name, &names);
	strlist_release(&names);
	return -EINVAL;
}

/*
 * Finds the event of software/page-faults/: the kernel has the PMU, but only this table has names
 * for its events.
 */
static const struct event_symbol *software_event(struct terms *terms)
{
	vec_for_each(&terms->list, t) {
		const struct event_symbol *s =
			t->text ? NULL : event_symbol_find(t->key, strlen(t->key));

		if (s && !s->tool && s->type == PERF_TYPE_SOFTWARE) {
			t->used = true;
			return s;
		}
	}
	return NULL;
}

int parse_slashes(struct parse *p, struct span word)
{
	const struct event_symbol *symbol = event_symbol_find(word.s, word.n);
	size_t first = p->set->list.count;
	struct terms terms = { 0 };
	u64 config;
	int err = terms_read(p, &terms);
	struct span text = { word.s, (size_t)(p->at - word.s) };

	if (!err && span_is(word, "software"))
		symbol = software_event(&terms);
	if (!err && span_is(word, "tool")) {
		err = parse_tool(p, &terms, word);
	} else if (!err && symbol && (symbol->tool || symbol->type != PERF_TYPE_HARDWARE)) {
		parse_add_symbol(p, symbol, text);
	} else if (!err && symbol) {
		if (!parse_hybrid(p, text, PERF_TYPE_HARDWARE, symbol->config))
			parse_add_symbol(p, symbol, text);
	} else if (!err && cache_event_parse(word.s, word.n, &config)) {
		if (!parse_hybrid(p, text, PERF_TYPE_HW_CACHE, config))
			parse_add(p, PERF_TYPE_HW_CACHE, config, text);
	} else if (!err) {
		err = parse_on_pmus(p, word, &terms);
		terms_release(&terms);
		return err;
	}
	if (!err && !span_is(word, "tool")) {
		err = terms_apply_common(p, &terms, first);
		if (!err)
			err = terms_refuse_rest(p, &terms, NULL);
	}
	terms_release(&terms);
	return err;
}

int parse_tracepoint_terms(struct parse *p, size_t first)
{
	struct terms terms = { 0 };
	int err = terms_read(p, &terms);

	/* the id determines a tracepoint; no config word may change it */
	vec_for_each(&terms.list, t)
		if (!err && str_starts(t->key, "config"))
			err = parse_fault(p, t->name, "'%s' has no use with a tracepoint", t->key);
	if (!err)
		err = terms_apply_common(p, &terms, first);
	if (!err)
		err = terms_refuse_rest(p, &terms, NULL);
	terms_release(&terms);
	return err;
}

int parse_pmu_name(struct parse *p, struct span word)
{
	size_t first = p->set->list.count;
	struct strlist names = { 0 };
	struct terms terms = { 0 };
	char *name = xstrndup(word.s, word.n);
	int err = 0;

	terms_of_text(&terms, name, word);
	pmu_names(p->parser->sys, &names);
	vec_for_each(&names.list, it)
		if (!err && core_pmu_wanted(p, *it) && pmu_has_event(p->parser->sys, *it, name))
			err = add_on_pmu(p, &terms, *it, word);
	mark_instances(p->set, first);
	strlist_release(&names);
	terms_release(&terms);
	free(name);
	return err ? err : p->set->list.count > first;
}

/*
 * Returns a name with its PMU: "cycles" -> "cpu_core/cycles/", "cycles/period=1/" ->
 * "cpu_core/cycles,period=1/". The caller frees it.
 */
static char *name_on_pmu(const char *pmu, struct span text)
{
	const char *slash = memchr(text.s, '/', text.n);
	size_t n = slash ? (size_t)(slash - text.s) : text.n;

	if (!slash || text.n < n + 3)
		return xasprintf("%s/%.*s/", pmu, (int)n, text.s);
	return xasprintf("%s/%.*s,%.*s", pmu, (int)n, text.s, (int)(text.n - n - 1), slash + 1);
}

int parse_hybrid(struct parse *p, struct span word, u32 type, u64 config)
{
	struct strlist names = { 0 };
	int added = 0;

	pmu_core_names(p->parser->sys, &names);
	for (size_t i = 0; names.list.count > 1 && i < names.list.count; i++) {
		struct pmu *pmu = pmu_load(p->parser->sys, names.list.items[i], NULL);
		struct event *ev;

		if (!pmu || !core_pmu_wanted(p, pmu->name)) {
			pmu_free(pmu);
			continue;
		}
		ev = parse_add(p, type, config | (u64)pmu->type << 32, word);
		take_cpus(ev, pmu);
		free(ev->name);
		ev->name = name_on_pmu(pmu->name, word);
		pmu_free(pmu);
		added++;
	}
	strlist_release(&names);
	return added;
}

void pmu_event_names(struct parse *p, struct strlist *out)
{
	struct strlist names = { 0 };

	pmu_names(p->parser->sys, &names);
	vec_for_each(&names.list, it) {
		struct pmu *pmu = pmu_load(p->parser->sys, *it, NULL);

		if (!pmu)
			continue;
		vec_for_each(&pmu->events, e)
			strlist_add(out, e->name);
		pmu_free(pmu);
	}
	strlist_release(&names);
}
