// SPDX-License-Identifier: GPL-2.0-or-later
/* PMU_MAPPINGS: PMUs of the recording machine by their type, and what that says of samples. */
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

void pmus_read_events(struct data_reader *d)
{
	vec_for_each(&d->events.list, it) {
		struct event *ev = *it;
		bool may = ev->attr.type > PERF_TYPE_BREAKPOINT && ev->attr.sample_type & PERF_SAMPLE_RAW;
		const char *pmu = may ? data_pmu_name(d, ev->attr.type) : NULL;

		if (pmu && !strcmp(pmu, "ibs_op"))
			ev->ibs = ibs_processor_of(data_feature_string(d, FEATURE_CPUID));
	}
}
