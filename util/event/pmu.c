// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/pmu.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/events.h"

static const char devices[] = "/sys/bus/event_source/devices";

int pmu_format_parse(const char *text, u8 *word, u64 *mask)
{
	size_t n = strlen("config");

	*word = 0;
	*mask = 0;
	if (strncmp(text, "config", n))
		return -EINVAL;
	text += n;
	if (*text >= '1' && *text < '0' + PMU_CONFIG_WORDS)
		*word = (u8)(*text++ - '0');
	if (*text++ != ':')
		return -EINVAL;
	do {
		char *end;
		unsigned long from, to;

		if (!isdigit((unsigned char)*text))
			return -EINVAL;
		from = to = strtoul(text, &end, 10);
		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		if (from > to || to > 63)
			return -EINVAL;
		*mask |= (to - from == 63 ? ~0ULL : BIT64(to - from + 1) - 1) << from;
		text = end;
	} while (*text++ == ',');
	return text[-1] && text[-1] != '\n' ? -EINVAL : 0;
}

int pmu_fill_bits(u64 mask, u64 value, u64 *word)
{
	u64 placed = 0;

	for (u64 left = mask; left && value; left &= left - 1, value >>= 1)
		if (value & 1)
			placed |= left & -left;
	if (value)
		return -ERANGE;
	*word = (*word & ~mask) | placed;
	return 0;
}

static void read_format(const struct sys *sys, struct pmu *pmu, const char *name)
{
	char *text = sys_read_line(sys, "%s/%s/format/%s", devices, pmu->name, name);
	struct pmu_format f = { 0 };

	if (text && !pmu_format_parse(text, &f.word, &f.mask)) {
		f.name = xstrdup(name);
		vec_push(&pmu->formats, f);
	}
	free(text);
}

static bool is_attribute_of_event(const char *name)
{
	return str_ends(name, ".scale") || str_ends(name, ".unit") || str_ends(name, ".per-pkg") ||
	       str_ends(name, ".snapshot");
}

static void read_event(const struct sys *sys, struct pmu *pmu, const char *name)
{
	char *terms = sys_read_line(sys, "%s/%s/events/%s", devices, pmu->name, name);
	struct pmu_event *e;
	char *scale;

	if (!terms)
		return;
	e = vec_push_zero(&pmu->events);
	e->name = xstrdup(name);
	e->terms = terms;
	e->unit = sys_read_line(sys, "%s/%s/events/%s.unit", devices, pmu->name, name);
	scale = sys_read_line(sys, "%s/%s/events/%s.scale", devices, pmu->name, name);
	e->scale = scale ? strtod(scale, NULL) : 0;
	if (!(e->scale > 0))
		e->scale = 1.0;
	free(scale);
	e->per_package = sys_exists(sys, "%s/%s/events/%s.per-pkg", devices, pmu->name, name);
	e->snapshot = sys_exists(sys, "%s/%s/events/%s.snapshot", devices, pmu->name, name);
}

static void read_lists(const struct sys *sys, struct pmu *pmu)
{
	struct strlist names = { 0 };
	char *dir = xasprintf("%s/%s/format", devices, pmu->name);

	sys_list(sys, &names, false, dir);
	vec_for_each(&names.list, it)
		read_format(sys, pmu, *it);
	strlist_release(&names);
	free(dir);
	dir = xasprintf("%s/%s/events", devices, pmu->name);
	sys_list(sys, &names, false, dir);
	vec_for_each(&names.list, it)
		if (!is_attribute_of_event(*it))
			read_event(sys, pmu, *it);
	strlist_release(&names);
	free(dir);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct pmu_event *)a)->name, ((const struct pmu_event *)b)->name);
}

/* Adds the events that the PMU's architecture names to those that the driver lists. */
static void add_architecture_events(struct pmu *pmu)
{
	size_t count;
	const struct arch_event *events = arch_events_of(pmu->name, &count);

	for (size_t i = 0; i < count; i++) {
		struct pmu_event *e;

		if (pmu_find_event(pmu, events[i].name))
			continue;
		e = vec_push_zero(&pmu->events);
		e->name = xstrdup(events[i].name);
		e->terms = xasprintf("event=0x%x", events[i].number);
		e->scale = 1.0;
	}
	if (count)
		vec_sort(&pmu->events, by_name);
}

/*
 * Reads the PMU's CPUs: "cpus" is for PMUs of the cores (hybrid x86, arm64), "cpumask" for uncore
 * ones.
 */
static void read_cpus(const struct sys *sys, struct pmu *pmu)
{
	char *mask = sys_read_line(sys, "%s/%s/cpumask", devices, pmu->name);
	char *cores = sys_read_line(sys, "%s/%s/cpus", devices, pmu->name);
	const char *list = mask ? mask : cores;

	pmu->has_cpumask = mask != NULL;
	pmu->core = cores || !strcmp(pmu->name, "cpu");
	if (list && parse_cpu_list(list, UINT16_MAX, &pmu->cpus, &pmu->cpu_count)) {
		pmu->cpus = NULL;
		pmu->cpu_count = 0;
	}
	free(mask);
	free(cores);
}

struct pmu *pmu_load(const struct sys *sys, const char *name, struct reason *r)
{
	struct pmu *pmu;
	u64 type;

	if (!*name || strchr(name, '/') || sys_read_u64(sys, &type, "%s/%s/type", devices, name) ||
	    type > UINT32_MAX) {
		reason_set(r, ENOENT, "no PMU '%s'", name);
		return NULL;
	}
	pmu = xcalloc(1, sizeof(*pmu));
	pmu->name = xstrdup(name);
	pmu->type = (u32)type;
	read_lists(sys, pmu);
	add_architecture_events(pmu);
	read_cpus(sys, pmu);
	return pmu;
}

void pmu_free(struct pmu *pmu)
{
	if (!pmu)
		return;
	vec_for_each(&pmu->formats, f)
		free(f->name);
	vec_for_each(&pmu->events, e) {
		free(e->name);
		free(e->terms);
		free(e->unit);
	}
	vec_release(&pmu->formats);
	vec_release(&pmu->events);
	free(pmu->cpus);
	free(pmu->name);
	free(pmu);
}

int pmu_names(const struct sys *sys, struct strlist *names)
{
	return sys_list(sys, names, true, devices);
}

/* Reports whether this may follow a name with several instances: "_0", "0", "". */
static bool is_instance_suffix(const char *s)
{
	s += *s == '_';
	while (isdigit((unsigned char)*s))
		s++;
	return !*s;
}

static bool means_pmu(const char *word, const char *name)
{
	static const char uncore[] = "uncore_";

	if (has_glob(word))
		return glob_match(word, name) ||
		       (str_starts(name, uncore) && glob_match(word, name + strlen(uncore)));
	if (str_starts(name, uncore) && !str_starts(word, uncore))
		name += strlen(uncore);
	return str_starts(name, word) && is_instance_suffix(name + strlen(word));
}

int pmu_match(const struct sys *sys, const char *word, struct strlist *names)
{
	struct strlist all = { 0 };
	int err;

	if (!has_glob(word) && *word && sys_exists(sys, "%s/%s/type", devices, word)) {
		strlist_add(names, word);
		return 0;
	}
	err = pmu_names(sys, &all);
	vec_for_each(&all.list, it)
		if (*word && means_pmu(word, *it))
			strlist_add(names, *it);
	strlist_release(&all);
	return err;
}

int pmu_core_names(const struct sys *sys, struct strlist *names)
{
	struct strlist all = { 0 };
	int err = pmu_names(sys, &all);

	vec_for_each(&all.list, it)
		if (!strcmp(*it, "cpu") || sys_exists(sys, "%s/%s/cpus", devices, *it))
			strlist_add(names, *it);
	strlist_release(&all);
	return err;
}

bool pmu_has_event(const struct sys *sys, const char *pmu, const char *event)
{
	size_t count;
	const struct arch_event *events = arch_events_of(pmu, &count);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(events[i].name, event))
			return true;
	return *event && !strchr(event, '/') && !is_attribute_of_event(event) &&
	       sys_exists(sys, "%s/%s/events/%s", devices, pmu, event);
}

const struct pmu_format *pmu_find_format(const struct pmu *pmu, const char *name)
{
	vec_for_each(&pmu->formats, f)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

const struct pmu_event *pmu_find_event(const struct pmu *pmu, const char *name)
{
	vec_for_each(&pmu->events, e)
		if (!strcmp(e->name, name))
			return e;
	return NULL;
}
