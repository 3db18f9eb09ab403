// SPDX-License-Identifier: GPL-2.0-or-later
/* Where each CPU of the recording machine sits: CPU_TOPOLOGY and NUMA_TOPOLOGY. */
#include <stdlib.h>

#include "base/text.h"
#include "data/feature.h"

static void skip_texts(struct feature_cursor *c)
{
	for (u32 n = feature_u32(c); n && !c->bad; n--)
		feature_text(c);
}

static void set_nodes(struct data_reader *d, struct data_place *places, u32 count)
{
	struct feature_cursor c = feature_open(d, FEATURE_NUMA_TOPOLOGY);

	for (u32 n = c.bad ? 0 : feature_u32(&c); n && !c.bad; n--) {
		u32 node = feature_u32(&c), *cpus = NULL;
		size_t nr = 0;

		feature_u64(&c);
		feature_u64(&c);
		if (!parse_cpu_list(feature_text(&c), UINT16_MAX, &cpus, &nr))
			for (size_t i = 0; i < nr; i++)
				if (cpus[i] < count)
					places[cpus[i]].node = (s32)node;
		free(cpus);
	}
}

u32 data_places(struct data_reader *d, struct data_place **out)
{
	struct feature_cursor cpus = feature_open(d, FEATURE_NRCPUS), c, dies;
	u32 count = cpus.bad ? 0 : feature_u32(&cpus);
	struct data_place *places;

	c = feature_open(d, FEATURE_CPU_TOPOLOGY);
	if (c.bad || !count || count > UINT16_MAX)
		return 0;
	skip_texts(&c); /* sockets */
	skip_texts(&c); /* threads */
	dies = c;
	if (c.bad || !feature_bytes(&dies, 8 * (u64)count))
		return 0;
	if (dies.end - dies.at > 4)
		skip_texts(&dies);
	else
		dies.bad = true;
	places = xcalloc(count, sizeof(*places));
	for (u32 i = 0; i < count; i++) {
		places[i].core = (s32)feature_u32(&c);
		places[i].socket = (s32)feature_u32(&c);
		places[i].die = dies.bad ? 0 : (s32)feature_u32(&dies);
		places[i].node = -1;
	}
	set_nodes(d, places, count);
	*out = places;
	return count;
}
