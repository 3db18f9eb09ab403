// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PMU_MAPPINGS and PMU_CAPS: PMUs of the recording machine by their type, and what those say about
 * samples.
 */
#include <string.h>

#include "data/feature.h"
#include "event/ibs.h"

const char *data_pmu_name(struct data_reader *d, u32 type)
{
	struct feature_cursor c = feature_open(d, FEATURE_PMU_MAPPINGS);

	for (u32 n = c.bad ? 0 : feature_u32(&c); n && !c.bad; n--) {
		u32 t = feature_u32(&c);
		const char *name = feature_text(&c);

		if (!c.bad && t == type)
			return name;
	}
	return NULL;
}

/*
 * Finds the type of a PMU by its name. A file may list many PMUs and many events, so the list is
 * read only once.
 */
static bool type_of_pmu(struct data_reader *d, const char *wanted, u32 *type)
{
	struct feature_cursor c = feature_open(d, FEATURE_PMU_MAPPINGS);

	for (u32 n = c.bad ? 0 : feature_u32(&c); n && !c.bad; n--) {
		u32 t = feature_u32(&c);
		const char *name = feature_text(&c);

		if (!c.bad && !strcmp(name, wanted)) {
			*type = t;
			return true;
		}
	}
	return false;
}

void pmus_read_events(struct data_reader *d)
{
	u32 type;

	if (!type_of_pmu(d, "ibs_op", &type) || type <= PERF_TYPE_BREAKPOINT)
		return;
	vec_for_each(&d->events.list, it) {
		struct event *ev = *it;

		if (ev->attr.type == type && ev->attr.sample_type & PERF_SAMPLE_RAW)
			ev->ibs = ibs_processor_of(data_feature_string(d, FEATURE_CPUID));
	}
}

void data_pmu_caps(struct data_reader *d, const char *wanted,
		   void (*fn)(void *arg, const char *value), void *arg)
{
	struct feature_cursor c = feature_open(d, FEATURE_PMU_CAPS);

	for (u32 pmus = c.bad ? 0 : feature_u32(&c); pmus && !c.bad; pmus--) {
		for (u32 caps = feature_u32(&c); caps && !c.bad; caps--) {
			const char *name = feature_text(&c), *value = feature_text(&c);

			if (!c.bad && !strcmp(name, wanted))
				fn(arg, value);
		}
		feature_text(&c); /* the PMU's name follows its capabilities */
	}
}
