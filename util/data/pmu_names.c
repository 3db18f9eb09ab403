// SPDX-License-Identifier: GPL-2.0-or-later
/* PMU_MAPPINGS: PMUs of the recording machine by their type. */
#include "data/feature.h"

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
