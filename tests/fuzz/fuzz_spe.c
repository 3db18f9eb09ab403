// SPDX-License-Identifier: GPL-2.0-or-later
/* A trace of Arm SPE: packets, and what they say of memory. */
#include "fuzz.h"
#include "spe/packets.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const u64 processors[] = { 0, 0x410fd0c0, 0xc00fac30 };
	u8 *copy = xmemdup(data, size); /* of its exact size, so that a byte too far is found */
	struct spe_reader reader;
	struct spe_record rec;
	volatile u64 sum = 0;
	size_t records = 0;

	(void)sum;
	spe_read_begin(&reader, copy, size);
	while (spe_read(&reader, &rec)) {
		for (size_t i = 0; i < ARRAY_SIZE(processors); i++)
			sum += spe_data_src(&rec, processors[i]);
		sum += rec.pc + rec.data + rec.latency;
		if (++records > size || reader.at > reader.end)
			abort();
	}
	if (reader.at != reader.end || reader.damaged > size)
		abort();
	free(copy);
	return 0;
}
