// SPDX-License-Identifier: GPL-2.0-or-later
/* Where each CPU of the recording machine sits: CPU_TOPOLOGY and NUMA_TOPOLOGY. */
#include <stdlib.h>
#include <string.h>

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

void data_place_caches(struct data_reader *d, u32 level, s32 *caches, s32 *levels, u32 count)
{
	struct feature_cursor c = feature_open(d, FEATURE_CACHE);
	u32 version = c.bad ? 0 : feature_u32(&c), n = c.bad ? 0 : feature_u32(&c);

	for (u32 i = 0; i < count; i++)
		caches[i] = levels[i] = -1;
	for (u32 i = 0; version == 1 && i < n && !c.bad; i++) {
		u32 own = feature_u32(&c), *cpus = NULL;
		const char *type, *list;
		size_t nr = 0;

		feature_bytes(&c, 12); /* line size, sets, ways */
		type = feature_text(&c);
		feature_text(&c); /* size */
		list = feature_text(&c);
		if (c.bad || !strcmp(type, "Instruction") || (level && own != level) ||
		    parse_cpu_list(list, UINT16_MAX, &cpus, &nr))
			continue;
		for (size_t k = 0; k < nr; k++)
			if (cpus[k] < count && (s32)own >= levels[cpus[k]]) {
				caches[cpus[k]] = (s32)cpus[0];
				levels[cpus[k]] = (s32)own;
			}
		free(cpus);
	}
}
